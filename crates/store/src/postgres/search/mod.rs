//! The full-text index: the analyzer's tokens as numbers in a GIN index, their rows, and ranking.

mod encode;
mod filters;
mod index;
mod rank;
mod terms;

use std::collections::BTreeMap;

use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId, Time};
use async_trait::async_trait;
use tokio_postgres::Row;

use super::PostgresStore;
use super::connect::{Sql, Tx};
use super::rows;
use super::values::{count, get, kind as kind_of, limit as sql_limit, time};
use crate::Result;
use crate::contract::{Hit, IndexDoc, KeywordAnswer, KeywordQuery, SearchStore};
use crate::rules::entry::Entry;

pub(super) use index::{add_all, add_files, embedded_counter, put, put_all, put_back, remove};
pub(super) use rank::same_docs;
pub(super) use terms::FrequentTerms;

#[async_trait]
impl SearchStore for PostgresStore {
    async fn keyword(&self, query: KeywordQuery) -> Result<KeywordAnswer> {
        let query = KeywordQuery { scope: self.reachable(query.scope), ..query };
        let (query, common) = (&query, self.pool.common_terms());
        self.read(|tx| async move { rank::keyword(&tx, common, query).await }).await
    }

    async fn newest(
        &self,
        scope: Scope,
        kind: Option<Kind>,
        since: Option<Time>,
        until: Option<Time>,
        limit: usize,
    ) -> Result<Vec<Hit>> {
        let scope = self.reachable(scope);
        let query = &KeywordQuery { scope, kind, since, until, ..KeywordQuery::default() };
        self.read(|tx| async move { newest(&tx, query, limit).await }).await
    }

    async fn last_with_token(&self, scope: Scope, token: &str, limit: usize) -> Result<Vec<Hit>> {
        let scope = self.reachable(scope);
        let query = &KeywordQuery { scope, limit, ..KeywordQuery::default() };
        let common = self.pool.common_terms();
        self.read(|tx| async move { rank::last_with(&tx, common, query, token).await }).await
    }

    async fn unindexed(&self, _limit: usize) -> Result<Vec<PublicId>> {
        // The first schema has the index already.
        Ok(Vec::new())
    }

    async fn index_rows(&self, docs: Vec<(PublicId, IndexDoc)>) -> Result<()> {
        let docs = &docs;
        self.write(|tx| async move { index_rows(&tx, docs).await }).await
    }

    async fn indexed_rows(&self) -> Result<u64> {
        self.read(|tx| async move { Ok(count(sizes(&tx).await?.0)) }).await
    }
}

/// Rows of the whole index, and their tokens.
pub(super) async fn sizes(tx: &Tx) -> Sql<(i64, i64)> {
    let sql = "SELECT (coalesce(sum(value) FILTER (WHERE name <> 'tokens'), 0))::bigint AS rows,
                   (coalesce(sum(value) FILTER (WHERE name = 'tokens'), 0))::bigint AS tokens
               FROM counters WHERE tenant = $1
               AND (name = 'tokens' OR (name >= 'rows.' AND name < 'rows/'))";
    let row = tx.one(sql, &[]).await?;
    Ok((get(&row, "rows")?, get(&row, "tokens")?))
}

async fn index_rows(tx: &Tx, docs: &[(PublicId, IndexDoc)]) -> Sql<()> {
    let docs: BTreeMap<PublicId, &IndexDoc> = docs.iter().map(|(id, doc)| (*id, doc)).collect();
    let ids: Vec<PublicId> = docs.keys().copied().collect();
    let found = rows::rows(tx, &Scope::All, &ids).await?;
    let entries = found.iter().filter_map(|row| Some((Entry::from(row), *docs.get(&row.id)?)));
    let entries: Vec<(Entry, &IndexDoc)> = entries.collect();
    put_all(tx, &entries).await
}

async fn newest(tx: &Tx, query: &KeywordQuery, limit: usize) -> Sql<Vec<Hit>> {
    let filters = filters::Filters::of(query);
    let sql = format!(
        "SELECT r.kind, r.row_id, r.session_id, r.created_at FROM search_rows r WHERE {}
         ORDER BY r.created_at DESC, r.id DESC LIMIT $6",
        filters.conditions("r", 1)
    );
    let rows = tx.rows(&sql, &filters.with(&[&sql_limit(limit)])).await?;
    rows.iter().map(|row| hit(row, 0.0)).collect()
}

fn hit(row: &Row, score: f64) -> Sql<Hit> {
    Ok(Hit {
        id: PublicId::new(kind_of(row, "kind")?, get(row, "row_id")?),
        score,
        session_id: get(row, "session_id")?,
        created_at: time(row, "created_at")?,
    })
}
