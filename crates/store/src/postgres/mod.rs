//! The store of many: PostgreSQL with pgvector, every table keyed and guarded by tenant.
//!
//! [`PostgresPool`] is the database, [`PostgresStore`] what one tenant sees of it. Each call is one
//! transaction: reads see one state of everything; writes check first and let unique keys judge
//! between two callers, and the one that loses looks again. What belongs to one session is changed
//! by one transaction at a time, under the lock of the session's row, so that what the contract
//! says of order holds whichever server was called. Nothing here reads a clock: times come with the
//! calls. `docs/design/postgres.md` tells why it is built like this.

mod accounts;
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
use afterword_domain::scope::Scope;
use connect::{Reach, Sql, Tx};

pub use connect::{Listener, Notice, PostgresOptions, PostgresPool, TenantId};

/// A project that is none.
const NO_PROJECT: i64 = 0;

/// The store of one tenant. Cheap to make and to clone; it holds no connection of its own.
#[derive(Clone)]
pub struct PostgresStore {
    pool: PostgresPool,
    tenant: TenantId,
    project: Option<i64>,
}

impl PostgresStore {
    fn new(pool: PostgresPool, tenant: TenantId) -> Self {
        Self { pool, tenant, project: None }
    }

    /// The same, bound to one project: rows of others cannot be read, changed, pointed at or made,
    /// whatever is asked. Counts and queues are then those that the project's own rows tell.
    #[must_use]
    pub fn within(self, project: i64) -> Self {
        Self { project: Some(project), ..self }
    }

    /// The project that it is bound to.
    pub const fn project(&self) -> Option<i64> {
        self.project
    }

    /// A scope as far as this store reaches. The database would leave out other projects' rows
    /// too, but only after it has counted them among the best or the newest.
    fn reachable(&self, scope: Scope) -> Scope {
        match (self.project, scope) {
            (None, scope) => scope,
            (Some(bound), Scope::All) => Scope::Project(bound),
            (Some(bound), Scope::Project(asked)) if bound == asked => Scope::Project(asked),
            (Some(_), Scope::Project(_)) => Scope::Project(NO_PROJECT),
        }
    }

    const fn reach(&self) -> Reach {
        Reach { tenant: self.tenant, project: self.project }
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
        self.pool.write(self.reach(), work).await
    }

    async fn read<T, W>(&self, work: impl Fn(Tx) -> W + Send + Sync) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        self.pool.read(self.reach(), work).await
    }

    /// As [`read`](Self::read), where each statement sees what others have ended by then.
    async fn follow<T, W>(&self, work: impl Fn(Tx) -> W + Send + Sync) -> Result<T>
    where
        T: Send,
        W: Future<Output = Sql<T>> + Send,
    {
        self.pool.follow(self.reach(), work).await
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("reach", &self.reach()).finish_non_exhaustive()
    }
}
