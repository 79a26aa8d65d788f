//! The server's log: a line of JSON for each event, on standard error. Texts of memories, queries
//! and secrets are never logged.

use tracing::level_filters::LevelFilter;

/// Sends the log to standard error from now on.
pub(super) fn begin(level: Option<&str>) {
    let level = match level {
        Some("error") => LevelFilter::ERROR,
        Some("warn") => LevelFilter::WARN,
        Some("debug") => LevelFilter::DEBUG,
        _ => LevelFilter::INFO,
    };
    let lines = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_max_level(level)
        .with_target(false)
        .with_writer(std::io::stderr);
    // Only in tests is there one already.
    drop(lines.try_init());
}
