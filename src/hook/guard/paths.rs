//! Paths as text with `/` between folders: made absolute, straightened, followed through links.

use std::path::{Path, PathBuf};

/// Longest path that is looked up on the disk, in bytes.
const MAX_LENGTH: usize = 4096;

/// A path of the system as text with `/` between folders.
pub(super) fn text(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    // The long form of Windows paths names the same file.
    text.strip_prefix("//?/").map(str::to_owned).unwrap_or(text)
}

/// An absolute path for what a call wrote, not yet straightened.
pub(super) fn absolute(path: &str, folder: &str, home: &str) -> String {
    let path = path.trim().replace('\\', "/");
    let path = path.strip_prefix("file://").unwrap_or(&path);
    if path == "~" {
        return home.to_owned();
    }
    if let Some(rest) = path.strip_prefix("~/") {
        return format!("{home}/{rest}");
    }
    if is_absolute(path) { path.to_owned() } else { format!("{folder}/{path}") }
}

fn is_absolute(path: &str) -> bool {
    let drive = path
        .as_bytes()
        .get(..3)
        .is_some_and(|b| b[0].is_ascii_alphabetic() && b[1] == b':' && b[2] == b'/');
    path.starts_with('/') || drive
}

/// The path without `.`, `..` and doubled separators, by its letters alone.
pub(super) fn straight(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let straight = parts.join("/");
    if path.starts_with('/') { format!("/{straight}") } else { straight }
}

/// The path with the links of its existing beginning followed; none when nothing of it exists.
pub(super) fn followed(path: &str) -> Option<String> {
    let path = PathBuf::from(path);
    if !path.is_absolute() || path.as_os_str().len() > MAX_LENGTH {
        return None;
    }
    let (existing, real) =
        path.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)))?;
    let rest = path.strip_prefix(existing).ok()?;
    Some(straight(&text(&real.join(rest))))
}

/// Letters of one case where the system's own files know no case.
pub(super) fn fold(path: &str) -> String {
    if cfg!(any(target_os = "macos", windows)) { path.to_lowercase() } else { path.to_owned() }
}

/// What stands below a folder; empty for the folder itself, none outside.
pub(super) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}
