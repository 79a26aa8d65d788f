//! The store of many: PostgreSQL with pgvector, every table keyed and guarded by tenant.
//!
//! [`PostgresPool`] is the database, [`PostgresStore`] what one tenant sees of it. Each call is one
//! transaction: reads see one state of everything; writes check first and let unique keys judge
//! between two callers, and the one that loses looks again. What belongs to one session is changed
//! by one transaction at a time, under the lock of the session's row, so that what the contract
//! says of order holds whichever server was called. Nothing here reads a clock: times come with the
//! calls. `docs/design/postgres.md` tells why it is built like this.

mod answers;
mod changes;
mod connect;
mod events;
mod given;
mod health;
mod jobs;
mod log;
mod memories;
mod model_jobs;
mod owned;
mod portable;
mod projects;
mod rows;
mod search;
mod sessions;
mod settings;
mod spend;
mod tenants;
mod values;
mod vectors;

use std::fmt;

use crate::Result;
use connect::{Sql, Tx};

pub use connect::{PostgresOptions, PostgresPool, TenantId};

/// The store of one tenant. Cheap to make and to clone; it holds no connection of its own.
#[derive(Clone)]
pub struct PostgresStore {
    pool: PostgresPool,
    tenant: TenantId,
}

impl PostgresStore {
    fn new(pool: PostgresPool, tenant: TenantId) -> Self {
        Self { pool, tenant }
    }

    /// Whose store this is.
    pub const fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// The database that it is in.
    pub const fn pool(&self) -> &PostgresPool {
        &self.pool
    }

    async fn write<T, W>(&self, work: impl Fn(Tx) -> W + Send + Sync) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        self.pool.write(self.tenant, work).await
    }

    async fn read<T, W>(&self, work: impl Fn(Tx) -> W + Send + Sync) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        self.pool.read(self.tenant, work).await
    }

    /// As [`read`](Self::read), where each statement sees what others have ended by then.
    async fn follow<T, W>(&self, work: impl Fn(Tx) -> W + Send + Sync) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        self.pool.follow(self.tenant, work).await
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("tenant", &self.tenant).finish_non_exhaustive()
    }
}
