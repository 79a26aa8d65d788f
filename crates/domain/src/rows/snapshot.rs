//! What was kept before a compaction.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::time::Time;

/// A snapshot as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// Key inside this database.
    pub id: i64,
    /// Unique across machines.
    pub uid: Uuid,
    /// Its session.
    pub session_id: i64,
    /// Its project.
    pub project_id: i64,
    /// `manual` or `auto`.
    pub trigger: String,
    /// The digest of what came since the last snapshot of the session.
    pub text: String,
    /// The agent's own compaction summary, when it sent one.
    pub agent_summary: Option<String>,
    /// When the compaction began.
    pub created_at: Time,
}
