//! What differs by operating system in the hook: how a path is made real and compared.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most that a crowded machine may stretch a wait.
const MOST_CROWDING: u32 = 6;

/// The path with links resolved, in the case that is on disk, without Windows' long-path prefix.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map(plain)
}

/// The path as a key: what names the same file on this system gives the same text.
pub fn path_key(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/").to_lowercase() } else { text.into_owned() }
}

/// How many runnable tasks share a processor of this machine, 1 where there is one for each: on a
/// crowded machine everything takes so many times as long, the agent's own writing too.
pub fn crowding() -> u32 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    crowding_of(&load, processors)
}

/// The mean of the last minute, at most [`MOST_CROWDING`]; 1 where the system does not say.
fn crowding_of(load: &str, processors: usize) -> u32 {
    let mean = load.split_whitespace().next().and_then(|mean| mean.parse::<f64>().ok());
    #[expect(clippy::cast_precision_loss, reason = "a machine has few processors")]
    let each = mean.unwrap_or(0.0) / processors as f64;
    (2..=MOST_CROWDING).rev().find(|n| f64::from(*n) <= each).unwrap_or(1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_crowded_by_its_load_for_each_processor() {
        assert_eq!(crowding_of("0.42 0.30 0.20 1/200 77", 2), 1);
        assert_eq!(crowding_of("7.90 3.00 1.00 9/200 77", 2), 3);
        assert_eq!(crowding_of("900.0 3.00 1.00 9/200 77", 2), MOST_CROWDING);
        assert_eq!((crowding_of("", 2), crowding_of("much", 2)), (1, 1));
    }
}
