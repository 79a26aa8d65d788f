//! The record of attempts to start the daemon: the file `daemon.starting`, which is also a lock.
//!
//! Whoever wants to start a daemon takes the file's lock, reads when the last attempt was and what
//! became of it, and either starts one and writes that down or leaves it. So of fifty hooks at once
//! one starts a daemon, and a daemon that cannot start is tried again after 1, 2, 4, … 60 seconds.
//!
//! The daemon itself writes what became of it: a start is good when it publishes its address, and
//! nothing is left to remember when it is asked to stop or has lived for [`SETTLED`]. A daemon
//! that again and again dies soon after it came up is braked as well, from the sixth time on.
//! Attempts older than ten minutes are forgotten. Someone who waited for a daemon in vain marks the
//! attempt as failed: the next ones do not wait for it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::time::Duration;

use afterword_domain::Time;

use super::files;
use crate::config::Home;

/// Longest pause between two attempts, in milliseconds.
pub const LONGEST_PAUSE_MS: i64 = 60_000;

/// Shortest pause after an attempt that someone saw fail, in milliseconds.
pub const FAILED_PAUSE_MS: i64 = 10_000;

/// Age at which an attempt says nothing any more, in milliseconds.
pub const FORGOTTEN_MS: i64 = 600_000;

/// How long a daemon must live for its start to be forgotten.
pub const SETTLED: Duration = Duration::from_secs(10);

/// Age at which an attempt that still runs is no longer worth waiting for, in milliseconds.
const FRESH_MS: i64 = 2_000;

/// How many daemons in a row may die young before starts are spread out.
const YOUNG_DEATHS: u32 = 5;

/// What became of the last attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is known yet; the process has this id, once it exists.
    #[default]
    Underway,
    /// Someone waited for it in vain.
    Failed,
    /// Its daemon has published its address.
    Up,
}

/// The content of the file. The default says that there is nothing to remember.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// When the last attempt was made, or when its daemon came up.
    pub at: Time,
    /// Attempts in a row after which no daemon came up.
    pub attempts: u32,
    /// Daemons in a row that came up, the last one included, each dead before it had settled.
    pub rises: u32,
    /// What became of the last attempt.
    pub outcome: Outcome,
    /// The process of the last attempt.
    pub pid: Option<u32>,
}

/// Whether to start a daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Start one.
    Due,
    /// One is being started by the process with this id.
    Wait(Option<u32>),
    /// Leave it: the next attempt is not due yet.
    Broken,
}

impl Record {
    fn read(brake: &mut File) -> Self {
        let mut text = String::new();
        // Anything unreadable is no attempt at all.
        if brake.take(256).read_to_string(&mut text).is_err() {
            return Self::default();
        }
        Self::parse(&text).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let at = Time::from_millis(words.next()?.parse().ok()?);
        let attempts = words.next()?.parse().ok()?;
        let mut record = Self { at, attempts, ..Self::default() };
        for word in words {
            match word.split_once('=') {
                None if word == "failed" => record.outcome = Outcome::Failed,
                None if word == "up" => record.outcome = Outcome::Up,
                Some(("rises", n)) => record.rises = n.parse().ok()?,
                Some(("pid", n)) => record.pid = n.parse().ok(),
                // A word of a later release.
                _ => {}
            }
        }
        Some(record)
    }

    fn write(self, brake: &mut File) -> io::Result<()> {
        let outcome = match self.outcome {
            Outcome::Underway => "",
            Outcome::Failed => " failed",
            Outcome::Up => " up",
        };
        let pid = self.pid.map(|pid| format!(" pid={pid}")).unwrap_or_default();
        let (at, attempts, rises) = (self.at.millis(), self.attempts, self.rises);
        let text = format!("{at} {attempts}{outcome} rises={rises}{pid}\n");
        brake.rewind()?;
        brake.set_len(0)?;
        brake.write_all(text.as_bytes())
    }

    /// The record without what no longer counts: attempts that are old, or that a clock that went
    /// back puts into the future.
    fn settled(self, now: Time) -> Self {
        let age = now.millis().saturating_sub(self.at.millis());
        if (0..FORGOTTEN_MS).contains(&age) { self } else { Self::default() }
    }

    /// Whether a daemon is to be started now.
    pub fn verdict(self, now: Time) -> Verdict {
        let this = self.settled(now);
        if this == Self::default() {
            return Verdict::Due;
        }
        let age = now.millis().saturating_sub(this.at.millis());
        let pause = match this.outcome {
            Outcome::Up if this.rises <= YOUNG_DEATHS => 0,
            Outcome::Up => doubled(this.rises - YOUNG_DEATHS),
            Outcome::Underway => doubled(this.attempts),
            Outcome::Failed => doubled(this.attempts).max(FAILED_PAUSE_MS),
        };
        if age >= pause {
            Verdict::Due
        } else if this.outcome == Outcome::Underway && age < FRESH_MS {
            Verdict::Wait(this.pid)
        } else {
            Verdict::Broken
        }
    }

    /// The record after one more attempt.
    #[must_use]
    pub fn tried(self, now: Time) -> Self {
        let before = self.settled(now);
        Self {
            at: now,
            attempts: before.attempts.saturating_add(1),
            rises: before.rises,
            outcome: Outcome::Underway,
            pid: None,
        }
    }

    /// The record after a daemon came up.
    #[must_use]
    fn risen(self, now: Time) -> Self {
        let rises = self.settled(now).rises.saturating_add(1);
        Self { at: now, attempts: 0, rises, outcome: Outcome::Up, pid: None }
    }
}

/// The pause after the `n`th time in a row, in milliseconds.
fn doubled(n: u32) -> i64 {
    (1_000_i64 << n.saturating_sub(1).min(16)).min(LONGEST_PAUSE_MS)
}

/// The locked file, for as long as an attempt is decided and made.
#[derive(Debug)]
pub struct Brake {
    file: File,
}

impl Brake {
    /// Takes the lock; none when another process has it.
    pub fn take(home: &Home) -> io::Result<Option<Self>> {
        let file = open(home)?;
        Ok(file.try_lock().is_ok().then_some(Self { file }))
    }

    /// What the file says.
    pub fn record(&mut self) -> Record {
        // A file that cannot be read from its beginning says nothing.
        self.file.rewind().ok();
        Record::read(&mut self.file)
    }

    /// Replaces what the file says.
    pub fn write(&mut self, record: Record) -> io::Result<()> {
        record.write(&mut self.file)
    }
}

impl Drop for Brake {
    fn drop(&mut self) {
        // Closing is not enough: a process that is being started right now may hold a copy of the
        // file. Nothing can be done about a failure; the process ends soon.
        self.file.unlock().ok();
    }
}

fn open(home: &Home) -> io::Result<File> {
    files::private_options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(home.brake_file())
}

/// Notes that the daemon of this folder has come up.
///
/// Takes no lock: a stopped process may hold it, and the daemon has the last word anyway.
pub fn mark_up(home: &Home, now: Time) -> io::Result<()> {
    let mut file = open(home)?;
    let record = Record::read(&mut file);
    record.risen(now).write(&mut file)
}

/// Notes that there is nothing to remember: the daemon of this folder has lived long enough, or
/// leaves as it was asked to.
pub fn clear(home: &Home) -> io::Result<()> {
    open(home)?.set_len(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_796_000_000_000;

    fn at(ms: i64) -> Time {
        Time::from_millis(NOW + ms)
    }

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        (folder, home)
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let (_folder, home) = home();
        let mut brake = Brake::take(&home).unwrap().unwrap();
        assert_eq!(brake.record(), Record::default());
        for outcome in [Outcome::Underway, Outcome::Failed, Outcome::Up] {
            let record = Record { at: at(5), attempts: 3, rises: 2, outcome, pid: Some(77) };
            brake.write(record).unwrap();
            assert_eq!(brake.record(), record);
        }
        assert!(Brake::take(&home).unwrap().is_none(), "one at a time");
        drop(brake);
        for text in ["", "x y", "12", "12 -1", "\u{0}\u{0}"] {
            std::fs::write(home.brake_file(), text).unwrap();
            assert_eq!(Brake::take(&home).unwrap().unwrap().record(), Record::default(), "{text}");
        }
    }

    #[test]
    fn s1_a_daemon_that_came_up_or_was_asked_to_stop_may_be_started_at_once() {
        let (_folder, home) = home();
        let tried = Record::default().tried(at(0));
        Brake::take(&home).unwrap().unwrap().write(tried).unwrap();
        assert_eq!(tried.verdict(at(10)), Verdict::Wait(None));
        mark_up(&home, at(20)).unwrap();
        let up = Brake::take(&home).unwrap().unwrap().record();
        assert_eq!((up.attempts, up.rises, up.verdict(at(21))), (0, 1, Verdict::Due));
        // It does not answer, and starting another did not help: not again at once.
        assert_eq!(up.tried(at(21)).verdict(at(22)), Verdict::Wait(None));
        clear(&home).unwrap();
        let left = Brake::take(&home).unwrap().unwrap().record();
        assert_eq!((left, left.verdict(at(30))), (Record::default(), Verdict::Due));
    }

    #[test]
    fn s1_daemons_that_keep_dying_young_are_started_less_and_less() {
        let mut record = Record::default();
        let (mut now, mut starts) = (0, Vec::new());
        while now < 120_000 {
            if record.verdict(at(now)) == Verdict::Due {
                record = record.tried(at(now)).risen(at(now + 5));
                starts.push(now);
            }
            now += 100;
        }
        assert!(starts.len() <= 12, "{starts:?}");
        assert!(starts[..5].iter().all(|ms| *ms <= 500), "{starts:?}");
        let later = record.tried(at(now + FORGOTTEN_MS));
        assert_eq!((later.rises, later.attempts), (0, 1));
    }
}
