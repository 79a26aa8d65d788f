//! What the person typed.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::time::Time;

/// A prompt as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prompt {
    /// Key inside this database.
    pub id: i64,
    /// Unique across machines.
    pub uid: Uuid,
    /// Its session.
    pub session_id: i64,
    /// Its project.
    pub project_id: i64,
    /// Counted from 1 inside the session.
    pub number: i64,
    /// The text, without private parts.
    pub text: String,
    /// When it was sent.
    pub created_at: Time,
}
