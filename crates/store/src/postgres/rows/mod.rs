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

use super::PostgresStore;
use super::connect::Sql;
use super::values::limit as sql_limit;
use crate::Result;
use crate::contract::{Around, Row, RowStore};

pub(super) use count::count_rows;
pub(super) use forget::{all as forget_rows, known_or_forgotten, remove};
pub(super) use read::{
    agents, memory_from_row, observation_from_row, owner, rows, snapshot_from_row,
    summary_from_row, table,
};
pub(super) use write::{
    ids_of, insert_observations, insert_summaries, update_observation, update_summary,
};

#[async_trait]
impl RowStore for PostgresStore {
    async fn rows(&self, scope: Scope, ids: &[PublicId]) -> Result<Vec<Row>> {
        let scope = &self.reachable(scope);
        self.read(|tx| async move { rows(&tx, scope, ids).await }).await
    }

    async fn recent_observations(
        &self,
        scope: Scope,
        limit: usize,
        with_subagents: bool,
    ) -> Result<Vec<Observation>> {
        let scope = &self.reachable(scope);
        self.read(|tx| async move {
            let whose = if with_subagents { "TRUE" } else { "subagent IS NULL" };
            let sql = format!(
                "SELECT * FROM observations WHERE tenant = $1 AND {} AND {whose}
                 ORDER BY created_at DESC, id DESC LIMIT $3",
                in_scope(scope)
            );
            let rows = tx.rows(&sql, &[&scope.project(), &sql_limit(limit)]).await?;
            rows.iter().map(observation_from_row).collect()
        })
        .await
    }

    async fn recent_summaries(
        &self,
        scope: Scope,
        level: SummaryLevel,
        limit: usize,
    ) -> Result<Vec<Summary>> {
        let scope = &self.reachable(scope);
        self.read(|tx| async move { page::recent_summaries(&tx, scope, level, limit).await }).await
    }

    async fn recent_prompts(&self, scope: Scope, limit: usize) -> Result<Vec<Prompt>> {
        let scope = &self.reachable(scope);
        self.read(|tx| async move { page::recent_prompts(&tx, scope, limit).await }).await
    }

    async fn page(
        &self,
        scope: Scope,
        kind: Kind,
        agent: Option<String>,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Row>> {
        let (scope, agent) = (&scope, agent.as_ref());
        self.read(|tx| async move { page::page(&tx, scope, kind, agent, (offset, limit)).await })
            .await
    }

    async fn forget(&self, scope: Scope, ids: &[PublicId], now: Time) -> Result<Vec<PublicId>> {
        let scope = &self.reachable(scope);
        self.write(|tx| async move { forget::all(&tx, scope, ids, now).await }).await
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
        let scope = &self.reachable(scope);
        self.read(|tx| async move { around::around(&tx, scope, at, id, before, after).await }).await
    }

    async fn session_rows(&self, session_id: i64, limit: usize) -> Result<Vec<Row>> {
        self.read(|tx| async move { around::of_session(&tx, session_id, limit).await }).await
    }

    async fn count_rows(&self, scope: Scope) -> Result<Vec<(Kind, u64)>> {
        let scope = &self.reachable(scope);
        self.read(|tx| async move { count_rows(&tx, scope).await }).await
    }

    async fn count_rows_by_day(
        &self,
        scope: Scope,
        from: Day,
        to: Day,
    ) -> Result<Vec<(Day, Kind, u64)>> {
        let scope = &self.reachable(scope);
        self.read(|tx| async move { count::by_day(&tx, scope, from, to).await }).await
    }
}

/// The condition on a table's `project_id`, with the project as `$2`.
pub(super) const fn in_scope(scope: &Scope) -> &'static str {
    match scope {
        Scope::All => "$2::bigint IS NULL",
        Scope::Project(_) => "project_id = $2",
    }
}

/// A list of values out of a list of rows.
pub(super) fn each<T>(
    rows: &[tokio_postgres::Row],
    value: impl Fn(&tokio_postgres::Row) -> Sql<T>,
) -> Sql<Vec<T>> {
    rows.iter().map(value).collect()
}
