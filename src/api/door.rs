//! What every route may touch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use std::{fmt, io};

use afterword_domain::proof::same;
use afterword_engine::Engine;
use tokio::sync::{Mutex, MutexGuard, Notify, OwnedSemaphorePermit, Semaphore, watch};

use super::error::{ApiError, ApiResult};
use super::machine::Machine;
use super::sign_in::{self, Links};

/// Most watchers of live events of one person at a time: each holds a connection for as long as it
/// watches.
const WATCHERS: usize = 64;

/// The same of an organisation.
const WATCHERS_OF_MANY: usize = 1_024;

/// What a server is made of.
pub struct DoorSetup {
    /// The rules.
    pub engine: Arc<Engine>,
    /// The secret that callers show, as it is now.
    pub token: Box<dyn Fn() -> Arc<str> + Send + Sync>,
    /// Makes and keeps a new secret.
    pub new_token: Box<dyn Fn() -> io::Result<String> + Send + Sync>,
    /// Whether the observer door needs no token: only by the person's own setting.
    pub observer_is_open: bool,
    /// The port on which this server listens: part of the proof that it knows the secret.
    pub port: u16,
    /// Counts the files in the spool and those that were set aside; none where there is no spool.
    pub spool: Option<Box<dyn Fn() -> (u64, u64) + Send + Sync>>,
    /// Counts the events of the last day that hooks could keep nowhere.
    pub lost: Box<dyn Fn() -> u64 + Send + Sync>,
    /// What the machine knows and the database does not, where this server serves one person.
    pub machine: Option<Arc<dyn Machine>>,
    /// Turns true to stop the server.
    pub stop: watch::Sender<bool>,
}

impl DoorSetup {
    /// For a server of many, which knows its callers by itself: no secret opens this door, no
    /// spool lies behind it, and no machine of a person.
    pub fn shared(engine: Arc<Engine>, stop: watch::Sender<bool>) -> Self {
        let nobodys: Arc<str> = uuid::Uuid::new_v4().to_string().into();
        Self {
            engine,
            token: Box::new(move || Arc::clone(&nobodys)),
            new_token: Box::new(|| Err(io::ErrorKind::Unsupported.into())),
            observer_is_open: false,
            port: 0,
            spool: None,
            lost: Box::new(|| 0),
            machine: None,
            stop,
        }
    }
}

impl fmt::Debug for DoorSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DoorSetup").finish_non_exhaustive()
    }
}

/// The state shared by all routes of one server.
pub struct Door {
    pub(super) engine: Arc<Engine>,
    token: Box<dyn Fn() -> Arc<str> + Send + Sync>,
    new_token: Box<dyn Fn() -> io::Result<String> + Send + Sync>,
    pub(super) observer_is_open: bool,
    pub(super) port: u16,
    pub(super) started_ms: i64,
    spool: Option<Box<dyn Fn() -> (u64, u64) + Send + Sync>>,
    lost: Box<dyn Fn() -> u64 + Send + Sync>,
    spool_waiting: AtomicU64,
    spool_gate: Mutex<()>,
    spool_passes: watch::Sender<u64>,
    stop: watch::Sender<bool>,
    accepting: watch::Sender<bool>,
    spool_hint: Notify,
    last_request_ms: AtomicI64,
    hinted: AtomicBool,
    watchers: Arc<Semaphore>,
    pub(super) links: Links,
    pub(super) machine: Option<Arc<dyn Machine>>,
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door").field("started_ms", &self.started_ms).finish_non_exhaustive()
    }
}

impl Door {
    /// Opens the door. Events are not accepted before [`Self::accept`] is called.
    pub fn new(setup: DoorSetup) -> Arc<Self> {
        let now = setup.engine.clock().now().millis();
        let watchers = if setup.spool.is_some() { WATCHERS } else { WATCHERS_OF_MANY };
        Arc::new(Self {
            engine: setup.engine,
            token: setup.token,
            new_token: setup.new_token,
            observer_is_open: setup.observer_is_open,
            port: setup.port,
            started_ms: now,
            spool: setup.spool,
            lost: setup.lost,
            spool_waiting: AtomicU64::new(0),
            spool_gate: Mutex::new(()),
            spool_passes: watch::Sender::new(0),
            stop: setup.stop,
            accepting: watch::Sender::new(false),
            spool_hint: Notify::new(),
            last_request_ms: AtomicI64::new(now),
            hinted: AtomicBool::new(false),
            watchers: Arc::new(Semaphore::new(watchers)),
            links: Links::default(),
            machine: setup.machine,
        })
    }

    /// The secret that callers show, as it is now.
    pub(super) fn token(&self) -> Arc<str> {
        (self.token)()
    }

    /// Whether a caller shows the secret.
    pub(super) fn knows(&self, shown: &str) -> bool {
        same(shown.as_bytes(), self.token().as_bytes())
    }

    /// Whether a `Cookie` header holds that of a page that was signed in.
    pub(super) fn knows_page(&self, header: &str) -> bool {
        sign_in::cookie_in(header, &sign_in::cookie_name(self.port)).is_some_and(|value| {
            sign_in::is_cookie(value, &self.token(), self.engine.clock().now())
        })
    }

    /// Keeps a new secret; the old one counts no more when this returns.
    pub(super) fn rotate_token(&self) -> io::Result<()> {
        (self.new_token)().map(drop)
    }

    /// Lets live events in, or holds them back while older ones from the spool go first.
    pub fn accept(&self, accepting: bool) {
        self.accepting.send_replace(accepting);
    }

    /// Waits until live events are let in, at most `patience`; says whether they are.
    pub(super) async fn accepts(&self, patience: Duration) -> bool {
        let mut accepting = self.accepting.subscribe();
        if *accepting.borrow() {
            return true;
        }
        tokio::time::timeout(patience, accepting.wait_for(|yes| *yes))
            .await
            .is_ok_and(|r| r.is_ok())
    }

    /// Says that the spool folder may hold something; cheap to call often.
    pub(super) fn hint_spool(&self) {
        if !self.hinted.swap(true, Ordering::AcqRel) {
            self.spool_hint.notify_one();
        }
    }

    /// Waits for such a hint.
    pub async fn spool_hinted(&self) {
        self.spool_hint.notified().await;
        self.hinted.store(false, Ordering::Release);
    }

    /// Held while events move from the spool to the store, and while both are counted: so every
    /// event is counted in one of the two places.
    pub async fn spool_gate(&self) -> MutexGuard<'_, ()> {
        self.spool_gate.lock().await
    }

    /// Says how many events wait in the spool that have been looked at and not taken.
    pub fn set_spool_waiting(&self, n: u64) {
        self.spool_waiting.store(n, Ordering::Release);
    }

    /// Says that everything in the spool has been looked at since the last hint.
    pub fn spool_looked_through(&self) {
        self.spool_passes.send_modify(|passes| *passes += 1);
    }

    /// Waits until what lies in the spool now has been looked at, at most `patience`; says whether
    /// it has.
    pub(super) async fn look_through_spool(&self, patience: Duration) -> bool {
        if self.spool.is_none() {
            return true;
        }
        let mut passes = self.spool_passes.subscribe();
        self.hint_spool();
        tokio::time::timeout(patience, passes.changed()).await.is_ok_and(|seen| seen.is_ok())
    }

    /// Events of the last day that hooks could keep nowhere.
    pub(super) fn lost(&self) -> u64 {
        (self.lost)()
    }

    /// Events in the spool that have been looked at and not taken.
    pub fn spool_waiting(&self) -> u64 {
        self.spool_waiting.load(Ordering::Acquire)
    }

    pub(super) fn spool_files(&self) -> u64 {
        self.spool.as_ref().map_or(0, |count| count().0)
    }

    pub(super) fn spool_bad(&self) -> u64 {
        self.spool.as_ref().map_or(0, |count| count().1)
    }

    /// Notes that somebody asked something.
    pub fn touch(&self) {
        self.last_request_ms.store(self.engine.clock().now().millis(), Ordering::Relaxed);
    }

    /// When somebody last asked something, milliseconds since the epoch.
    pub fn last_request_ms(&self) -> i64 {
        self.last_request_ms.load(Ordering::Relaxed)
    }

    /// Room for one more watcher, for as long as the answer lives.
    pub(super) fn watcher(&self) -> ApiResult<OwnedSemaphorePermit> {
        Arc::clone(&self.watchers).try_acquire_owned().map_err(|_| ApiError::crowded())
    }

    /// How many watch live events.
    pub(super) fn watching(&self) -> usize {
        WATCHERS - self.watchers.available_permits()
    }

    /// Asks the server to stop.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Turns true when the server is to stop.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }
}
