//! Starting the daemon of a data folder: the one place that does. When, the [`brake`] says.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use afterword_domain::Clock;

use super::platform;
use crate::config::Home;
use crate::folder::brake::{self, Brake, Outcome, Verdict};
use crate::folder::files;

/// Starts the daemon of a data folder, detached: no inherited streams, own process group, working
/// folder in the data folder. Gives the process, which may not answer yet.
///
/// The environment is handed on, with `AFTERWORD_HOME` set to the folder.
pub(super) fn start(exe: &Path, home: &Home) -> io::Result<Child> {
    detached(exe, home, &["daemon", "run", "--detached"])
}

/// Starts this program for a data folder, with nothing that ties it to its starter: see [`start`].
pub fn detached(exe: &Path, home: &Home, args: &[&str]) -> io::Result<Child> {
    files::create_private_folder(home.folder())?;
    let mut command = Command::new(exe);
    command
        .args(args)
        .env("AFTERWORD_HOME", home.folder())
        .current_dir(home.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    platform::detach(&mut command);
    command.spawn()
}

/// This program's file, or the stable copy when an upgrade has just taken this one away.
pub fn own_binary(home: &Home) -> PathBuf {
    std::env::current_exe().ok().filter(|exe| exe.exists()).unwrap_or_else(|| home.binary())
}

/// What came of asking for a daemon.
#[derive(Debug)]
pub enum Attempt {
    /// This call started one.
    Started(Child),
    /// Another call has just started one, with this process id where it is known: it may be worth
    /// waiting for.
    Underway(Option<u32>),
    /// The last attempts failed; the next one is not due yet.
    Braked,
}

/// Starts a daemon unless the brake says that one was just started or keeps failing.
pub fn try_start(exe: &Path, home: &Home, clock: &dyn Clock) -> io::Result<Attempt> {
    files::create_private_folder(home.folder())?;
    let Some(mut brake) = Brake::take(home)? else { return Ok(Attempt::Underway(None)) };
    let now = clock.now();
    let last = brake.record();
    match last.verdict(now) {
        Verdict::Due => {}
        Verdict::Wait(pid) => return Ok(Attempt::Underway(pid)),
        Verdict::Broken => return Ok(Attempt::Braked),
    }
    // Written before the start, so that a crash in between still brakes, and before the daemon
    // writes what became of it.
    let record = last.tried(now);
    brake.write(record)?;
    let child = start(exe, home)?;
    // The daemon may have come up already and have said so.
    if brake.record() == record {
        brake.write(brake::Record { pid: Some(child.id()), ..record })?;
    }
    Ok(Attempt::Started(child))
}

/// Whether the brake lets a daemon be started now.
pub(super) fn is_due(home: &Home, clock: &dyn Clock) -> bool {
    let Ok(Some(mut brake)) = Brake::take(home) else { return false };
    brake.record().verdict(clock.now()) == Verdict::Due
}

/// Marks the last attempt as failed, so that nobody waits for it again until the next is due.
pub fn mark_failed(home: &Home) -> io::Result<()> {
    let Some(mut brake) = Brake::take(home)? else { return Ok(()) };
    match brake.record() {
        // It came up after all, or was asked to stop.
        record if record.outcome == Outcome::Up || record.attempts == 0 => Ok(()),
        record => brake.write(brake::Record { outcome: Outcome::Failed, ..record }),
    }
}

#[cfg(test)]
#[path = "tests/spawn.rs"]
mod tests;
