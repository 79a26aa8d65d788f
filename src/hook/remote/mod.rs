//! The way of a hook whose memories are kept by a remote service.
//!
//! A session's start asks the service two questions (`start`) and shows what it found (`block`).
//! Before a compaction, after a turn and at a session's end the conversation's [`digest`] goes to the
//! [`outbox`], files in the spool; [`deliver`] is the sender, a process of its own that no hook waits
//! for, and `sent` is what it remembers. No daemon is asked unless the settings say `local = true`.

mod block;
mod capture;
pub mod deliver;
mod digest;
pub mod outbox;
mod sent;
mod start;

use std::path::{Path, PathBuf};
use std::time::Instant;

use afterword_domain::Clock;
use afterword_domain::event::Event;
use afterword_domain::project::ProjectRef;

use super::log;
use crate::client::remote::Dialect;
use crate::config::remote::{self, Remote};
use crate::config::{Config, Home};
use crate::folder::files;

pub use start::Asked;

/// One hook call of a project with a remote service.
#[derive(Debug)]
pub struct Call<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The time.
    pub clock: &'a dyn Clock,
    /// The service.
    pub remote: Remote,
    /// The project's folder, whose `.claude` may name the service.
    pub folder: PathBuf,
    /// When the hook began.
    pub started: Instant,
    /// What the hook is doing, for the log.
    pub doing: String,
}

/// The service of a project that was found from `folder`; none where nothing names one.
pub fn service_of(
    config: &Config,
    project: &ProjectRef,
    folder: &Path,
) -> Option<(Remote, PathBuf)> {
    let root = project.root.as_deref().map_or_else(|| folder.to_owned(), PathBuf::from);
    Some((remote::resolve(&config.env, Some(&root))?, root))
}

impl Call<'_> {
    /// Whether the service is the only memory.
    pub const fn is_alone(&self) -> bool {
        !self.config.file.remote.local
    }

    /// Asks what a session that starts is to know; none for every other event. The answer is waited
    /// for by [`Asked::join`].
    pub fn ask(&self, event: &Event) -> Option<Asked> {
        start::ask(self, event)
    }

    /// Puts what the event gives to remember into the outbox and has it sent, with whatever waits.
    /// `transcript` is the agent's log as the agent names it.
    pub fn keep(&self, event: &Event, transcript: Option<&Path>) {
        capture::keep(self, event, transcript);
    }

    fn note(&self, trouble: &str) {
        log::note(&self.config.home, self.clock, &self.doing, trouble);
    }
}

/// How a service was spoken to the last time.
fn remembered_dialect(home: &Home, url: &str) -> Option<Dialect> {
    let bytes = files::read_bounded(&home.remote_spool().join(DIALECT), 4096).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (known, word) = text.trim_end().rsplit_once('\n')?;
    if known == url { Dialect::from_word(word) } else { None }
}

/// Keeps how a service is spoken to. Whoever cannot read it asks again.
fn remember_dialect(home: &Home, url: &str, dialect: Dialect) {
    let folder = home.remote_spool();
    let text = format!("{url}\n{}\n", dialect.word());
    let temporary = folder.join(format!("{DIALECT}.{}.tmp", std::process::id()));
    if files::create_private_folder(&folder).is_ok() {
        files::replace_file(&temporary, &folder.join(DIALECT), text.as_bytes()).ok();
    }
}

/// The file of the dialect.
const DIALECT: &str = "dialect";

#[cfg(test)]
#[path = "../tests/remote.rs"]
mod tests;
