//! Remembered rows of any kind: reading, writing, forgetting.

mod around;
mod count;
mod forget;
mod page;
mod read;
mod sweep;
mod write;

use afterword_domain::day::Day;
use afterword_domain::observation::Observation;
use afterword_domain::prompt::Prompt;
use afterword_domain::scope::Scope;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::{Kind, PublicId, Time};
use async_trait::async_trait;
use rusqlite::params;

use super::SqliteStore;
use super::values::limit as sql_limit;
use crate::Result;
use crate::contract::{Around, Row, RowStore};

pub(super) use count::count_rows;
pub(super) use forget::{all as forget_rows, is_forgotten, is_known};
pub(super) use read::{
    memory_from_row, observation_from_row, owner, row, snapshot_from_row, summary_from_row, table,
};
pub(super) use write::{insert_observation, insert_summary, update_observation, update_summary};

#[async_trait]
impl RowStore for SqliteStore {
    async fn rows(&self, scope: Scope, ids: &[PublicId]) -> Result<Vec<Row>> {
        let ids = ids.to_vec();
        self.read(move |db| {
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                found.extend(row(db, &scope, id)?);
            }
            Ok(found)
        })
        .await
    }

    async fn recent_observations(
        &self,
        scope: Scope,
        limit: usize,
        with_subagents: bool,
    ) -> Result<Vec<Observation>> {
        self.read(move |db| {
            let whose = if with_subagents { "TRUE" } else { "subagent IS NULL" };
            let sql = format!(
                "SELECT * FROM observations WHERE {} AND {whose}
                 ORDER BY created_at DESC, id DESC LIMIT ?2",
                in_scope(&scope)
            );
            let mut list = db.prepare_cached(&sql)?;
            let rows =
                list.query_map(params![scope.project(), sql_limit(limit)], observation_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    async fn recent_summaries(
        &self,
        scope: Scope,
        level: SummaryLevel,
        limit: usize,
    ) -> Result<Vec<Summary>> {
        self.read(move |db| page::recent_summaries(db, &scope, level, limit)).await
    }

    async fn recent_prompts(&self, scope: Scope, limit: usize) -> Result<Vec<Prompt>> {
        self.read(move |db| page::recent_prompts(db, &scope, limit)).await
    }

    async fn page(
        &self,
        scope: Scope,
        kind: Kind,
        agent: Option<String>,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Row>> {
        self.read(move |db| page::page(db, &scope, kind, agent.as_deref(), (offset, limit))).await
    }

    async fn forget(&self, scope: Scope, ids: &[PublicId], now: Time) -> Result<Vec<PublicId>> {
        let ids = ids.to_vec();
        self.write(move |db| forget::all(db, &scope, ids, now)).await
    }

    async fn sweep_forgotten(&self) -> Result<bool> {
        sweep::part(self).await
    }

    async fn around(
        &self,
        scope: Scope,
        at: Time,
        id: Option<PublicId>,
        before: usize,
        after: usize,
    ) -> Result<Around> {
        self.read(move |db| around::around(db, &scope, at, id, before, after)).await
    }

    async fn session_rows(&self, session_id: i64, limit: usize) -> Result<Vec<Row>> {
        self.read(move |db| around::of_session(db, session_id, limit)).await
    }

    async fn count_rows(&self, scope: Scope) -> Result<Vec<(Kind, u64)>> {
        self.read(move |db| count_rows(db, &scope)).await
    }

    async fn count_rows_by_day(
        &self,
        scope: Scope,
        from: Day,
        to: Day,
    ) -> Result<Vec<(Day, Kind, u64)>> {
        self.read(move |db| count::by_day(db, &scope, from, to)).await
    }
}

/// The condition on a table's `project_id`, with the project as the first parameter.
pub(super) const fn in_scope(scope: &Scope) -> &'static str {
    match scope {
        Scope::All => "?1 IS NULL",
        Scope::Project(_) => "project_id = ?1",
    }
}
