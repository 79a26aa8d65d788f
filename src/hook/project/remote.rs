//! One key for every spelling of a remote's address.

use std::path::Path;

use crate::hook::platform::{path_key, real_path};

/// The key: `host/path` for an address with a host, `file:PATH` for a folder; none for nonsense.
///
/// Scheme, user, password, `.git`, default ports and the ports of ssh are dropped and the host is in
/// lower case, so that the https, ssh and scp spellings of one repository agree. `base` is the
/// folder that a relative path starts from.
pub fn key(url: &str, base: &Path) -> Option<String> {
    let url = url.trim();
    if let Some((scheme, rest)) = url.split_once("://") {
        let scheme = scheme.to_ascii_lowercase();
        if scheme == "file" {
            return folder(rest, base);
        }
        let (authority, path) = rest.split_once('/')?;
        let authority = authority.rsplit('@').next()?;
        return join(&host(&scheme, authority), path);
    }
    // `host:path` of scp; one letter before the colon is a drive, a slash before it a file name.
    if let Some((authority, path)) = split_scp(url) {
        let host = authority.rsplit('@').next()?;
        return join(&host.trim_matches(['[', ']']).to_ascii_lowercase(), path);
    }
    folder(url, base)
}

fn split_scp(url: &str) -> Option<(&str, &str)> {
    // An address of the sixth version of IP has colons of its own, inside brackets.
    let start = if url.contains('[') { url.find(']')? } else { 0 };
    let colon = start + url[start..].find(':')?;
    let (authority, path) = (&url[..colon], &url[colon + 1..]);
    (authority.len() > 1 && !authority.contains(['/', '\\'])).then_some((authority, path))
}

fn host(scheme: &str, authority: &str) -> String {
    let lower = authority.to_ascii_lowercase();
    let Some((name, port)) = lower.rsplit_once(':').filter(|(_, p)| is_port(p)) else {
        return lower.trim_matches(['[', ']']).to_owned();
    };
    let default = match scheme {
        "http" => port == "80",
        "https" => port == "443",
        // The port of ssh says nothing about the repository, which is also served over https.
        _ => true,
    };
    if default { name.trim_matches(['[', ']']).to_owned() } else { lower }
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn join(host: &str, path: &str) -> Option<String> {
    let path = strip(path.split(['?', '#']).next()?);
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

fn strip(path: &str) -> &str {
    let path = path.trim_matches('/');
    path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/')
}

fn folder(path: &str, base: &Path) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let path = base.join(path);
    let path = path_key(&real_path(&path).unwrap_or(path));
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/.git").or_else(|| path.strip_suffix(".git")).unwrap_or(path);
    Some(format!("file:{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h1_every_spelling_of_one_remote_is_one_key() {
        for url in [
            "https://github.com/Owner/Repo.git",
            "https://GitHub.com/Owner/Repo",
            "https://user:p%40ss@github.com:443/Owner/Repo.git/",
            "https://ghp_abcdef@github.com/Owner/Repo",
            "http://github.com:80/Owner/Repo",
            "ssh://git@github.com/Owner/Repo.git",
            "ssh://git@github.com:22/Owner/Repo",
            "ssh://git@github.com:2222/Owner/Repo",
            "git://github.com/Owner/Repo.git",
            "git@github.com:Owner/Repo.git",
            "github.com:Owner/Repo",
            "git@GITHUB.com:/Owner/Repo.git",
            "  git@github.com:Owner/Repo.git\n",
        ] {
            assert_eq!(key(url, Path::new("/")).as_deref(), Some("github.com/Owner/Repo"), "{url}");
        }
    }

    #[test]
    fn different_remotes_stay_apart() {
        let key = |url| key(url, Path::new("/r")).unwrap();
        assert_eq!(key("http://localhost:3000/a/b"), "localhost:3000/a/b");
        assert_ne!(key("http://localhost:3000/a/b"), key("http://localhost:4000/a/b"));
        assert_ne!(key("https://github.com/a/my_app"), key("https://github.com/a/my-app"));
        assert_eq!(key("ssh://git@[::1]:22/a/b"), "::1/a/b");
        assert_eq!(key("git@[::1]:a/b"), "::1/a/b");
        assert_eq!(key("https://host/组/项目.git"), "host/组/项目");
    }

    #[test]
    fn folders_are_remotes_too() {
        let folder = tempfile::tempdir().unwrap();
        let bare = folder.path().join("up.git");
        std::fs::create_dir(&bare).unwrap();
        let wanted =
            format!("file:{}", path_key(&folder.path().canonicalize().unwrap().join("up")));
        for url in [bare.display().to_string(), format!("file://{}", bare.display())] {
            assert_eq!(key(&url, folder.path()).unwrap(), wanted);
        }
        assert_eq!(key("../up.git", &folder.path().join("up.git")).unwrap(), wanted);
    }

    #[test]
    fn nonsense_is_no_remote() {
        for url in ["", "https://", "https://host", "https://host/", "https:///x", "host:", "://"] {
            assert_eq!(key(url, Path::new("/r")), None, "{url}");
        }
    }
}
