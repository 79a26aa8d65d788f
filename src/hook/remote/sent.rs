//! What the sender remembers of a session: under which id its memory is, and what it says.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::outbox::Waiting;
use crate::config::Home;
use crate::folder::files;

/// The folder of these files.
const FOLDER: &str = "sent";

/// Most bytes of a file.
const LIMIT: usize = 64 * 1024;

/// How many snapshots of a session are known again.
const SNAPSHOTS: usize = 20;

/// How long a session is remembered after it was last told of: a later one is looked up again.
const KEPT: Duration = Duration::from_hours(90 * 24);

/// One session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Sent {
    /// The id of its summary at the service.
    pub(super) id: Option<String>,
    /// The key of the text that the summary has.
    pub(super) key: String,
    /// When the service said that it would keep the summary, in milliseconds.
    pub(super) queued_ms: Option<i64>,
    /// A summary that another has taken the place of and that must go.
    pub(super) stale: Option<String>,
    /// The keys of snapshots.
    pub(super) snapshots: Vec<String>,
}

impl Sent {
    fn path(home: &Home, waiting: &Waiting) -> PathBuf {
        home.remote_spool().join(FOLDER).join(format!("{}.json", waiting.session_key()))
    }

    /// What is known; nothing where nothing can be read.
    pub(super) fn of(home: &Home, waiting: &Waiting) -> Self {
        let bytes = files::read_bounded(&Self::path(home, waiting), LIMIT).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    pub(super) fn save(&self, home: &Home, waiting: &Waiting) -> io::Result<()> {
        let path = Self::path(home, waiting);
        files::create_private_folder(&home.remote_spool().join(FOLDER))?;
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        files::replace_file(&temporary, &path, &serde_json::to_vec(self)?)
    }

    /// Whether the service has this text already.
    pub(super) fn has(&self, waiting: &Waiting) -> bool {
        let key = waiting.key();
        self.key == key || self.snapshots.contains(&key)
    }

    pub(super) fn add_snapshot(&mut self, key: String) {
        self.snapshots.push(key);
        let spare = self.snapshots.len().saturating_sub(SNAPSHOTS);
        self.snapshots.drain(..spare);
    }
}

/// Forgets sessions that nothing was told of for long.
pub(super) fn prune(home: &Home, now: SystemTime) {
    let Ok(found) = fs::read_dir(home.remote_spool().join(FOLDER)) else { return };
    for entry in found.flatten() {
        let age = entry.metadata().and_then(|m| m.modified()).ok();
        if age.and_then(|at| now.duration_since(at).ok()).is_some_and(|age| age > KEPT) {
            fs::remove_file(entry.path()).ok();
        }
    }
}
