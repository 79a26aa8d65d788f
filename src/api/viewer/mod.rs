//! The viewer's files, as they were when this was built.

mod files;

use std::sync::LazyLock;

use afterword_domain::text::hex;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use sha2::{Digest as _, Sha256};

pub(super) use files::FILES;

/// What the page may do: load its own files and ask its own server, nothing else. No script and no
/// style stands in the page, and no text can become markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
                      form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// A file of the viewer.
#[derive(Debug)]
pub(super) struct File {
    /// From the folder `viewer`, with slashes.
    pub(super) path: &'static str,
    /// As it is served.
    pub(super) bytes: &'static [u8],
}

/// Every file with what tells its content from another: made once, when it is first asked for.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tag = |file: &File| {
        let sum = Sha256::digest(file.bytes);
        format!("\"{}\"", hex(&sum[..12]))
    };
    FILES.iter().map(tag).collect()
});

/// The answer for a file; none where there is no such file. A browser that has it already is only
/// told so.
pub(super) fn answer(path: &str, headers: &HeaderMap, status: StatusCode) -> Option<Response> {
    let place = FILES.iter().position(|file| file.path == path)?;
    let (file, tag) = (&FILES[place], &TAGS[place]);
    let known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .any(|sent| sent.to_str().is_ok_and(|sent| sent.split(',').any(|one| one.trim() == tag)));
    let unchanged = known && status == StatusCode::OK;
    let answer = Response::builder()
        .status(if unchanged { StatusCode::NOT_MODIFIED } else { status })
        .header(header::CONTENT_TYPE, content_type(path))
        .header(header::CONTENT_SECURITY_POLICY, POLICY)
        // Asked for each time, and sent again only when it is another.
        .header(header::CACHE_CONTROL, "no-cache")
        .header(header::ETAG, tag);
    let body = if unchanged { Body::empty() } else { Body::from(file.bytes) };
    Some(answer.body(body).expect("every header is written here"))
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use axum::http::HeaderValue;

    use super::*;

    fn on_disk(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                on_disk(&path, root, found);
            } else {
                let path = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(path);
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_served_and_named_in_the_page() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer");
        let mut found = BTreeSet::new();
        on_disk(&root, &root, &mut found);
        let served: BTreeSet<String> = FILES.iter().map(|file| file.path.to_owned()).collect();
        assert_eq!(served, found, "src/api/viewer/files.rs names every file of viewer/");
        let page = std::fs::read_to_string(root.join("index.html")).unwrap();
        for path in served.iter().filter(|path| *path != "index.html") {
            assert!(page.contains(&format!("/viewer/{path}\"")), "{path} is loaded at once");
        }
    }

    #[test]
    fn nothing_in_the_files_runs_or_styles_from_within_the_page() {
        let page = FILES.iter().find(|file| file.path == "index.html").unwrap();
        let page = std::str::from_utf8(page.bytes).unwrap();
        for bad in [" style=", " onclick=", " onload=", "javascript:", "<style", "http:", "https:"]
        {
            assert!(!page.contains(bad), "index.html has {bad}");
        }
        for file in FILES.iter().filter(|file| content_type(file.path).contains("javascript")) {
            let text = std::str::from_utf8(file.bytes).unwrap();
            for bad in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                assert!(!text.contains(bad), "{} has {bad}", file.path);
            }
            // Words are lists of sentences, not code.
            let most = if file.path.starts_with("i18n/") { 500 } else { 300 };
            assert!(text.lines().count() <= most, "{} is over {most} lines", file.path);
        }
    }

    #[test]
    fn a_browser_that_has_a_file_is_told_so() {
        let none = HeaderMap::new();
        let first = answer("index.html", &none, StatusCode::OK).unwrap();
        assert_eq!(first.status(), StatusCode::OK);
        let tag = first.headers()[header::ETAG].clone();
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, tag);
        let again = answer("index.html", &headers, StatusCode::OK).unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("\"other\""));
        let other = answer("index.html", &headers, StatusCode::OK).unwrap();
        assert_eq!(other.status(), StatusCode::OK);
        for nowhere in ["", "nowhere.js", "../Cargo.toml", "app", "/index.html"] {
            assert!(answer(nowhere, &none, StatusCode::OK).is_none(), "{nowhere}");
        }
    }
}
