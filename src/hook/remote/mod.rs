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
use super::project::tracked::is_tracked;
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

/// The service of a project that was found from `folder`; none where nothing names one, or only a
/// file that [came with the project](untrusted).
pub fn service_of(
    config: &Config,
    project: &ProjectRef,
    folder: &Path,
) -> Option<(Remote, PathBuf)> {
    let (remote, root) = named(config, project, folder)?;
    is_trusted(config, &remote, &root).then_some((remote, root))
}

/// The service that a project's own file under version control names, and nobody trusts: whoever
/// wrote the file would be sent the person's token and what is worked on. It is not used.
pub fn untrusted(config: &Config, project: &ProjectRef, folder: &Path) -> Option<Remote> {
    let (remote, root) = named(config, project, folder)?;
    (!is_trusted(config, &remote, &root)).then_some(remote)
}

/// The line that tells the person of such a service.
pub fn untrusted_line(url: &str) -> String {
    let url: String = url.chars().filter(char::is_ascii_graphic).take(200).collect();
    format!(
        "afterword: this project's files name a memory service, {url}, which is not used: to let it \
         have your token and what you work on here, add the address to `trusted` in [remote] of \
         config.toml"
    )
}

fn named(config: &Config, project: &ProjectRef, folder: &Path) -> Option<(Remote, PathBuf)> {
    let root = project.root.as_deref().map_or_else(|| folder.to_owned(), PathBuf::from);
    Some((remote::resolve(&config.env, Some(&root))?, root))
}

/// Asks git only where a file of the project names what nothing of the person's own does.
fn is_trusted(config: &Config, remote: &Remote, root: &Path) -> bool {
    let Some(file) = remote.url_file.as_deref().filter(|file| file.starts_with(root)) else {
        return true;
    };
    config.file.remote.trusts(&remote.url)
        || remote::resolve(&config.env, None).is_some_and(|own| own.url == remote.url)
        || !is_tracked(root, file)
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
