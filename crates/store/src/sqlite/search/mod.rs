//! The full-text index: an FTS5 table over the analyzer's tokens, its rows, and ranking.

mod encode;
mod filters;
mod index;
mod rank;
mod terms;
mod unindexed;
mod weigh;

use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId, Time};
use async_trait::async_trait;
use rusqlite::{Connection, params};

use super::SqliteStore;
use super::connect::Sql;
use super::values::{count, kind as kind_of, limit as sql_limit, time};
use crate::Result;
use crate::contract::{Hit, IndexDoc, KeywordAnswer, KeywordQuery, Period, SearchStore};

pub(super) use index::{add_files, ensure_usable, index_problems, put, rebuild, same_doc};
pub(super) use unindexed::begin as index_is_due;

#[async_trait]
impl SearchStore for SqliteStore {
    async fn keyword(&self, query: KeywordQuery) -> Result<KeywordAnswer> {
        self.read(move |db| rank::keyword(db, &query)).await
    }

    async fn newest(
        &self,
        scope: Scope,
        kind: Option<Kind>,
        since: Option<Time>,
        until: Option<Time>,
        limit: usize,
    ) -> Result<Vec<Hit>> {
        let period = period(since, until);
        self.read(move |db| newest(db, &scope, kind, period, limit)).await
    }

    async fn last_with_token(&self, scope: Scope, token: &str, limit: usize) -> Result<Vec<Hit>> {
        let query = KeywordQuery { scope, limit, ..KeywordQuery::default() };
        let token = token.to_owned();
        self.read(move |db| rank::last_with(db, &query, &token)).await
    }

    async fn unindexed(&self, limit: usize) -> Result<Vec<PublicId>> {
        if !self.read(unindexed::is_due).await? {
            return Ok(Vec::new());
        }
        let rows = self.read(move |db| unindexed::rows(db, limit)).await?;
        if rows.is_empty() {
            self.write(unindexed::end).await?;
        }
        Ok(rows)
    }

    async fn index_rows(&self, docs: Vec<(PublicId, IndexDoc)>) -> Result<()> {
        self.write(move |db| unindexed::index(db, &docs)).await
    }

    async fn indexed_rows(&self) -> Result<u64> {
        self.read(indexed_rows).await
    }
}

/// The times that two bounds let through.
fn period(since: Option<Time>, until: Option<Time>) -> Period {
    let (first, last) = (Time::from_millis(i64::MIN), Time::from_millis(i64::MAX));
    Period { from: since.unwrap_or(first), to: until.unwrap_or(last) }
}

/// Rows in the whole index.
pub(super) fn indexed_rows(db: &Connection) -> Sql<u64> {
    let mut sum = db.prepare_cached("SELECT sum(value) FROM counters WHERE name GLOB 'rows.*'")?;
    Ok(count(sum.query_row([], |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0)))
}

fn newest(
    db: &Connection,
    scope: &Scope,
    kind: Option<Kind>,
    period: Period,
    limit: usize,
) -> Sql<Vec<Hit>> {
    let filter = match (scope.project(), kind) {
        (None, None) => "",
        (None, Some(_)) => "AND kind = ?2",
        (Some(_), None) => "AND project_id = ?1",
        (Some(_), Some(_)) => "AND project_id = ?1 AND kind = ?2",
    };
    let sql = format!(
        "SELECT kind, row_id, session_id, created_at FROM search_rows
         WHERE created_at >= ?3 AND created_at < ?5 {filter} AND (?1 IS NULL OR TRUE) AND (?2 IS NULL OR TRUE)
         ORDER BY created_at DESC, id DESC LIMIT ?4"
    );
    let mut list = db.prepare_cached(&sql)?;
    let (from, to) = (period.from.millis(), period.to.millis());
    let rows = list.query_map(
        params![scope.project(), kind.map(Kind::word), from, sql_limit(limit), to],
        |row| {
            Ok(Hit {
                id: PublicId::new(kind_of(row, "kind")?, row.get("row_id")?),
                score: 0.0,
                session_id: row.get("session_id")?,
                created_at: time(row, "created_at")?,
            })
        },
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
