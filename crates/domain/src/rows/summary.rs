//! The distilled record of a turn or of a session.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::observation::Source;
use crate::time::Time;

/// A summary as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Key inside this database.
    pub id: i64,
    /// Unique across machines.
    pub uid: Uuid,
    /// Its session; none for an imported row.
    pub session_id: Option<i64>,
    /// Its project.
    pub project_id: i64,
    /// A turn's or the session's.
    pub level: SummaryLevel,
    /// The prompt of a turn; 0 for a session.
    pub prompt_number: i64,
    /// What it says.
    #[serde(flatten)]
    pub content: SummaryContent,
    /// Who distilled it.
    pub source: Source,
    /// When the work it tells of last went on.
    pub created_at: Time,
}

/// What a summary says, before it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryContent {
    /// What the person asked for.
    pub request: String,
    /// What was looked at.
    #[serde(default)]
    pub investigated: String,
    /// What was found out.
    #[serde(default)]
    pub learned: String,
    /// What was done.
    #[serde(default)]
    pub completed: String,
    /// What is left to do.
    #[serde(default)]
    pub next_steps: String,
    /// Anything else, such as that the turn was cut short.
    #[serde(default)]
    pub notes: String,
    /// Files read.
    #[serde(default)]
    pub files_read: Vec<String>,
    /// Files changed.
    #[serde(default)]
    pub files_modified: Vec<String>,
}

/// What a summary covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SummaryLevel {
    /// One prompt and what followed.
    Turn,
    /// The whole session so far: one row a session, updated.
    Session,
}

impl SummaryLevel {
    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Session => "session",
        }
    }
}
