//! From the database to the last answer.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use afterword_domain::Clock;
use afterword_domain::team::Role;
use afterword_engine::Extras;
use afterword_engine::vectors::Embeddings;
use afterword_store::contract::AccountStore as _;
use afterword_store::postgres::{PostgresOptions, PostgresPool};
use anyhow::{Context as _, anyhow};
use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;
use uuid::Uuid;

use super::accounts;
use super::door::{self, Callers, Limits, Origins};
use super::engines::Engines;
use super::metrics::Metrics;
use super::secret::Secret;
use super::state::Team;
use super::tell::Teller;
use super::{log, mcp, routes, tls, work};
use crate::api::{self, Serving, asked_to_end};
use crate::assembly::{self, SharedSource};
use crate::config::Config;

/// The names of the first organisation and of its first member.
const FIRST: [&str; 2] = ["default", "admin"];

/// Most connections at a time; more wait to be accepted.
const CONNECTIONS: usize = 4_096;

/// How long requests may take to finish once the server is to stop.
const GRACE: Duration = Duration::from_secs(10);

/// How long a connection may take none of what is written to it.
const UNREAD: Duration = Duration::from_secs(30);

/// How the server is run: as the settings say, where nothing is said here.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The database.
    pub database_url: String,
    /// Address and port.
    pub listen: Option<String>,
    /// Files of the certificates and of the private key, in PEM.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Proxies whose word on their callers counts.
    pub trusted_proxies: Vec<String>,
    /// Names that the server answers to.
    pub hosts: Vec<String>,
}

/// What a person who starts the server is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// The database was empty: this token is shown once, and may do everything in the first
    /// organisation.
    FirstToken {
        /// The organisation's name.
        organisation: String,
        /// The member's name.
        member: String,
        /// The token's id.
        id: Uuid,
        /// The secret.
        token: String,
    },
    /// Requests are answered.
    Listening {
        /// Where.
        address: SocketAddr,
        /// Whether connections are encrypted.
        tls: bool,
    },
}

/// Serves until the system asks the process to end; then finishes what is in flight and gives back
/// what was claimed.
///
/// # Errors
///
/// What keeps the server from starting, and what to do about it.
pub fn run(
    config: &Config,
    clock: Arc<dyn Clock>,
    options: &Options,
    announce: &mut dyn FnMut(Announcement),
) -> anyhow::Result<()> {
    log::begin(config.env.get("AFTERWORD_LOG"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(config, clock, options, announce));
    runtime.shutdown_timeout(Duration::from_millis(500));
    if let Err(error) = &served {
        tracing::error!("{error:#}");
    }
    served
}

async fn serve(
    config: &Config,
    clock: Arc<dyn Clock>,
    options: &Options,
    announce: &mut dyn FnMut(Announcement),
) -> anyhow::Result<()> {
    let set = &config.file.server;
    let tls = match encryption(config, options)? {
        Some((certificates, key)) => Some(tls::acceptor(&certificates, &key)?),
        None => None,
    };
    let origins = origins(config, options, tls.is_some())?;
    let postgres = PostgresOptions {
        tells: true,
        connections: set.database_connections.max(2),
        ..PostgresOptions::default()
    };
    let pool = PostgresPool::connect(&options.database_url, &postgres).await?;
    let listener = listen(config, options).await?;
    let address = listener.local_addr()?;
    if tls.is_none() && !address.ip().is_loopback() && origins.proxies.is_empty() {
        tracing::warn!(
            "tokens travel without encryption: give --tls-cert and --tls-key, or name the proxy \
             that encrypts with --trusted-proxy"
        );
    }
    if let Some(first) = first_token(&pool, &*clock).await? {
        announce(first);
    }
    let notices = pool.listen().await?;
    let engines = Arc::new(engines(config, &pool, &clock));
    let teller = Teller { pool: pool.clone(), clock: Arc::clone(&clock) };
    let team = Arc::new(Team {
        callers: Callers::new(pool.clone(), Arc::clone(&clock)),
        limits: Limits::new(set.requests_per_minute),
        metrics: Metrics::new(),
        origins,
        tools: mcp::router(Arc::clone(&engines), teller.clone()),
        engines,
        teller,
        accounts: routes::router(pool.clone(), Arc::clone(&clock)),
        metrics_token: config.env.get("AFTERWORD_METRICS_TOKEN").map(str::to_owned),
        stopping: AtomicBool::new(false),
        pool,
        clock,
    });
    let (stop, stopping) = watch::channel(false);
    let encrypted = tls.is_some();
    let serving = Serving { connections: CONNECTIONS, grace: GRACE, unread: UNREAD, tls };
    let router = Router::new().fallback(door::answer).with_state(Arc::clone(&team));
    let server = tokio::spawn(api::serve(listener, router, stopping.clone(), serving));
    let worker = tokio::spawn(work::run(Arc::clone(&team), notices, set.audit_days, stopping));
    tracing::info!(%address, tls = encrypted, version = env!("CARGO_PKG_VERSION"), "ready");
    announce(Announcement::Listening { address, tls: encrypted });
    asked_to_end().await;
    tracing::info!("asked to leave");
    team.stopping.store(true, Ordering::Release);
    stop.send_replace(true);
    team.engines.end_streams();
    // What was begun is answered first, and then nothing new comes to be worked on.
    drop(server.await);
    team.engines.close().await;
    drop(worker.await);
    tracing::info!("stopped");
    Ok(())
}

/// A token for whoever has started the first server on an empty database.
async fn first_token(
    pool: &PostgresPool,
    clock: &dyn Clock,
) -> anyhow::Result<Option<Announcement>> {
    let [organisation, member] = FIRST;
    let secret = Secret::make()?;
    let token = accounts::wanted(&secret, member, Role::Admin, None, None);
    let made = pool.first_organisation(organisation, &token, clock.now()).await?;
    Ok(made.map(|made| Announcement::FirstToken {
        organisation: made.name,
        member: member.to_owned(),
        id: token.id,
        token: secret.text().to_owned(),
    }))
}

fn engines(config: &Config, pool: &PostgresPool, clock: &Arc<dyn Clock>) -> Engines {
    // A model in this process is loaded once, whoever asks for it.
    let mut embeddings = assembly::embeddings(config);
    embeddings.source = embeddings.source.map(|source| Arc::new(SharedSource::new(source)) as _);
    let (config_of_each, clock_of_each) = (config.clone(), Arc::clone(clock));
    let extras = move |store: &Arc<dyn afterword_store::Store>| {
        let embeddings: Embeddings = embeddings.clone();
        Extras { embeddings, ..assembly::extras(&config_of_each, store, &clock_of_each) }
    };
    let settings = assembly::settings(config);
    Engines::new(pool.clone(), Arc::clone(clock), settings, Box::new(extras))
}

/// The files of the certificates and of the key; both or none.
fn encryption(config: &Config, options: &Options) -> anyhow::Result<Option<(PathBuf, PathBuf)>> {
    if options.tls.is_some() {
        return Ok(options.tls.clone());
    }
    let set = &config.file.server;
    match (set.tls_cert.is_empty(), set.tls_key.is_empty()) {
        (true, true) => Ok(None),
        (false, false) => Ok(Some(((&set.tls_cert).into(), (&set.tls_key).into()))),
        _ => Err(anyhow!("tls_cert and tls_key go together: one of them is not set")),
    }
}

fn origins(config: &Config, options: &Options, tls: bool) -> anyhow::Result<Origins> {
    let set = &config.file.server;
    let told = |told: &[String], set: &[String]| {
        if told.is_empty() { set.to_vec() } else { told.to_vec() }
    };
    let proxies = told(&options.trusted_proxies, &set.trusted_proxies);
    let proxies = proxies.iter().map(|text| text.parse()).collect::<Result<Vec<_>, String>>();
    let proxies = proxies.map_err(|error| anyhow!("a trusted proxy: {error}"))?;
    Ok(Origins { hosts: told(&options.hosts, &set.hosts), proxies, tls })
}

async fn listen(config: &Config, options: &Options) -> anyhow::Result<TcpListener> {
    let told = options.listen.as_deref().or_else(|| config.env.get("AFTERWORD_LISTEN"));
    let at = told.unwrap_or(&config.file.server.listen);
    TcpListener::bind(at).await.with_context(|| {
        format!(
            "cannot listen on {at}: give --listen ADDRESS:PORT of this machine, with a free port"
        )
    })
}
