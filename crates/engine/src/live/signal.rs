//! Waking those who watch.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{broadcast, watch};

use crate::Engine;

/// Tool uses told to a watcher that is behind before it misses some of them.
const PASSING: usize = 256;

/// A tool use that waits to be distilled: told to who watches now, and kept nowhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub(super) project_id: i64,
    pub(super) session_id: i64,
}

/// What wakes watchers.
#[derive(Debug)]
pub(crate) struct Live {
    /// Counts how often the log of changes may have grown.
    changes: watch::Sender<u64>,
    /// Counts how often work came or was done.
    work: watch::Sender<u64>,
    queued: broadcast::Sender<Queued>,
    /// Turns that are worked on now.
    busy: AtomicUsize,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            changes: watch::Sender::new(0),
            work: watch::Sender::new(0),
            queued: broadcast::Sender::new(PASSING),
            busy: AtomicUsize::new(0),
        }
    }
}

impl Live {
    /// The log of changes may have grown.
    pub(crate) fn changed(&self) {
        self.changes.send_modify(|times| *times += 1);
    }

    /// A tool use waits to be distilled.
    pub(crate) fn queued(&self, project_id: i64, session_id: i64) {
        // Nobody watching is no error.
        drop(self.queued.send(Queued { project_id, session_id }));
        self.work_changed();
    }

    /// There may be more or less to distil than before.
    pub(crate) fn work_changed(&self) {
        self.work.send_modify(|times| *times += 1);
    }

    /// Something is worked on for as long as the answer lives.
    pub(crate) fn begin_work(&self) -> Busy<'_> {
        self.busy.fetch_add(1, Ordering::AcqRel);
        self.work_changed();
        Busy(self)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire) > 0
    }

    pub(super) fn watch_changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(super) fn watch_work(&self) -> watch::Receiver<u64> {
        self.work.subscribe()
    }

    pub(super) fn watch_queued(&self) -> broadcast::Receiver<Queued> {
        self.queued.subscribe()
    }
}

/// Held while something is worked on.
#[derive(Debug)]
pub(crate) struct Busy<'a>(&'a Live);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
        self.0.work_changed();
    }
}

impl Engine {
    /// Makes everybody who watches look at the store's log of changes: for changes that another
    /// process has made.
    pub fn wake_watchers(&self) {
        self.live.changed();
    }
}
