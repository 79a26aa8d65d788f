//! What differs by operating system in the hook: how a path is made real and compared.

use std::io;
use std::path::{Path, PathBuf};

/// The path with links resolved, in the case that is on disk, without Windows' long-path prefix.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map(plain)
}

/// The path as a key: what names the same file on this system gives the same text.
pub fn path_key(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/").to_lowercase() } else { text.into_owned() }
}

#[cfg(windows)]
fn plain(path: PathBuf) -> PathBuf {
    let text = path.to_string_lossy();
    match text.strip_prefix(r"\\?\UNC\") {
        Some(share) => PathBuf::from(format!(r"\\{share}")),
        None => text.strip_prefix(r"\\?\").map(PathBuf::from).unwrap_or(path),
    }
}

#[cfg(not(windows))]
const fn plain(path: PathBuf) -> PathBuf {
    path
}
