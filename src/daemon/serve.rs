//! From the lock to the last checkpoint.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use afterword_domain::Clock;
use afterword_domain::wire::PROTOCOL;
use afterword_domain::wire::daemon::Endpoint;
use afterword_engine::{Engine, Extras, Program};
use afterword_store::Store;
use afterword_store::sqlite::SqliteStore;
use anyhow::{Context as _, bail};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::lock::{self, Lock};
use super::{endpoint, log, losses, platform, spool};
use crate::api::{self, Door, DoorSetup, Machine, Serving};
use crate::assembly;
use crate::config::file::ObserverAuth;
use crate::config::{Config, Home};
use crate::folder::{brake, files};

/// This release.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long an owner of the folder that is coming up or leaving is waited for. One that leaves is
/// gone within 5 s.
const PATIENCE: Duration = Duration::from_secs(6);

/// How long background work may take to come to rest once the daemon is asked to leave.
const REST: Duration = Duration::from_millis(1_500);

/// How long the log of the database may take to be brought into the file at the end. Nothing is
/// lost where it does not: the next start does it.
const CHECKPOINT: Duration = Duration::from_secs(1);

/// A session without an event for this long is over, in milliseconds.
const SESSION_IDLE_MS: i64 = 6 * 60 * 60 * 1000;

/// How the daemon is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// In the background: leaves the caller's session and logs to a file.
    pub detached: bool,
    /// What the viewer may ask of the machine; without it the viewer has no settings.
    pub machine: Option<Arc<dyn Machine>>,
}

/// How the daemon ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It was asked to stop, or had nothing to do for long.
    Stopped,
    /// Another daemon owns the folder.
    AlreadyRunning,
}

/// Runs the daemon of a data folder until it is asked to stop or has been idle for long.
///
/// Errors name what to do: a folder that cannot be written, a database of a newer release.
pub fn run(config: &Config, clock: Arc<dyn Clock>, options: &Options) -> anyhow::Result<Exit> {
    let home = &config.home;
    files::own_folder(home.folder())
        .with_context(|| format!("cannot make the data folder {}", home.folder().display()))?;
    let lock = lock::wait(&home.lock_file(), PATIENCE, || is_in_charge(home));
    let Some(lock) = lock.context("cannot lock the data folder")? else {
        if !home.lock_file().exists() {
            bail!("the data folder {} was deleted meanwhile", home.folder().display());
        }
        // Callers cannot speak to the owner where somebody took the token away.
        endpoint::token(&home.token_file()).context("cannot keep the token")?;
        // Nor where somebody took the address away.
        endpoint::republish(home).context("cannot publish the endpoint")?;
        return Ok(Exit::AlreadyRunning);
    };
    if options.detached {
        platform::detach();
    }
    for folder in [home.logs(), home.spool()] {
        files::own_folder(&folder)?;
    }
    log::begin(&home.logs(), config.env.get("AFTERWORD_LOG"), options.detached);
    let result = serve(config, clock, &Arc::new(lock), options.machine.clone());
    if let Err(error) = &result {
        tracing::error!("{error:#}");
        // Hooks cannot ask a daemon that is not there; they show this to whoever starts a session.
        drop(endpoint::write_private(&home.health_file(), format!("{error:#}\n").as_bytes()));
    }
    result
}

/// Whether the folder's owner has published itself and is to stay.
///
/// A daemon that leaves takes its address away first, and one that is coming up has none yet. What
/// one that was killed has published outlives it, and so, for a moment, does its lock.
fn is_in_charge(home: &Home) -> bool {
    endpoint::published(&home.endpoint_file()).is_some_and(|owner| {
        !owner.gives_way_to(VERSION, PROTOCOL) && platform::is_alive(owner.pid)
    })
}

fn serve(
    config: &Config,
    clock: Arc<dyn Clock>,
    lock: &Arc<Lock>,
    machine: Option<Arc<dyn Machine>>,
) -> anyhow::Result<Exit> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&config.home.database())?);
    let program = Some(Program {
        path: config.home.binary(),
        command: config.home.command(&config.env.user_home()),
    });
    let extras = Extras { program, ..assembly::extras(config, &store, &clock) };
    let settings = assembly::settings(config);
    let engine = Engine::with(Arc::clone(&store), Arc::clone(&clock), settings, extras);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(4)
        .thread_stack_size(1024 * 1024)
        .enable_all()
        .build()?;
    let worked = runtime.block_on(work(config, engine, clock, lock, machine));
    runtime.shutdown_timeout(Duration::from_millis(200));
    worked.map(|()| Exit::Stopped)
}

async fn work(
    config: &Config,
    engine: Arc<Engine>,
    clock: Arc<dyn Clock>,
    lock: &Arc<Lock>,
    machine: Option<Arc<dyn Machine>>,
) -> anyhow::Result<()> {
    let home = &config.home;
    let listener = listen(config.port()).await?;
    let endpoint = Endpoint {
        port: listener.local_addr()?.port(),
        pid: std::process::id(),
        started_at_ms: clock.now().millis(),
        protocol: PROTOCOL,
        version: VERSION.to_owned(),
    };
    let (stop, _) = watch::channel(false);
    let (folder, token_file) = (home.spool(), home.token_file());
    let (hook_log, hook_clock) = (home.logs().join("hook.log"), Arc::clone(&clock));
    let token = endpoint::TokenFile::open(home.token_file()).context("cannot keep the token")?;
    let door = Door::new(DoorSetup {
        engine: Arc::clone(&engine),
        token: Box::new(move || token.current()),
        new_token: Box::new(move || endpoint::new_token(&token_file)),
        observer_is_open: config.file.api.observer_auth == ObserverAuth::Off,
        port: endpoint.port,
        spool: Some(Box::new(move || (spool::count(&folder), spool::count_bad(&folder)))),
        lost: Box::new(move || losses::recent(&hook_log, hook_clock.now())),
        machine,
        stop,
    });
    let worker = tokio::spawn(Arc::clone(&engine).run_worker(door.stopping()));
    let reader = tokio::spawn(Arc::clone(&engine).run_model_worker(door.stopping()));
    let drainer = tokio::spawn(spool::run(
        Arc::clone(&engine),
        Arc::clone(&door),
        home.spool(),
        door.stopping(),
    ));
    let idle = tokio::spawn(leave_when_idle(
        Arc::clone(&door),
        Arc::clone(&clock),
        Duration::from_secs(config.file.daemon.idle_exit_minutes * 60),
    ));
    let signals = tokio::spawn({
        let door = Arc::clone(&door);
        async move {
            api::asked_to_end().await;
            door.stop();
        }
    });
    let router = api::router(Arc::clone(&door));
    let serving = Serving::default();
    let server = tokio::spawn(api::serve(listener, router, door.stopping(), serving));
    endpoint::publish(home, lock, &endpoint).context("cannot publish the endpoint")?;
    // Costs at most that starts are spread out.
    brake::mark_up(home, clock.now()).ok();
    drop(std::fs::remove_file(home.health_file()));
    let settled = tokio::spawn(settle(Arc::clone(&door), home.clone(), Arc::clone(lock)));
    tracing::info!(port = endpoint.port, version = endpoint.version, "ready");
    let before = clock.now().plus_millis(-SESSION_IDLE_MS);
    drop(engine.store().complete_idle_sessions(before).await);
    engine.wake_watchers();
    drop(door.stopping().wait_for(|yes| *yes).await);
    // Nobody finds us any more; whoever has found us is answered.
    endpoint::withdraw(&home.endpoint_file(), &endpoint);
    brake::clear(home).ok();
    drop(server.await);
    leave(&engine, [worker, reader, drainer]).await;
    for task in [idle, signals, settled] {
        task.abort();
    }
    tracing::info!("stopped");
    Ok(())
}

/// What is to be done when the daemon has lived for a while: its start is forgotten, and it leaves
/// if it came up in a folder that was just being deleted.
async fn settle(door: Arc<Door>, home: Home, lock: Arc<Lock>) {
    tokio::time::sleep(brake::SETTLED).await;
    if lock.is_of(&home.lock_file()) {
        brake::clear(&home).ok();
    } else {
        tracing::warn!("the data folder is gone");
        door.stop();
    }
}

/// Brings background work and the database to rest; each step comes whatever the others did.
async fn leave(engine: &Engine, tasks: [JoinHandle<()>; 3]) {
    let deadline = tokio::time::Instant::now() + REST;
    for task in tasks {
        if tokio::time::timeout_at(deadline, task).await.is_err() {
            tracing::warn!("background work did not come to rest and is cut off");
        }
    }
    match tokio::time::timeout(CHECKPOINT, engine.store().checkpoint()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the database was left with its log"),
        Err(_) => tracing::warn!("the database was left with its log"),
    }
}

/// Listens on the wished port, or on any when somebody else holds it.
async fn listen(port: u16) -> anyhow::Result<TcpListener> {
    let at = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match TcpListener::bind(at(port)).await {
        Ok(listener) => Ok(listener),
        Err(error) => {
            tracing::warn!(port, %error, "the port is taken; another one is published");
            TcpListener::bind(at(0)).await.context("no port on 127.0.0.1 can be opened")
        }
    }
}

/// Stops the daemon after a time without requests. Whatever waits then is kept.
async fn leave_when_idle(door: Arc<Door>, clock: Arc<dyn Clock>, idle: Duration) {
    if idle.is_zero() {
        return;
    }
    loop {
        let quiet = clock.now().millis() - door.last_request_ms();
        let quiet = Duration::from_millis(u64::try_from(quiet).unwrap_or(0));
        match idle.checked_sub(quiet) {
            Some(rest) if !rest.is_zero() => tokio::time::sleep(rest).await,
            _ => {
                tracing::info!("idle");
                door.stop();
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use afterword_domain::memory::Origin;
    use afterword_domain::project::ProjectRef;
    use afterword_domain::wire::memory::RememberRequest;
    use afterword_engine::{Retention, Settings};

    use super::*;
    use crate::config::SystemClock;

    fn engine(folder: &std::path::Path, clock: &Arc<dyn Clock>) -> Arc<Engine> {
        let store = Arc::new(SqliteStore::open(&folder.join("afterword.db")).unwrap());
        let settings = Settings {
            skip_tools: HashSet::new(),
            session_context: true,
            prompt_recall: true,
            file_recall: true,
            retention: Retention::default(),
        };
        Engine::new(store, Arc::clone(clock), settings)
    }

    #[test]
    fn b9_work_that_breaks_or_never_rests_does_not_keep_the_database_from_rest() {
        let folder = tempfile::tempdir().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let engine = engine(folder.path(), &clock);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let project = ProjectRef::named("p");
            let told = RememberRequest { text: "x".into(), project, ..RememberRequest::default() };
            engine.remember(told, Origin::Told).await.unwrap();
            let log = || std::fs::metadata(folder.path().join("afterword.db-wal")).unwrap().len();
            assert!(log() > 0);
            let broken = tokio::spawn(async { panic!("as a test wants it") });
            let restless = tokio::spawn(std::future::pending());
            leave(&engine, [broken, restless, tokio::spawn(async {})]).await;
            assert_eq!(log(), 0, "the database is whole in its file");
        });
    }

    #[test]
    fn b3_b8_it_leaves_after_a_time_without_requests() {
        let folder = tempfile::tempdir().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let setup = DoorSetup {
            engine: engine(folder.path(), &clock),
            token: Box::new(|| "token".into()),
            new_token: Box::new(|| Ok("token".into())),
            observer_is_open: false,
            port: 1,
            spool: Some(Box::new(|| (0, 0))),
            lost: Box::new(|| 0),
            machine: None,
            stop: watch::Sender::new(false),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let door = Door::new(setup);
            let quiet = Duration::from_millis(30);
            let begun = std::time::Instant::now();
            leave_when_idle(Arc::clone(&door), Arc::clone(&clock), Duration::ZERO).await;
            assert!(!*door.stopping().borrow(), "0 means never");
            leave_when_idle(Arc::clone(&door), clock, quiet).await;
            assert!(*door.stopping().borrow());
            // A clock of whole milliseconds may round one away.
            assert!(begun.elapsed() + Duration::from_millis(2) >= quiet);
        });
    }
}
