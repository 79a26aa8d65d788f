//! The daemon's log file. Texts of events are never logged.

use std::path::Path;
use std::sync::Mutex;

use tracing::level_filters::LevelFilter;

use crate::folder::files;

/// At this size the log of an earlier run is set aside when a new one begins.
const ROTATE_BYTES: u64 = 4 * 1024 * 1024;

/// Sends the log to `daemon.log` in the folder, or to standard error in the foreground.
pub(super) fn begin(folder: &Path, level: Option<&str>, detached: bool) {
    let level = match level {
        Some("error") => LevelFilter::ERROR,
        Some("warn") => LevelFilter::WARN,
        Some("debug") => LevelFilter::DEBUG,
        _ => LevelFilter::INFO,
    };
    let builder =
        tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_target(false);
    if !detached {
        drop(builder.with_writer(std::io::stderr).try_init());
        return;
    }
    let path = folder.join("daemon.log");
    if std::fs::metadata(&path).is_ok_and(|m| m.len() > ROTATE_BYTES) {
        drop(std::fs::rename(&path, folder.join("daemon.log.1")));
    }
    if let Ok(file) = files::private_options().create(true).append(true).open(&path) {
        drop(builder.with_writer(Mutex::new(file)).try_init());
    }
}
