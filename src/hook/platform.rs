//! What differs by operating system in the hook: how a path is made real and compared.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The path with links resolved, in the case that is on disk, without Windows' long-path prefix.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map(plain)
}

/// The path as a key: what names the same file on this system gives the same text.
pub fn path_key(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/").to_lowercase() } else { text.into_owned() }
}

/// Opens no window for a process whose output is read here.
#[cfg(windows)]
pub fn no_window(command: &mut Command) {
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NO_WINDOW);
}

/// Opens no window for a process whose output is read here.
#[cfg(not(windows))]
pub const fn no_window(_command: &mut Command) {}

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
