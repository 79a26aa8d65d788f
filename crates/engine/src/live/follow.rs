//! One watcher's way through the log of changes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use afterword_domain::wire::live::LiveMessage;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep, sleep_until};

use super::signal::Queued;
use super::tell::Names;
use crate::{Engine, Result};

/// Changes that are read at a time.
const PAGE: usize = 100;

/// How often the log is looked at where nobody said that it grew.
const LOOK: Duration = Duration::from_secs(15);

/// How often it is said at most whether anything waits.
const STATUS: Duration = Duration::from_millis(200);

/// Where a watcher begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// With what happens from now on.
    #[default]
    Now,
    /// With what happened after the event of this id.
    After(i64),
    /// After something that is no id: nothing can be told of what was missed.
    Unknown,
}

/// A message and its id; what is not kept has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveEvent {
    /// Its place in the log.
    pub id: Option<i64>,
    /// What happened.
    pub message: LiveMessage,
}

impl LiveEvent {
    fn passing(message: LiveMessage) -> Self {
        Self { id: None, message }
    }
}

/// Follows what happens. Holds nothing up: it reads when it is asked, and where it has fallen so
/// far behind that the log does not reach back, it is told so.
#[derive(Debug)]
pub struct Follower {
    engine: Arc<Engine>,
    after: i64,
    pending: VecDeque<LiveEvent>,
    names: Names,
    /// The log may hold more.
    behind: bool,
    changes: watch::Receiver<u64>,
    work: watch::Receiver<u64>,
    queued: broadcast::Receiver<Queued>,
    status: StatusTold,
}

/// What was last said of whether anything waits, and when it may be said again.
#[derive(Debug, Default)]
struct StatusTold {
    last: Option<(bool, u64)>,
    due: Option<Instant>,
    next: Option<Instant>,
}

impl Engine {
    /// The id of the newest live event; 0 where none was ever told.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub async fn last_event_id(&self) -> Result<i64> {
        Ok(self.store.live_changes(None, 0).await?.last)
    }

    /// Follows what happens from a place on. The first messages say how things stand.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub async fn follow(self: &Arc<Self>, place: Place) -> Result<Follower> {
        // Before the log is looked at: what comes in between is not overlooked.
        let (changes, work) = (self.live.watch_changes(), self.live.watch_work());
        let queued = self.live.watch_queued();
        let last = self.last_event_id().await?;
        let mut follower = Follower {
            engine: Arc::clone(self),
            after: last,
            pending: VecDeque::new(),
            names: Names::default(),
            behind: false,
            changes,
            work,
            queued,
            status: StatusTold { due: Some(Instant::now()), ..StatusTold::default() },
        };
        follower.tell_how_things_stand().await?;
        match place {
            Place::Now => {}
            Place::After(after) => {
                follower.after = after;
                follower.behind = true;
            }
            Place::Unknown => follower.tell_missed(None, last),
        }
        Ok(follower)
    }
}

impl Follower {
    /// The next message, whenever it comes. Where this is dropped before it is done, nothing is
    /// lost.
    ///
    /// # Errors
    ///
    /// The store cannot be read; what was told so far stays told.
    pub async fn next(&mut self) -> Result<LiveEvent> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                return Ok(event);
            }
            if self.behind {
                self.read_on().await?;
                continue;
            }
            let status_due = self.status.due;
            let due = async {
                match status_due {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                _ = self.changes.changed() => self.behind = true,
                queued = self.queued.recv() => self.tell_queued(queued).await?,
                () = due => self.tell_status().await?,
                _ = self.work.changed(), if status_due.is_none() => self.status_may_differ(),
                () = sleep(LOOK) => self.behind = true,
            }
        }
    }

    /// Reads a part of the log.
    async fn read_on(&mut self) -> Result<()> {
        self.changes.mark_unchanged();
        let log = self.engine.store.live_changes(Some(self.after), PAGE).await?;
        if log.lost {
            self.tell_missed(Some(self.after), log.last);
            self.behind = false;
            return Ok(());
        }
        self.behind = log.changes.len() == PAGE;
        if let Some(last) = log.changes.last() {
            let told = self.engine.tell(&log.changes, &mut self.names).await?;
            self.pending
                .extend(told.into_iter().map(|(id, m)| LiveEvent { id: Some(id), message: m }));
            self.after = last.id;
        }
        Ok(())
    }

    fn tell_missed(&mut self, after: Option<i64>, last: i64) {
        self.after = last;
        let message = LiveMessage::Missed { after, resume_from: last };
        self.pending.push_back(LiveEvent { id: Some(last), message });
    }

    async fn tell_how_things_stand(&mut self) -> Result<()> {
        let timestamp = self.engine.clock.now().millis();
        self.pending.push_back(LiveEvent::passing(LiveMessage::Connected { timestamp }));
        let load = self.engine.initial_load().await?;
        self.pending.push_back(LiveEvent::passing(load));
        Ok(())
    }

    async fn tell_queued(
        &mut self,
        queued: std::result::Result<Queued, broadcast::error::RecvError>,
    ) -> Result<()> {
        // Of too many at once the rest is missed, which only makes a sign blink less.
        let Ok(queued) = queued else { return Ok(()) };
        let project = self.engine.project_name(queued.project_id, &mut self.names).await?;
        self.pending.push_back(LiveEvent::passing(LiveMessage::ObservationQueued {
            session_db_id: queued.session_id,
            project_id: queued.project_id,
            project,
        }));
        Ok(())
    }

    fn status_may_differ(&mut self) {
        let now = Instant::now();
        self.status.due = Some(self.status.next.map_or(now, |next| next.max(now)));
    }

    async fn tell_status(&mut self) -> Result<()> {
        self.status.due = None;
        self.status.next = Some(Instant::now() + STATUS);
        let waiting = self.engine.store.counts().await?.waiting;
        let now = (waiting > 0 || self.engine.live.is_busy(), waiting);
        if self.status.last.replace(now) != Some(now) {
            let (is_processing, queue_depth) = now;
            let message = LiveMessage::ProcessingStatus { is_processing, queue_depth };
            self.pending.push_back(LiveEvent::passing(message));
        }
        Ok(())
    }
}
