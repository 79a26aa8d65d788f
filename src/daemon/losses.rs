//! Events that hooks could keep nowhere, by the log that hooks write.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use afterword_domain::Time;
use afterword_domain::wire::spool::LOST;

/// Bytes at the end of the log that are looked at.
const TAIL: u64 = 64 * 1024;

/// For how long a loss is spoken of, in milliseconds.
const RECENT_MS: i64 = 24 * 60 * 60 * 1_000;

/// Losses of the last day that the log's end tells of; 0 where there is no log.
pub(super) fn recent(log: &Path, now: Time) -> u64 {
    let Some(text) = tail(log) else { return 0 };
    let recent = |line: &&str| {
        let at = line.split(' ').next().and_then(|word| word.parse::<Time>().ok());
        at.is_some_and(|at| now.millis() - at.millis() < RECENT_MS)
    };
    text.lines().filter(|line| line.contains(LOST)).filter(recent).count() as u64
}

fn tail(log: &Path) -> Option<String> {
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recent_losses_count() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("hook.log");
        let now = Time::from_millis(RECENT_MS * 3);
        assert_eq!(recent(&log, now), 0);
        let line = |at: i64, text: &str| {
            format!("{} claude-code stop: {text}\n", Time::from_millis(at).rfc3339())
        };
        let text = [
            line(0, LOST),
            line(now.millis() - 5_000, LOST),
            line(now.millis() - 4_000, "the daemon is not running"),
            format!("torn {LOST}\n"),
        ];
        std::fs::write(&log, text.concat()).unwrap();
        assert_eq!(recent(&log, now), 1);
        let much = line(now.millis() - 5_000, &"x".repeat(300)).repeat(1_000);
        std::fs::write(&log, text.concat() + &much).unwrap();
        assert_eq!(recent(&log, now), 0, "only the end is read");
    }
}
