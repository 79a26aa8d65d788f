//! Keeping the write-ahead log short.
//!
//! SQLite brings the log in by itself as it grows, but can start it over only when no reader looks
//! at an old state; under a slow reader it grows on. It is emptied as soon as that reader is done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::errors::Sql;
use super::open::BUSY_TIMEOUT;

/// Bytes of the log above which it is emptied.
const MOST: u64 = 16 << 20;

/// Watches the log of one file.
#[derive(Debug)]
pub(super) struct LogBound {
    log: PathBuf,
    /// Looking again makes sense when the log has this many bytes.
    next: u64,
}

impl LogBound {
    pub(super) fn of(path: &Path) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        Self { log: PathBuf::from(log), next: MOST }
    }

    /// Empties a log that has grown too long, where no reader is in the way; never waits.
    pub(super) fn keep(&mut self, db: &Connection) {
        let bytes = std::fs::metadata(&self.log).map_or(0, |meta| meta.len());
        if bytes < self.next {
            return;
        }
        // A failure shows in the next write; a reader in the way is asked again a little later.
        self.next = match empty_now(db) {
            Ok(true) => MOST,
            Ok(false) | Err(_) => bytes + MOST / 4,
        };
    }
}

/// Brings the whole log into the file and empties it, without waiting for readers; says whether
/// the log is empty.
pub(crate) fn empty_now(db: &Connection) -> Sql<bool> {
    db.busy_timeout(Duration::ZERO)?;
    let outcome = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    db.busy_timeout(BUSY_TIMEOUT)?;
    Ok(outcome? == 0)
}
