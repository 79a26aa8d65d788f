//! One conversation of a person with an agent.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::time::Time;

/// A session as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// Key inside this database (`sessionDbId` of the observer door).
    pub id: i64,
    /// Unique across machines.
    pub uid: Uuid,
    /// The agent's name.
    pub agent: String,
    /// The agent's own id.
    pub agent_session_id: String,
    /// The project it was pinned to when it started.
    pub project_id: i64,
    /// Sessions that continue each other (resume, clear, fork) share this number.
    pub conversation_id: i64,
    /// `active` or `completed`.
    pub status: SessionStatus,
    /// How many prompts it has.
    pub prompt_counter: i64,
    /// The worktree label, where there is one.
    pub worktree: Option<String>,
    /// The branch when it started.
    pub branch: Option<String>,
    /// The first prompt, for lists.
    pub first_prompt: Option<String>,
    /// When it was first seen.
    pub started_at: Time,
    /// When something last happened in it.
    pub last_event_at: Time,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// The agent's word for why it ended.
    pub end_reason: Option<String>,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SessionStatus {
    /// It may go on.
    Active,
    /// It has ended; a resume makes it active again.
    Completed,
}

impl SessionStatus {
    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
        }
    }
}
