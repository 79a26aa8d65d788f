//! The hook door: one canonical event in, the reply to print out.

use serde::{Deserialize, Serialize};

use crate::reply::Reply;

/// The answer of `POST /api/events`. The event is on disk when this is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventAnswer {
    /// What became of the event.
    pub outcome: Outcome,
    /// What the hook prints, in canonical form.
    #[serde(default)]
    pub reply: Reply,
}

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Outcome {
    /// It is a new row.
    Stored {
        /// Key of its session in this database.
        session_id: i64,
        /// The prompt it was counted to.
        prompt_number: i64,
        /// Whether it is the first that is known of its session.
        #[serde(default)]
        new_session: bool,
    },
    /// It was stored before.
    Duplicate {
        /// Key of its session in this database.
        session_id: i64,
        /// The prompt counter of that session.
        prompt_number: i64,
    },
    /// It is deliberately not stored.
    Skipped {
        /// Why.
        reason: SkipReason,
    },
}

/// Why an event was deliberately not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The prompt, or the turn it opened, is private.
    Private,
    /// The tool is on the skip list.
    ToolExcluded,
    /// The folder is on the list of excluded paths, paused or switched off.
    ProjectExcluded,
    /// A prompt that a machine made.
    Machine,
}

impl SkipReason {
    /// The word in JSON and in the counters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::ToolExcluded => "tool_excluded",
            Self::ProjectExcluded => "project_excluded",
            Self::Machine => "machine",
        }
    }
}
