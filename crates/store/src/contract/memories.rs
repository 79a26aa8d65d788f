//! Memories and snapshots.

use afterword_domain::memory::{Attributes, Memory, Origin};
use afterword_domain::owner::Owner;
use afterword_domain::scope::Scope;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::{PublicId, Time};
use async_trait::async_trait;
use serde_json::Value;
use uuid::Uuid;

use super::IndexDoc;
use crate::Result;

/// Lasting texts.
#[async_trait]
pub trait MemoryStore {
    /// Stores a memory. A text that its owner has in the project already (same after white space and
    /// Unicode are made even, see `text_key`) gives that memory back, brought up to date in time; files
    /// that were not told of it before are added.
    async fn remember(&self, memory: NewMemory) -> Result<Memory>;

    /// The memories of a scope, last updated first; also those whose place another has taken.
    async fn list_memories(&self, scope: Scope, limit: usize) -> Result<Vec<Memory>>;
}

/// A memory on its way into the store.
#[derive(Clone, Debug)]
pub struct NewMemory {
    /// Unique across machines.
    pub uid: Uuid,
    /// Its project.
    pub project_id: i64,
    /// One line for lists.
    pub title: String,
    /// The text.
    pub text: String,
    /// Equal for texts of one owner that say the same in the same words: made by the engine.
    pub text_key: String,
    /// Whose it is.
    pub owner: Owner,
    /// What else is known of it.
    pub attributes: Attributes,
    /// A caller's own fields.
    pub metadata: Value,
    /// Files it concerns.
    pub files: Vec<String>,
    /// How it came to be.
    pub origin: Origin,
    /// When it was made.
    pub created_at: Time,
    /// Its tokens.
    pub index: IndexDoc,
}

/// What was kept before compactions.
#[async_trait]
pub trait SnapshotStore {
    /// Stores a snapshot of everything of the session up to an event; one that reaches to the same
    /// event is given back instead.
    async fn insert_snapshot(&self, snapshot: NewSnapshot) -> Result<Snapshot>;

    /// The newest snapshot of a session and the event it reaches to.
    async fn last_snapshot(&self, session_id: i64) -> Result<Option<(Snapshot, i64)>>;

    /// Adds the agent's own summary to the session's newest snapshot, with the new index entry.
    /// Returns its id, or none when the session has no snapshot.
    async fn add_agent_summary(
        &self,
        session_id: i64,
        summary: &str,
        index: IndexDoc,
    ) -> Result<Option<PublicId>>;
}

/// A snapshot on its way into the store.
#[derive(Clone, Debug)]
pub struct NewSnapshot {
    /// Its session.
    pub session_id: i64,
    /// The last event it covers.
    pub up_to_event_id: i64,
    /// `manual` or `auto`.
    pub trigger: String,
    /// The digest.
    pub text: String,
    /// When the compaction began.
    pub created_at: Time,
    /// Its tokens.
    pub index: IndexDoc,
}
