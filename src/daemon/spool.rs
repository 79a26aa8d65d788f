//! Takes in what hooks left in the spool folder: in order, once, and before newer events.
//!
//! A file goes when its event is in the database; a crash in between repeats the event, which is
//! then known. What is no event is set aside in `bad`. A file that the system does not let us read
//! now stays, is looked at again later, and stops nothing else. What a hook wrote and was ended before
//! it could finish (a disk that took too long, a kill) is taken in too.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use afterword_domain::Time;
use afterword_domain::event::Event;
use afterword_domain::wire::spool;
use afterword_engine::{Engine, Error};
use tokio::sync::watch;

use crate::api::Door;
use crate::folder::files;

/// Files taken in with one transaction.
const BATCH: usize = 200;

/// Most bytes of a file that may hold an event; hooks cut events to far less.
const FILE_BYTES: usize = 16 * 1024 * 1024;

/// How old a file is that no hook will finish any more, in milliseconds: hooks end within seconds.
const ABANDONED_MS: i64 = 15_000;

/// How long to wait when the store cannot take events.
const REFUSED_PAUSE: Duration = Duration::from_secs(1);

/// How long to wait before a file is tried again that the system did not let us read.
const UNREADABLE_PAUSE: Duration = Duration::from_secs(30);

/// Counts the files that wait.
pub(super) fn count(folder: &Path) -> u64 {
    list(folder).len() as u64
}

/// Complete files, oldest first.
fn list(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(spool::ENDING))
        .collect();
    files.sort();
    files
}

/// Gives the files that hooks have left behind unfinished the names of finished ones: whole ones
/// are then taken in, torn ones set aside.
fn adopt(folder: &Path, now: Time) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if !path.to_string_lossy().ends_with(spool::UNFINISHED) || !is_abandoned(&path, now) {
            continue;
        }
        let name = match read(&path) {
            Read::Event(event) => spool::file_name(event.at, event.uid),
            Read::Bad(_) => spool::file_name(now, uuid::Uuid::now_v7()),
            Read::NotNow(_) | Read::Gone => continue,
        };
        match std::fs::rename(&path, folder.join(name)) {
            Ok(()) => {
                tracing::warn!(file = %path.display(), "a hook was ended while it wrote this");
            }
            Err(error) => tracing::warn!(file = %path.display(), %error, "cannot be taken in"),
        }
    }
}

fn is_abandoned(file: &Path, now: Time) -> bool {
    let changed = std::fs::metadata(file).and_then(|meta| meta.modified());
    let since = changed.ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let at = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    at.is_some_and(|at| now.millis().saturating_sub(at) > ABANDONED_MS)
}

/// Counts the files that were set aside.
pub(super) fn count_bad(folder: &Path) -> u64 {
    std::fs::read_dir(folder.join(spool::BAD_FOLDER)).map_or(0, |files| files.count() as u64)
}

/// Drains the folder until `stop` turns true: at once, and whenever the door hints.
pub(super) async fn run(
    engine: Arc<Engine>,
    door: Arc<Door>,
    folder: PathBuf,
    mut stop: watch::Receiver<bool>,
) {
    let mut drain = Drain { engine, door, folder, taken: HashSet::new() };
    loop {
        let rest = drain.pass().await;
        drain.door.accept(!matches!(rest, Rest::Refused));
        // A hook that was turned away a moment ago may have spooled since the last look.
        if matches!(rest, Rest::Nothing) && !drain.list().is_empty() {
            continue;
        }
        drain.door.spool_looked_through();
        let door = &drain.door;
        let pause = match rest {
            Rest::Nothing => Duration::MAX,
            Rest::Unreadable => UNREADABLE_PAUSE,
            Rest::Refused => REFUSED_PAUSE,
        };
        tokio::select! {
            // A store that refuses is not asked at every hint.
            () = door.spool_hinted(), if !matches!(rest, Rest::Refused) => {}
            () = tokio::time::sleep(pause), if pause != Duration::MAX => {}
            _ = stop.wait_for(|yes| *yes) => return,
        }
    }
}

/// What a pass left in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// Nothing.
    Nothing,
    /// Files that cannot be read now.
    Unreadable,
    /// Events that the store would not take.
    Refused,
}

struct Drain {
    engine: Arc<Engine>,
    door: Arc<Door>,
    folder: PathBuf,
    /// Files whose event is stored and that could not be deleted.
    taken: HashSet<PathBuf>,
}

impl Drain {
    /// Complete files that have not been taken, oldest first.
    fn list(&self) -> Vec<PathBuf> {
        let mut files = list(&self.folder);
        files.retain(|file| !self.taken.contains(file));
        files
    }

    /// Takes everything in that can be.
    async fn pass(&mut self) -> Rest {
        self.taken.retain(|file| !is_gone(file));
        adopt(&self.folder, self.engine.clock().now());
        let mut unreadable: HashSet<PathBuf> = HashSet::new();
        loop {
            let mut files = self.list();
            files.retain(|file| !unreadable.contains(file));
            if files.is_empty() {
                break;
            }
            self.door.accept(false);
            let mut waiting = files.len();
            for batch in files.chunks(BATCH) {
                let door = Arc::clone(&self.door);
                let moving = door.spool_gate().await;
                self.door.set_spool_waiting((unreadable.len() + waiting) as u64);
                match self.take(batch).await {
                    Ok(left) => unreadable.extend(left),
                    Err(error) => {
                        tracing::warn!(%error, "the spool cannot be taken in");
                        return Rest::Refused;
                    }
                }
                waiting -= batch.len();
                self.door.set_spool_waiting((unreadable.len() + waiting) as u64);
                drop(moving);
            }
        }
        self.door.set_spool_waiting(unreadable.len() as u64);
        if unreadable.is_empty() { Rest::Nothing } else { Rest::Unreadable }
    }

    /// Takes some files in, all with one transaction; gives those that could not be read.
    async fn take(&mut self, files: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
        let mut events: Vec<Event> = Vec::with_capacity(files.len());
        let mut taken: Vec<&PathBuf> = Vec::with_capacity(files.len());
        let mut unreadable = Vec::new();
        for file in files {
            match read(file) {
                Read::Event(event) => {
                    events.push(*event);
                    taken.push(file);
                }
                Read::Gone => {}
                Read::Bad(reason) if set_aside(&self.folder, file, &reason) => {}
                Read::Bad(_) => unreadable.push(file.clone()),
                Read::NotNow(error) => {
                    tracing::warn!(file = %file.display(), %error, "a spool file cannot be read now");
                    unreadable.push(file.clone());
                }
            }
        }
        if !events.is_empty() {
            self.engine.intake(events).await?;
        }
        for file in taken {
            if !is_gone(file) {
                tracing::warn!(file = %file.display(), "a spool file cannot be deleted");
                self.taken.insert(file.clone());
            }
        }
        Ok(unreadable)
    }
}

/// What a file holds.
enum Read {
    Event(Box<Event>),
    /// Nothing that can be read, ever.
    Bad(String),
    /// The system does not let us read it now.
    NotNow(std::io::Error),
    /// It is not there any more.
    Gone,
}

fn read(file: &Path) -> Read {
    match files::read_bounded(file, FILE_BYTES) {
        Ok(bytes) => match spool::decode(&bytes) {
            Ok(event) => Read::Event(Box::new(event)),
            Err(error) => Read::Bad(error.to_string()),
        },
        Err(error) => match error.kind() {
            ErrorKind::NotFound => Read::Gone,
            ErrorKind::FileTooLarge | ErrorKind::IsADirectory | ErrorKind::InvalidInput => {
                Read::Bad(error.to_string())
            }
            _ => Read::NotNow(error),
        },
    }
}

/// Deletes a file; whether it is not there any more.
fn is_gone(file: &Path) -> bool {
    match std::fs::remove_file(file) {
        Ok(()) => true,
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}

/// Moves what is no event out of the way, so that it is seen and stops nothing; false where the
/// system does not let us.
fn set_aside(folder: &Path, file: &Path, reason: &str) -> bool {
    tracing::error!(file = %file.display(), reason, "a spool file holds no event and is set aside");
    let bad = folder.join(spool::BAD_FOLDER);
    let moved = files::own_folder(&bad)
        .and_then(|()| std::fs::rename(file, bad.join(file.file_name().unwrap_or_default())));
    if let Err(error) = &moved {
        tracing::error!(%error, "the file cannot be set aside");
    }
    moved.is_ok()
}

#[cfg(test)]
#[path = "tests/spool.rs"]
mod tests;
