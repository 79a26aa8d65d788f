//! Connections to one database, shared by every tenant's store.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};

use super::address::Address;
use super::errors::{Fault, Sql, from_pool};
use super::identity::{Identity, name};
use super::notices::{Notice, Outbox};
use super::presence::Presence;
use super::schema;
use super::tls::Tls;
use super::transaction::Tx;
use crate::contract::TenantId;
use crate::postgres::PostgresStore;
use crate::postgres::jobs::Served;
use crate::postgres::search::FrequentTerms;
use crate::{Error, Result};

/// How often work that lost a race is done again before the caller is told.
const TRIES: u32 = 8;

/// How a database is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The schema that holds every table; made when it is missing.
    pub schema: String,
    /// Most connections at one time. One more is held where jobs are claimed.
    pub connections: usize,
    /// How long a call waits for one of them before it is told [`Error::Busy`].
    pub patience: Duration,
    /// Whether other servers are told of what changes here; see [`PostgresPool::listen`].
    pub tells: bool,
}

impl Default for PostgresOptions {
    /// Schema `afterword`, 16 connections, 5 seconds, and nobody is told.
    fn default() -> Self {
        Self {
            schema: "afterword".to_owned(),
            connections: 16,
            patience: Duration::from_secs(5),
            tells: false,
        }
    }
}

/// Connections to one database. Cheap to clone; the last clone to go closes them.
#[derive(Clone)]
pub struct PostgresPool(Arc<Inner>);

struct Inner {
    pool: Pool,
    identity: Identity,
    presence: Presence,
    served: Mutex<HashMap<i64, Arc<Served>>>,
    common_terms: FrequentTerms,
    tells: bool,
    outbox: Outbox,
}

/// What a transaction can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::postgres) struct Reach {
    /// Whose rows.
    pub(in crate::postgres) tenant: TenantId,
    /// Those of one project only.
    pub(in crate::postgres) project: Option<i64>,
}

impl From<TenantId> for Reach {
    fn from(tenant: TenantId) -> Self {
        Self { tenant, project: None }
    }
}

/// What a transaction may do.
#[derive(Clone, Copy)]
enum Access {
    /// See one state of everything, and change nothing.
    Read,
    /// See with each statement what has ended by then, and change nothing.
    Follow,
    /// Change things.
    Write,
}

impl PostgresPool {
    /// Connects to the database at `address`, a URL or a list of `key=value`, and brings its schema
    /// up to date; any number of servers may do so at once.
    ///
    /// Needs PostgreSQL 15 or newer with the extension `vector` (0.7 or newer), which is made where
    /// the user may make it. Where the user of the address bypasses row-level security, as a
    /// superuser does, transactions run as the role `afterword_app`, which is made then.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`] where the server does not answer or does not know us,
    /// [`Error::Setup`] where it lacks something, with the remedy,
    /// [`Error::NewerSchema`] where the schema is of a release that this one cannot work beside.
    pub async fn connect(address: &str, options: &PostgresOptions) -> Result<Self> {
        let address = Address::read(address)?;
        let tls = Tls::new(address.root_certificates.as_deref())?;
        let presence = Presence::new(address.config.clone(), tls.clone());
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.config, tls, recycling);
        let pool = Pool::builder(manager)
            .max_size(options.connections.max(1))
            .wait_timeout(Some(options.patience))
            .create_timeout(Some(options.patience))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| Error::Setup(error.to_string()))?;
        let client = pool.get().await.map_err(from_pool)?;
        let identity = schema::prepare(&client, &options.schema).await?;
        drop(client);
        let inner = Inner {
            pool,
            identity,
            presence,
            served: Mutex::default(),
            common_terms: FrequentTerms::default(),
            tells: options.tells,
            outbox: Outbox::default(),
        };
        let pool = Self(Arc::new(inner));
        pool.check_isolation().await?;
        Ok(pool)
    }

    /// The store of one tenant.
    pub fn tenant(&self, tenant: TenantId) -> PostgresStore {
        PostgresStore::new(self.clone(), tenant)
    }

    /// Whether the server answers.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`] where it does not, [`Error::Busy`] where no connection is free.
    pub async fn ping(&self) -> Result<()> {
        let client = self.client().await?;
        client.batch_execute("SELECT 1").await.map_err(Fault::from)?;
        Ok(())
    }

    /// Connections to the database: how many there are, and how many of them are free.
    pub fn connections(&self) -> (usize, usize) {
        let status = self.0.pool.status();
        (status.size, status.available)
    }

    pub(in crate::postgres) fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// Whether others are told of what changes here.
    pub(in crate::postgres) fn tells(&self) -> bool {
        self.0.tells
    }

    pub(in crate::postgres) fn identity(&self) -> &Identity {
        &self.0.identity
    }

    pub(in crate::postgres) fn presence(&self) -> &Presence {
        &self.0.presence
    }

    pub(in crate::postgres) fn common_terms(&self) -> &FrequentTerms {
        &self.0.common_terms
    }

    /// Whose turns were claimed lately in this process, of one tenant.
    pub(in crate::postgres) fn served(&self, tenant: TenantId) -> Arc<Served> {
        let mut served = self.0.served.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(served.entry(tenant.0).or_default())
    }

    /// A connection without a transaction, as the user of the address: for what tenants have no
    /// part in, such as indexes.
    pub(in crate::postgres) async fn client(&self) -> Result<Object> {
        self.0.pool.get().await.map_err(from_pool)
    }

    /// Lets vacuum take out what is left of deleted rows of a table. Where we may not (the table has
    /// another owner), the server's own vacuum does it in its time.
    pub(in crate::postgres) async fn vacuum(&self, table: &str) -> Result<()> {
        let table = format!("{}.{}", name(self.0.identity.schema()), name(table));
        let client = self.client().await?;
        client.batch_execute(&format!("VACUUM {table}")).await.map_err(Fault::from)?;
        Ok(())
    }

    /// Reads one state of everything, in one transaction.
    pub(in crate::postgres) async fn read<T, W>(
        &self,
        reach: impl Into<Reach>,
        work: impl Fn(Tx) -> W + Send + Sync,
    ) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        self.transaction(reach.into(), Access::Read, work).await
    }

    /// As [`read`](Self::read), but each statement sees what others have ended by then: for whoever
    /// waits for them in between.
    pub(in crate::postgres) async fn follow<T, W>(
        &self,
        reach: impl Into<Reach>,
        work: impl Fn(Tx) -> W + Send + Sync,
    ) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        self.transaction(reach.into(), Access::Follow, work).await
    }

    /// Changes things in one transaction. The work may be done several times, each time from the
    /// beginning and with nothing left of the time before: unique keys are the judges between two
    /// callers, and the one that loses looks again.
    pub(in crate::postgres) async fn write<T, W>(
        &self,
        reach: impl Into<Reach>,
        work: impl Fn(Tx) -> W + Send + Sync,
    ) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        self.transaction(reach.into(), Access::Write, work).await
    }

    async fn transaction<T, W>(
        &self,
        reach: Reach,
        access: Access,
        work: impl Fn(Tx) -> W + Send + Sync,
    ) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        let mut tries = 0;
        loop {
            tries += 1;
            let tx = self.begin(reach, access).await?;
            let outcome = match work(tx.clone()).await {
                Ok(value) => tx.commit().await.map(|tells| {
                    if tells && self.0.tells {
                        self.tell(Notice::Changed(reach.tenant));
                    }
                    value
                }),
                Err(fault) => {
                    tx.roll_back().await;
                    Err(fault)
                }
            };
            match outcome {
                Err(fault) if fault.lost_a_race() && tries < TRIES => {}
                outcome => return outcome.map_err(Error::from),
            }
        }
    }

    /// Begins, with another connection where the first one turns out to be broken: a server that
    /// was started anew has closed them all.
    async fn begin(&self, reach: Reach, access: Access) -> Result<Tx> {
        let how = match access {
            Access::Read => "ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Access::Follow => "ISOLATION LEVEL READ COMMITTED READ ONLY",
            Access::Write => "ISOLATION LEVEL READ COMMITTED READ WRITE",
        };
        let statement = self.0.identity.begin(reach, how);
        let mut broken = self.0.pool.status().size;
        loop {
            let client = self.client().await?;
            match Tx::begin(client, reach.tenant.0, &statement).await.map_err(Error::from) {
                Err(Error::Unreachable(_)) if broken > 0 => broken -= 1,
                begun => return begun,
            }
        }
    }

    /// Refuses a database in which tenants would see each other.
    async fn check_isolation(&self) -> Result<()> {
        let guarded: bool = self
            .read(TenantId::DEFAULT, |tx| async move {
                let sql = "SELECT row_security_active('projects') AND $1::bigint > 0 AS guarded";
                Ok(tx.one(sql, &[]).await?.try_get("guarded")?)
            })
            .await?;
        if guarded {
            return Ok(());
        }
        Err(Error::Setup(format!(
            "row-level security does not hold for the user {}: connect as an ordinary user who owns \
             the database",
            self.0.identity.user()
        )))
    }
}

impl fmt::Debug for PostgresPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresPool")
            .field("schema", &self.0.identity.schema())
            .finish_non_exhaustive()
    }
}
