//! Logs of what happened to rows, sessions and vectors, read in the order of their numbers.
//!
//! Numbers are given before transactions end, and those may end in another order. So whoever writes
//! holds a lock of the tenant's logs together with all other writers until its transaction ends; and
//! whoever reads first takes that lock alone, for a moment: then every number that was given is
//! there or will never be. Writers do not wait for each other.

use std::collections::BTreeSet;

use afterword_domain::PublicId;

use super::connect::{Sql, Tx};
use super::values::get;
use crate::contract::{RowChange, SessionChange, What};

/// A change that is to be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) what: What,
    pub(super) project_id: i64,
    pub(super) session_id: Option<i64>,
}

impl Change {
    /// Of a session.
    pub(super) fn of_session(id: i64, project_id: i64, change: SessionChange) -> Self {
        Self { what: What::Session(id, change), project_id, session_id: Some(id) }
    }

    /// Of a remembered row.
    pub(super) fn of_row(
        id: PublicId,
        project_id: i64,
        session_id: Option<i64>,
        change: RowChange,
    ) -> Self {
        Self { what: What::Row(id, change), project_id, session_id }
    }

    const fn word(&self) -> &'static str {
        match self.what {
            What::Row(_, change) => change.word(),
            What::Session(_, change) => change.word(),
        }
    }

    fn kind(&self) -> Option<&'static str> {
        match self.what {
            What::Row(id, _) => Some(id.kind.word()),
            What::Session(..) => None,
        }
    }

    const fn subject(&self) -> i64 {
        match self.what {
            What::Row(id, _) => id.number,
            What::Session(id, _) => id,
        }
    }
}

/// A log of a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Log {
    /// Rows and sessions.
    Live,
    /// Vectors.
    Vectors,
}

impl Log {
    const fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Vectors => "vectors",
        }
    }

    /// Its table, and the column of its numbers.
    const fn table(self) -> (&'static str, &'static str) {
        match self {
            Self::Live => ("live_changes", "id"),
            Self::Vectors => ("vector_changes", "seq"),
        }
    }

    /// Entries that are kept at least.
    const fn kept(self) -> i64 {
        match self {
            Self::Live => 10_000,
            Self::Vectors => 50_000,
        }
    }
}

/// How often a log is cut: once in so many entries.
const CUT_EVERY: i64 = 256;

/// Writes entries; the very last thing a transaction does.
pub(super) async fn write(tx: &Tx, vectors: &BTreeSet<i64>, changes: &[Change]) -> Sql<()> {
    if vectors.is_empty() && changes.is_empty() {
        return Ok(());
    }
    tx.run("SELECT pg_advisory_xact_lock_shared(hashtextextended('logs', $1))", &[]).await?;
    if !vectors.is_empty() {
        let keys: Vec<i64> = vectors.iter().copied().collect();
        let sql = "INSERT INTO vector_changes (tenant, row_id)
                   SELECT $1, key FROM unnest($2::bigint[]) WITH ORDINALITY AS new (key, n)
                   ORDER BY n RETURNING seq";
        let rows = tx.rows(sql, &[&keys]).await?;
        let numbers = rows.iter().map(|row| get(row, "seq")).collect::<Sql<Vec<i64>>>()?;
        cut(tx, Log::Vectors, &numbers).await?;
    }
    if !changes.is_empty() {
        let words: Vec<&str> = changes.iter().map(Change::word).collect();
        let kinds: Vec<Option<&str>> = changes.iter().map(Change::kind).collect();
        let subjects: Vec<i64> = changes.iter().map(Change::subject).collect();
        let projects: Vec<i64> = changes.iter().map(|change| change.project_id).collect();
        let sessions: Vec<Option<i64>> = changes.iter().map(|change| change.session_id).collect();
        let sql = "INSERT INTO live_changes
                       (tenant, change, kind, subject, project_id, session_id)
                   SELECT $1, change, kind, subject, project_id, session_id
                   FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
                       WITH ORDINALITY AS new (change, kind, subject, project_id, session_id, n)
                   ORDER BY n RETURNING id";
        let rows = tx.rows(sql, &[&words, &kinds, &subjects, &projects, &sessions]).await?;
        let numbers = rows.iter().map(|row| get(row, "id")).collect::<Sql<Vec<i64>>>()?;
        cut(tx, Log::Live, &numbers).await?;
    }
    Ok(())
}

/// Now and then, takes away what is older than the entries that are kept.
async fn cut(tx: &Tx, log: Log, written: &[i64]) -> Sql<()> {
    if written.iter().all(|number| number % CUT_EVERY != 0) {
        return Ok(());
    }
    let (table, number) = log.table();
    let sql = format!(
        "WITH gone AS (
             DELETE FROM {table} WHERE tenant = $1 AND {number} <=
                 (SELECT {number} FROM {table} WHERE tenant = $1
                  ORDER BY {number} DESC OFFSET $2 LIMIT 1)
             RETURNING {number} AS number)
         INSERT INTO logs_cut AS c (tenant, log, up_to)
         SELECT $1, $3, max(number) FROM gone HAVING max(number) IS NOT NULL
         ON CONFLICT (tenant, log) DO UPDATE SET up_to = greatest(c.up_to, excluded.up_to)"
    );
    tx.run(&sql, &[&log.kept(), &log.word()]).await?;
    Ok(())
}

/// Where a log stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stand {
    /// The newest number; 0 while there was none.
    pub(super) newest: i64,
    /// The newest number that was cut off.
    cut: i64,
}

impl Stand {
    /// Whether what came after a number cannot be told any more, or is of another database.
    pub(super) const fn has_lost(&self, after: i64) -> bool {
        after > self.newest || after < self.cut
    }
}

/// Where a log stands, with no number missing that may still come; for a transaction that sees what
/// others end meanwhile.
pub(super) async fn stand(tx: &Tx, log: Log) -> Sql<Stand> {
    tx.run("SELECT pg_advisory_xact_lock(hashtextextended('logs', $1))", &[]).await?;
    let (table, number) = log.table();
    let sql = format!(
        "SELECT coalesce(max({number}), 0) AS newest,
             coalesce((SELECT up_to FROM logs_cut WHERE tenant = $1 AND log = $2), 0) AS cut
         FROM {table} WHERE tenant = $1"
    );
    let row = tx.one(&sql, &[&log.word()]).await?;
    let cut = get(&row, "cut")?;
    Ok(Stand { newest: get::<i64>(&row, "newest")?.max(cut), cut })
}
