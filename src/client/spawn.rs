//! Starting the daemon of a data folder: the one place that does, and its brake.
//!
//! The brake is the file `daemon.starting`. Whoever wants to start a daemon takes the file's lock,
//! reads when the last attempt was and how many failed in a row, and either starts one and writes
//! that down or leaves it. So of fifty hooks at once one starts a daemon, and a daemon that dies at
//! once is tried again after 1, 2, 4, … 60 seconds. An attempt counts as good when the daemon
//! published its address after it; attempts older than ten minutes are forgotten. Someone who
//! waited for a daemon in vain marks the attempt as failed: the next ones do not wait for it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use afterword_domain::{Clock, Time};

use super::{endpoint, platform};
use crate::config::Home;

/// Longest pause between two attempts, in milliseconds.
const LONGEST_PAUSE_MS: i64 = 60_000;

/// Shortest pause after an attempt that someone saw fail, in milliseconds.
const FAILED_PAUSE_MS: i64 = 10_000;

/// Age at which an attempt says nothing any more, in milliseconds.
const FORGOTTEN_MS: i64 = 600_000;

/// Starts the daemon of a data folder, detached: no inherited streams, own process group, working
/// folder in the data folder. Returns once the process exists, not once it answers.
///
/// The environment is handed on, with `AFTERWORD_HOME` set to the folder.
pub fn spawn_daemon(exe: &Path, home: &Home) -> io::Result<()> {
    start(exe, home).map(drop)
}

pub(super) fn start(exe: &Path, home: &Home) -> io::Result<Child> {
    platform::create_private_folder(home.folder())?;
    let mut command = Command::new(exe);
    command
        .args(["daemon", "run", "--detached"])
        .env("AFTERWORD_HOME", home.folder())
        .current_dir(home.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    platform::detach(&mut command);
    command.spawn()
}

/// What came of asking for a daemon.
#[derive(Debug)]
pub enum Attempt {
    /// This call started one.
    Started(Child),
    /// Another call has just started one: it may be worth waiting for.
    Underway,
    /// The last attempts failed; the next one is not due yet.
    Braked,
}

/// Starts a daemon unless the brake says that one was just started or keeps failing.
pub fn try_start(exe: &Path, home: &Home, clock: &dyn Clock) -> io::Result<Attempt> {
    platform::create_private_folder(home.folder())?;
    let started = with_brake(home, |brake| {
        let now = clock.now();
        let last = Record::read(brake).settled(home, now);
        match last.verdict(now) {
            Verdict::Due => {}
            Verdict::Wait => return Ok(Attempt::Underway),
            Verdict::Broken => return Ok(Attempt::Braked),
        }
        // Written before the start, so that a crash in between still brakes.
        let attempts = last.attempts.saturating_add(1);
        Record { at: now, attempts, failed: false }.write(brake)?;
        start(exe, home).map(Attempt::Started)
    })?;
    Ok(started.unwrap_or(Attempt::Underway))
}

/// Marks the last attempt as failed, so that nobody waits for it again until the next is due.
pub fn mark_failed(home: &Home) -> io::Result<()> {
    with_brake(home, |brake| {
        let record = Record::read(brake);
        Record { failed: true, ..record }.write(brake)
    })
    .map(|_| ())
}

/// Does something under the lock of the brake; none when another process has it.
fn with_brake<T>(
    home: &Home,
    work: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<Option<T>> {
    let mut brake = open_brake(home)?;
    if brake.try_lock().is_err() {
        return Ok(None);
    }
    let done = work(&mut brake);
    // Closing is not enough: a process that is being started right now may hold a copy of the file.
    brake.unlock()?;
    done.map(Some)
}

fn open_brake(home: &Home) -> io::Result<File> {
    platform::private_options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(home.folder().join("daemon.starting"))
}

/// The content of the brake file: time of the last attempt, attempts in a row, whether it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Record {
    at: Time,
    attempts: u32,
    failed: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Due,
    Wait,
    Broken,
}

impl Record {
    /// Reads the file; anything unreadable is no attempt at all.
    fn read(brake: &mut File) -> Self {
        let mut text = String::new();
        if brake.take(256).read_to_string(&mut text).is_err() {
            return Self::default();
        }
        let mut words = text.split_whitespace();
        let at = words.next().and_then(|w| w.parse().ok());
        let attempts = words.next().and_then(|w| w.parse().ok());
        match (at, attempts) {
            (Some(at), Some(attempts)) => {
                Self { at: Time::from_millis(at), attempts, failed: words.next() == Some("failed") }
            }
            _ => Self::default(),
        }
    }

    fn write(self, brake: &mut File) -> io::Result<()> {
        let failed = if self.failed { " failed" } else { "" };
        let text = format!("{} {}{failed}\n", self.at.millis(), self.attempts);
        brake.rewind()?;
        brake.set_len(0)?;
        brake.write_all(text.as_bytes())
    }

    /// The record without attempts that no longer count: good ones, old ones, and those that a
    /// clock that went back puts into the future.
    fn settled(self, home: &Home, now: Time) -> Self {
        let age = now.millis().saturating_sub(self.at.millis());
        if self.attempts == 0 || !(0..FORGOTTEN_MS).contains(&age) {
            return Self::default();
        }
        let answered =
            endpoint::published(home).is_some_and(|e| e.started_at_ms >= self.at.millis());
        if answered { Self { attempts: 0, failed: false, ..self } } else { self }
    }

    fn verdict(self, now: Time) -> Verdict {
        let age = now.millis().saturating_sub(self.at.millis());
        let doublings = self.attempts.saturating_sub(1).min(16);
        let mut pause = (1_000_i64 << doublings).min(LONGEST_PAUSE_MS);
        if self.failed {
            pause = pause.max(FAILED_PAUSE_MS);
        }
        if self == Self::default() || age >= pause {
            Verdict::Due
        } else if self.failed || age >= 2_000 {
            Verdict::Broken
        } else {
            Verdict::Wait
        }
    }
}

#[cfg(test)]
#[path = "tests/spawn.rs"]
mod tests;
