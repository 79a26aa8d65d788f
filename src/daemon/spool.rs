//! Takes in what hooks left in the spool folder: in order, once, and before newer events.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use afterword_domain::event::Event;
use afterword_domain::wire::spool;
use afterword_engine::{Engine, Error};
use tokio::sync::watch;

use crate::api::{Door, SpoolCount};
use crate::folder::files;

/// Files taken in with one transaction.
const BATCH: usize = 200;

/// How long to wait when the store cannot take events.
const PAUSE: Duration = Duration::from_secs(1);

/// Counts the folder.
pub(super) fn count(folder: &Path) -> SpoolCount {
    let bad = std::fs::read_dir(folder.join(spool::BAD_FOLDER)).map_or(0, Iterator::count);
    SpoolCount { waiting: list(folder).len() as u64, bad: bad as u64 }
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

/// Drains the folder until `stop` turns true: at once, and whenever the door hints.
pub(super) async fn run(
    engine: Arc<Engine>,
    door: Arc<Door>,
    folder: PathBuf,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        let done = drain(&engine, &door, &folder).await;
        door.accept(done);
        if done {
            // A hook that was turned away a moment ago may have spooled since the last look.
            if !list(&folder).is_empty() {
                continue;
            }
            tokio::select! {
                () = door.spool_hinted() => {}
                _ = stop.changed() => return,
            }
        } else {
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                _ = stop.changed() => return,
            }
        }
        if *stop.borrow() {
            return;
        }
    }
}

/// Takes everything in; false when the store would not take it.
async fn drain(engine: &Engine, door: &Door, folder: &Path) -> bool {
    loop {
        let files = list(folder);
        if files.is_empty() {
            return true;
        }
        door.accept(false);
        for batch in files.chunks(BATCH) {
            if let Err(error) = take(engine, folder, batch).await {
                tracing::warn!(%error, "the spool cannot be taken in");
                return false;
            }
        }
    }
}

async fn take(engine: &Engine, folder: &Path, files: &[PathBuf]) -> Result<(), Error> {
    let mut events: Vec<Event> = Vec::with_capacity(files.len());
    let mut taken: Vec<&PathBuf> = Vec::with_capacity(files.len());
    for file in files {
        match std::fs::read(file)
            .map_err(|e| e.to_string())
            .and_then(|bytes| spool::decode(&bytes).map_err(|e| e.to_string()))
        {
            Ok(event) => {
                events.push(event);
                taken.push(file);
            }
            Err(reason) => set_aside(folder, file, &reason),
        }
    }
    if !events.is_empty() {
        engine.intake(events).await?;
    }
    for file in taken {
        drop(std::fs::remove_file(file));
    }
    Ok(())
}

/// Moves a file that cannot be read out of the way, so that it is seen and stops nothing.
fn set_aside(folder: &Path, file: &Path, reason: &str) {
    tracing::error!(file = %file.display(), reason, "a spool file cannot be read and is set aside");
    let bad = folder.join(spool::BAD_FOLDER);
    let moved = files::own_folder(&bad)
        .and_then(|()| std::fs::rename(file, bad.join(file.file_name().unwrap_or_default())));
    if let Err(error) = moved {
        tracing::error!(%error, "the file cannot be set aside");
    }
}
