//! Reading remembered rows of any kind, and forgetting them.

use afterword_domain::day::Day;
use afterword_domain::memory::Memory;
use afterword_domain::observation::Observation;
use afterword_domain::prompt::Prompt;
use afterword_domain::scope::Scope;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::{Kind, PublicId, Time};
use async_trait::async_trait;
use uuid::Uuid;

use crate::Result;

/// Rows of every kind by id, and the newest of each.
#[async_trait]
pub trait RowStore {
    /// The rows that exist in the scope, in the order of `ids`.
    async fn rows(&self, scope: Scope, ids: &[PublicId]) -> Result<Vec<Row>>;

    /// The newest observations by time of work, without those of sub-agents unless asked.
    async fn recent_observations(
        &self,
        scope: Scope,
        limit: usize,
        with_subagents: bool,
    ) -> Result<Vec<Observation>>;

    /// The newest summaries of a level by time of work, together with their conversation.
    async fn recent_summaries(
        &self,
        scope: Scope,
        level: SummaryLevel,
        limit: usize,
    ) -> Result<Vec<Summary>>;

    /// The newest prompts.
    async fn recent_prompts(&self, scope: Scope, limit: usize) -> Result<Vec<Prompt>>;

    /// The rows of one kind, newest first by time of work, after the first `offset` of them; with
    /// `agent` only those of its sessions.
    async fn page(
        &self,
        scope: Scope,
        kind: Kind,
        agent: Option<String>,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Row>>;

    /// Deletes rows of any kind with their index entries and links, and leaves a tombstone of each
    /// uid, so that neither distilling nor an import brings them back.
    ///
    /// Events that only the forgotten row rests on keep their place and lose payload and digest:
    /// the event of a prompt; of an observation, those that no other observation rests on; of a
    /// turn's summary, those of the turn that no observation rests on. Other rows that say the
    /// same are rows of their own. Returns the ids that existed.
    async fn forget(&self, scope: Scope, ids: &[PublicId], now: Time) -> Result<Vec<PublicId>>;

    /// Does a part of overwriting what forgotten rows left behind in the files; true while more is
    /// to be done. Costs nothing when nothing was forgotten, goes on after a restart where it was
    /// interrupted, and leaves nothing of a forgotten text in the database or its log.
    async fn sweep_forgotten(&self) -> Result<bool>;

    /// The rows of every kind next to a point in time: at most `before` in front of it and at most
    /// `after` behind it.
    ///
    /// Rows stand by time of work, then by the word of their kind, then by id. With `id` the point
    /// is that row's place at the time `at`, and the row itself is not among the answers; without,
    /// rows of exactly that time come behind it.
    async fn around(
        &self,
        scope: Scope,
        at: Time,
        id: Option<PublicId>,
        before: usize,
        after: usize,
    ) -> Result<Around>;

    /// The rows of a session, of every kind that has one: by time of work, then by the word of their
    /// kind, then by id. At most `limit`; of more the first.
    async fn session_rows(&self, session_id: i64, limit: usize) -> Result<Vec<Row>>;

    /// How many rows of each kind there are.
    async fn count_rows(&self, scope: Scope) -> Result<Vec<(Kind, u64)>>;

    /// How many rows of each kind belong to each day in UTC, from `from` to `to`, both counted: by
    /// day, then in the order of [`Kind::ALL`]. Days and kinds without a row are left out.
    async fn count_rows_by_day(
        &self,
        scope: Scope,
        from: Day,
        to: Day,
    ) -> Result<Vec<(Day, Kind, u64)>>;
}

/// The neighbours of a point in time, oldest first on both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Around {
    /// What came before it; the last is the nearest.
    pub before: Vec<Row>,
    /// What came after it; the first is the nearest.
    pub after: Vec<Row>,
}

/// A row of any kind with what lists need to show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Public id.
    pub id: PublicId,
    /// Unique across machines.
    pub uid: Uuid,
    /// Its project's key.
    pub project_id: i64,
    /// Its project's name.
    pub project: String,
    /// Its session's key.
    pub session_id: Option<i64>,
    /// The agent's id of its session; empty without a session.
    pub session: String,
    /// When it was made.
    pub created_at: Time,
    /// The row itself.
    pub body: RowBody,
}

/// The row itself.
#[derive(Clone, Debug, PartialEq)]
pub enum RowBody {
    /// An observation.
    Observation(Observation),
    /// A summary.
    Summary(Summary),
    /// A prompt.
    Prompt(Prompt),
    /// A memory.
    Memory(Memory),
    /// A snapshot.
    Snapshot(Snapshot),
}
