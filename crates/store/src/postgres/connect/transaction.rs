//! One transaction of one tenant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use afterword_domain::Time;
use deadpool_postgres::Object;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::errors::{Fault, Sql};
use crate::postgres::log::{self, Change};
use crate::postgres::values::{add_to_counters, raise_times, touch_projects};

/// A parameter of a statement.
pub(crate) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// A transaction that is open. Cheap to clone; the last clone to go gives the connection back.
///
/// Every statement gets the tenant as its first parameter, `$1`, and names it. A transaction that
/// nobody ends (its caller has gone) takes its connection along, so that no half of it can be
/// joined by the next one.
#[derive(Clone)]
pub(crate) struct Tx(Arc<Inner>);

struct Inner {
    client: Option<Object>,
    tenant: i64,
    ended: AtomicBool,
    pending: Mutex<Pending>,
}

/// What is written at the very end, in one order by everybody, so that rows which all transactions
/// of a tenant want are locked as briefly as can be and never crosswise.
#[derive(Default)]
struct Pending {
    counters: BTreeMap<String, i64>,
    times: BTreeMap<&'static str, i64>,
    projects: BTreeMap<i64, i64>,
    vectors: BTreeSet<i64>,
    changes: Vec<Change>,
    work: bool,
}

impl Tx {
    /// Begins on this connection, with the statement that begins.
    pub(super) async fn begin(client: Object, tenant: i64, begin: &str) -> Sql<Self> {
        let tx = Self(Arc::new(Inner {
            client: Some(client),
            tenant,
            ended: AtomicBool::new(false),
            pending: Mutex::default(),
        }));
        tx.client().batch_execute(begin).await?;
        Ok(tx)
    }

    fn client(&self) -> &Object {
        self.0.client.as_ref().expect("the connection is there until the end")
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.0.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tenant whose transaction this is.
    pub(crate) fn tenant(&self) -> i64 {
        self.0.tenant
    }

    fn with_tenant<'a>(&'a self, parameters: &[Parameter<'a>]) -> Vec<Parameter<'a>> {
        let mut all: Vec<Parameter<'a>> = Vec::with_capacity(parameters.len() + 1);
        all.push(&self.0.tenant);
        all.extend_from_slice(parameters);
        all
    }

    /// Every row of a statement.
    pub(crate) async fn rows(&self, sql: &str, parameters: &[Parameter<'_>]) -> Sql<Vec<Row>> {
        let statement = self.client().prepare_cached(sql).await?;
        let parameters = self.with_tenant(parameters);
        Ok(self.client().query(&statement, &parameters).await?)
    }

    /// The first row of a statement, if there is one.
    pub(crate) async fn first(&self, sql: &str, parameters: &[Parameter<'_>]) -> Sql<Option<Row>> {
        Ok(self.rows(sql, parameters).await?.into_iter().next())
    }

    /// The only row of a statement that always has one.
    pub(crate) async fn one(&self, sql: &str, parameters: &[Parameter<'_>]) -> Sql<Row> {
        let statement = self.client().prepare_cached(sql).await?;
        let parameters = self.with_tenant(parameters);
        Ok(self.client().query_one(&statement, &parameters).await?)
    }

    /// Whether a statement has a row.
    pub(crate) async fn exists(&self, sql: &str, parameters: &[Parameter<'_>]) -> Sql<bool> {
        Ok(!self.rows(sql, parameters).await?.is_empty())
    }

    /// Runs a statement; how many rows it touched.
    pub(crate) async fn run(&self, sql: &str, parameters: &[Parameter<'_>]) -> Sql<u64> {
        let statement = self.client().prepare_cached(sql).await?;
        let parameters = self.with_tenant(parameters);
        Ok(self.client().execute(&statement, &parameters).await?)
    }

    /// Runs statements without parameters, which are not kept.
    pub(crate) async fn batch(&self, sql: &str) -> Sql<()> {
        Ok(self.client().batch_execute(sql).await?)
    }

    /// Adds to a counter of the tenant when the transaction ends.
    pub(crate) fn count(&self, name: impl Into<String>, n: i64) {
        if n != 0 {
            *self.pending().counters.entry(name.into()).or_default() += n;
        }
    }

    /// Raises a time of the tenant when the transaction ends.
    pub(crate) fn raise_time(&self, name: &'static str, at: Time) {
        let mut pending = self.pending();
        let known = pending.times.entry(name).or_insert(i64::MIN);
        *known = at.millis().max(*known);
    }

    /// Notes that something was stored for a project, when the transaction ends.
    pub(crate) fn touch_project(&self, id: i64, at: Time) {
        let mut pending = self.pending();
        let known = pending.projects.entry(id).or_insert(i64::MIN);
        *known = at.millis().max(*known);
    }

    /// Notes that a row's vectors came, went or belong to another time, when the transaction ends.
    pub(crate) fn vectors_changed(&self, key: i64) {
        self.pending().vectors.insert(key);
    }

    /// Tells whoever watches of a change, when the transaction ends.
    pub(crate) fn tell(&self, change: Change) {
        self.pending().changes.push(change);
    }

    /// Notes that there is something to work on now, for whoever works for the tenant.
    pub(crate) fn brings_work(&self) {
        self.pending().work = true;
    }

    /// Writes now what counters were to get at the end.
    pub(crate) async fn settle_counters(&self) -> Sql<()> {
        let counters = std::mem::take(&mut self.pending().counters);
        if counters.is_empty() { Ok(()) } else { add_to_counters(self, &counters).await }
    }

    /// Writes now what times were to get at the end.
    pub(crate) async fn settle_times(&self) -> Sql<()> {
        let times = std::mem::take(&mut self.pending().times);
        if times.is_empty() { Ok(()) } else { raise_times(self, &times).await }
    }

    /// Writes what was left for the end, and makes everything durable. Whether other servers have
    /// something to look at now.
    pub(super) async fn commit(self) -> Sql<bool> {
        let pending = std::mem::take(&mut *self.pending());
        if !pending.projects.is_empty() {
            touch_projects(&self, &pending.projects).await?;
        }
        if !pending.counters.is_empty() {
            add_to_counters(&self, &pending.counters).await?;
        }
        if !pending.times.is_empty() {
            raise_times(&self, &pending.times).await?;
        }
        log::write(&self, &pending.vectors, &pending.changes).await?;
        self.client().batch_execute("COMMIT").await?;
        self.0.ended.store(true, Ordering::Release);
        Ok(pending.work || !pending.changes.is_empty())
    }

    /// Undoes everything. Where even that fails the connection goes, and the server undoes it.
    pub(super) async fn roll_back(self) {
        if self.client().batch_execute("ROLLBACK").await.is_ok() {
            self.0.ended.store(true, Ordering::Release);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(client) = self.client.take()
            && !self.ended.load(Ordering::Acquire)
        {
            drop(Object::take(client));
        }
    }
}

impl std::fmt::Debug for Tx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx").field("tenant", &self.0.tenant).finish_non_exhaustive()
    }
}

/// Turns "no row" into an error that names what is missing.
pub(crate) fn required<T>(found: Option<T>, what: &'static str) -> Sql<T> {
    found.ok_or(Fault::Store(crate::Error::NotFound(what)))
}
