//! One engine for each organisation that is asked for, and one for each project that a token is
//! bound to: made when it is wanted first, bounded in number, given up when nobody asks any more.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use afterword_domain::Clock;
use afterword_engine::{Engine, Extras, Settings};
use afterword_store::Store;
use afterword_store::contract::{JobStore as _, TenantId};
use afterword_store::postgres::PostgresPool;
use axum::Router;
use axum::http::StatusCode;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::api::{self, ApiError, ApiResult, Door, DoorSetup};

/// Engines at a time: each is small, but each has workers that look after its organisation.
const MOST: usize = 256;

/// How long one stays that nobody asks, in milliseconds.
const IDLE_MS: i64 = 15 * 60_000;

/// How long workers may take to come to rest once the server is to stop.
const REST: Duration = Duration::from_secs(10);

/// An organisation, and the project that a token is bound to.
type Key = (TenantId, Option<i64>);

/// Makes extras for the store of an organisation.
pub(super) type MakeExtras = dyn Fn(&Arc<dyn Store>) -> Extras + Send + Sync;

/// The engines of a server.
pub(super) struct Engines {
    pool: PostgresPool,
    clock: Arc<dyn Clock>,
    settings: Settings,
    extras: Box<MakeExtras>,
    seats: Mutex<Seats>,
}

#[derive(Default)]
struct Seats {
    by_key: HashMap<Key, Seat>,
    /// Workers of engines that were given up and that finish what they have begun.
    leaving: Vec<JoinHandle<()>>,
    closed: bool,
}

struct Seat {
    engine: Arc<Engine>,
    door: Arc<Door>,
    router: Router,
    workers: Vec<JoinHandle<()>>,
}

impl Engines {
    pub(super) fn new(
        pool: PostgresPool,
        clock: Arc<dyn Clock>,
        settings: Settings,
        extras: Box<MakeExtras>,
    ) -> Self {
        Self { pool, clock, settings, extras, seats: Mutex::default() }
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.seats().by_key.len()
    }

    /// The routes over what a caller reaches.
    pub(super) fn router(&self, tenant: TenantId, project: Option<i64>) -> ApiResult<Router> {
        let mut seats = self.seats();
        let seat = self.seat(&mut seats, (tenant, project)).ok_or_else(stopping)?;
        Ok(seat.router.clone())
    }

    /// The rules over what a caller reaches.
    pub(super) fn engine(&self, tenant: TenantId, project: Option<i64>) -> ApiResult<Arc<Engine>> {
        let mut seats = self.seats();
        let seat = self.seat(&mut seats, (tenant, project)).ok_or_else(stopping)?;
        seat.door.touch();
        Ok(Arc::clone(&seat.engine))
    }

    /// The seat of a key, made where there is none; none at all where the server stops. That of a
    /// bound project rests on its organisation's, which is kept with it.
    fn seat<'a>(&self, seats: &'a mut Seats, key: Key) -> Option<&'a Seat> {
        let (tenant, project) = key;
        let whole = match project {
            Some(_) => Some(Arc::clone(&self.seat(seats, (tenant, None))?.door)),
            None => None,
        };
        if let Some(whole) = &whole {
            whole.touch();
        }
        if !seats.by_key.contains_key(&key) {
            if seats.closed {
                return None;
            }
            if seats.by_key.len() >= MOST {
                seats.make_room(tenant);
            }
            let made = match project {
                None => self.whole(tenant),
                Some(project) => {
                    self.part(&seats.by_key.get(&(tenant, None))?.engine, key.0, project)
                }
            };
            seats.by_key.insert(key, made);
        }
        seats.by_key.get(&key)
    }

    fn whole(&self, tenant: TenantId) -> Seat {
        let store: Arc<dyn Store> = Arc::new(self.pool.tenant(tenant));
        let extras = (self.extras)(&store);
        let engine = Engine::with(store, Arc::clone(&self.clock), self.settings.clone(), extras);
        let mut seat = Seat::of(engine);
        seat.workers = vec![
            tokio::spawn(Arc::clone(&seat.engine).run_worker(seat.door.stopping())),
            tokio::spawn(Arc::clone(&seat.engine).run_model_worker(seat.door.stopping())),
        ];
        seat
    }

    fn part(&self, whole: &Engine, tenant: TenantId, project: i64) -> Seat {
        Seat::of(whole.beside(Arc::new(self.pool.tenant(tenant).within(project))))
    }

    /// Something changed for an organisation, on whichever server: whoever watches looks, and its
    /// workers do. They are made where nobody has asked for them yet.
    pub(super) fn heard(&self, tenant: TenantId) {
        let mut seats = self.seats();
        for (_, seat) in seats.by_key.iter().filter(|((of, _), _)| *of == tenant) {
            seat.engine.wake_watchers();
        }
        if let Some(seat) = self.seat(&mut seats, (tenant, None)) {
            seat.engine.wake_workers();
        }
    }

    /// Anything may have changed.
    pub(super) fn heard_nothing(&self) {
        for seat in self.seats().by_key.values() {
            seat.engine.wake_watchers();
            seat.engine.wake_workers();
        }
    }

    /// Gives up what nobody has asked for long; whoever watches asks with every heartbeat.
    pub(super) fn sweep(&self) {
        let before = self.clock.now().millis() - IDLE_MS;
        let mut seats = self.seats();
        let idle = seats.by_key.iter().filter(|(_, seat)| seat.door.last_request_ms() < before);
        let idle: Vec<Key> = idle.map(|(key, _)| *key).collect();
        for key in idle {
            seats.give_up(key);
        }
        seats.leaving.retain(|task| !task.is_finished());
    }

    /// Has whoever watches leave, so that connections come to an end. Workers finish their job.
    pub(super) fn end_streams(&self) {
        for seat in self.seats().by_key.values() {
            seat.door.stop();
        }
    }

    /// Brings every worker to rest and gives back what it had claimed and not finished.
    pub(super) async fn close(&self) {
        let (tenants, tasks) = {
            let mut seats = self.seats();
            seats.closed = true;
            let keys: Vec<Key> = seats.by_key.keys().copied().collect();
            for key in &keys {
                seats.give_up(*key);
            }
            let tenants = keys.into_iter().filter(|(_, project)| project.is_none());
            (tenants.map(|(tenant, _)| tenant), std::mem::take(&mut seats.leaving))
        };
        let deadline = Instant::now() + REST;
        for task in tasks {
            let abort = task.abort_handle();
            if timeout_at(deadline, task).await.is_err() {
                tracing::warn!("background work did not come to rest and is cut off");
                abort.abort();
            }
        }
        for tenant in tenants {
            if let Err(error) = self.pool.tenant(tenant).release_claimed_jobs().await {
                // They are given back when our connection is gone.
                tracing::warn!(%error, "claimed jobs cannot be given back");
            }
        }
    }
}

impl Seat {
    /// Without workers.
    fn of(engine: Arc<Engine>) -> Self {
        let (stop, _) = watch::channel(false);
        let door = Door::new(DoorSetup::shared(Arc::clone(&engine), stop));
        door.accept(true);
        let router = api::shared_router(Arc::clone(&door));
        Self { engine, door, router, workers: Vec::new() }
    }
}

impl Seats {
    /// Gives up the seat, and those that rest on it, that was not asked for longest; not one of
    /// `keep`.
    fn make_room(&mut self, keep: TenantId) {
        let others = self.by_key.iter().filter(|((tenant, _), _)| *tenant != keep);
        let quietest = others.min_by_key(|(_, seat)| seat.door.last_request_ms());
        if let Some((tenant, project)) = quietest.map(|(key, _)| *key) {
            let parts = self.by_key.keys().filter(|key| key.0 == tenant && project.is_none());
            let mut gone: Vec<Key> = parts.copied().collect();
            gone.push((tenant, project));
            for key in gone {
                self.give_up(key);
            }
        }
    }

    fn give_up(&mut self, key: Key) {
        if let Some(seat) = self.by_key.remove(&key) {
            seat.door.stop();
            self.leaving.extend(seat.workers);
        }
    }
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engines").field("count", &self.count()).finish_non_exhaustive()
    }
}

fn stopping() -> ApiError {
    ApiError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "stopping",
        "the server is about to stop",
        Some("try again: another server takes over"),
    )
}
