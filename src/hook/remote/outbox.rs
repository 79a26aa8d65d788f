//! What waits for a remote service, a file each, in the folder `remote` of the spool.
//!
//! A file is made whole or not at all, so a crash loses nothing else. Before a text goes out its file
//! is renamed to say so: whoever finds it then looks first whether the service has it already.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use afterword_domain::Time;
use afterword_domain::text::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::config::Home;
use crate::folder::files;

/// Ending of what was never sent.
const NEW: &str = ".memory.json";

/// Ending of what may have been sent.
const TRIED: &str = ".tried.json";

/// Where what the service refuses for good is set aside.
const PARKED: &str = "parked";

/// The file that says when to try again.
const BRAKE: &str = "later.json";

/// Most bytes of a file here; texts are a few thousand.
const LIMIT: usize = 256 * 1024;

/// Longest pause between two tries, in milliseconds.
const LONGEST_PAUSE_MS: i64 = 60_000;

/// Which memory a text becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What is kept before a compaction; each is a memory of its own.
    CompactSummary,
    /// What a session was about; one memory for each session.
    SessionSummary,
}

impl Kind {
    /// The `type` of its metadata.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CompactSummary => "compact_summary",
            Self::SessionSummary => "session_summary",
        }
    }
}

/// A text that is to be kept. It holds no token: that is looked up when it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The service that it is for, and for no other.
    pub url: String,
    /// Whose memory it is.
    pub user_id: String,
    /// The agent.
    pub agent: String,
    /// The agent's session id.
    pub session_id: String,
    /// The project's name.
    pub project: String,
    /// The project's folder, from which the service is looked up again.
    pub folder: PathBuf,
    /// What it becomes.
    pub kind: Kind,
    /// The text.
    pub text: String,
}

impl Waiting {
    /// The same for the same text of the same session.
    pub fn key(&self) -> String {
        digest(&[&self.session_key(), self.kind.word(), &self.text])
    }

    /// The same for everything of one session at one service.
    pub fn session_key(&self) -> String {
        digest(&[&self.url, &self.user_id, &self.agent, &self.session_id])
    }
}

fn digest(parts: &[&str]) -> String {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update(part.len().to_le_bytes());
        sum.update(part);
    }
    hex(&sum.finalize()[..16])
}

/// A file of the outbox.
#[derive(Clone, Debug)]
pub struct Entry {
    path: PathBuf,
    /// What is in it.
    pub waiting: Waiting,
    /// Whether it may have been sent.
    pub tried: bool,
}

impl Entry {
    /// Writes down that the text goes out now.
    pub fn mark_tried(&mut self) -> io::Result<()> {
        if !self.tried {
            let name = self.path.to_string_lossy();
            let tried = PathBuf::from(format!("{}{TRIED}", name.trim_end_matches(NEW)));
            fs::rename(&self.path, &tried)?;
            (self.path, self.tried) = (tried, true);
        }
        Ok(())
    }

    /// Takes it out: it is where it should be.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }

    /// Sets it aside.
    pub fn park(self) -> io::Result<()> {
        set_aside(&self.path)
    }
}

fn set_aside(path: &Path) -> io::Result<()> {
    let folder = path.with_file_name(PARKED);
    files::create_private_folder(&folder)?;
    fs::rename(path, folder.join(path.file_name().unwrap_or_default()))
}

/// Puts a text in: when this returns well it survives a crash of everything.
pub fn write(home: &Home, waiting: &Waiting, at: Time) -> io::Result<()> {
    let folder = home.remote_spool();
    files::create_private_folder(&folder)?;
    let name = format!("{:015}-{}", at.millis().max(0), uuid::Uuid::new_v4().simple());
    let bytes = serde_json::to_vec(waiting)?;
    files::replace_file(
        &folder.join(format!("{name}.tmp")),
        &folder.join(format!("{name}{NEW}")),
        &bytes,
    )
}

/// Everything that waits, oldest first. What cannot be read is set aside.
pub fn list(home: &Home) -> Vec<Entry> {
    let mut entries = Vec::new();
    for path in paths(home) {
        let tried = path.to_string_lossy().ends_with(TRIED);
        let read = files::read_bounded(&path, LIMIT);
        match read.map(|bytes| serde_json::from_slice(&bytes)) {
            Ok(Ok(waiting)) => entries.push(Entry { path, waiting, tried }),
            // Another process may just have taken or renamed it.
            Err(_) => {}
            Ok(Err(_)) => {
                set_aside(&path).ok();
            }
        }
    }
    entries
}

fn paths(home: &Home) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(home.remote_spool()) else { return Vec::new() };
    let is_ours = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(NEW) || name.ends_with(TRIED)
    };
    let mut paths: Vec<PathBuf> =
        found.flatten().map(|entry| entry.path()).filter(is_ours).collect();
    paths.sort();
    paths
}

/// How many texts wait.
pub fn count(home: &Home) -> usize {
    paths(home).len()
}

/// How many were set aside.
pub fn count_parked(home: &Home) -> usize {
    fs::read_dir(home.remote_spool().join(PARKED)).map_or(0, Iterator::count)
}

/// What stands in the way of sending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Brake {
    /// Tries in a row that came to nothing.
    pub failures: u32,
    /// When the next one is due, in milliseconds.
    pub due_ms: i64,
    /// What went wrong, in words.
    pub trouble: String,
}

/// What went wrong last; the default where nothing did.
pub fn brake(home: &Home) -> Brake {
    let bytes = files::read_bounded(&home.remote_spool().join(BRAKE), LIMIT).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Writes down that a try failed: the next is due after 1, 2, 4, … 60 seconds.
pub fn failed(home: &Home, trouble: &str, now: Time) {
    let failures = brake(home).failures.saturating_add(1);
    let pause = 500_i64.saturating_mul(1 << failures.min(8)).min(LONGEST_PAUSE_MS);
    let brake = Brake { failures, due_ms: now.millis() + pause, trouble: trouble.to_owned() };
    let folder = home.remote_spool();
    if let Ok(bytes) = serde_json::to_vec(&brake) {
        let temporary = folder.join(format!("{BRAKE}.{}.tmp", std::process::id()));
        files::replace_file(&temporary, &folder.join(BRAKE), &bytes).ok();
    }
}

/// Forgets what went wrong.
pub fn succeeded(home: &Home) {
    // Hardly ever there.
    fs::remove_file(home.remote_spool().join(BRAKE)).ok();
}
