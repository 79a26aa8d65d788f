//! Sessions: joined into conversations, and one of them from prompt to evidence.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::PublicId;
use crate::session::Session;
use crate::time::Time;
use crate::wire::timeline::WholeRow;

/// A session for lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionCard {
    /// The session as stored.
    #[serde(flatten)]
    pub session: Session,
    /// The project's name.
    pub project: String,
}

/// Sessions that continue each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conversation {
    /// The number that they share.
    pub id: i64,
    /// The first request that is known; empty where none is.
    pub title: String,
    /// Oldest first.
    pub sessions: Vec<SessionCard>,
}

/// Conversations of a project, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conversations {
    /// The one that went on last first.
    pub conversations: Vec<Conversation>,
    /// Whether there are older sessions than were looked at.
    pub more: bool,
}

/// One session from prompt to evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Story {
    /// The session.
    pub session: SessionCard,
    /// The sessions of its conversation, itself among them, oldest first.
    pub conversation: Vec<SessionCard>,
    /// What the session as a whole came to.
    pub summary: Option<WholeRow>,
    /// Its turns in order; the first may be what came before the first prompt.
    pub turns: Vec<StoryTurn>,
    /// Whether it has more rows or events than are shown.
    pub cut: bool,
}

/// One prompt and what followed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoryTurn {
    /// The prompt's number; 0 before the first.
    pub number: i64,
    /// The prompt; none where it was forgotten, or private, or there was none.
    pub prompt: Option<WholeRow>,
    /// What the turn came to.
    pub summary: Option<WholeRow>,
    /// What was distilled of it.
    pub observations: Vec<WholeRow>,
    /// What was kept before compactions.
    pub snapshots: Vec<WholeRow>,
    /// What happened, in order of arrival.
    pub events: Vec<StoryEvent>,
}

/// An event in brief.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoryEvent {
    /// Key of the event.
    pub id: i64,
    /// The event's kind, such as `tool-use`.
    pub kind: String,
    /// When it happened.
    pub at: Time,
    /// The tool's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// Files, relative to the project where they are inside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The command line, cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The words worth keeping, cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The outcome or the error, cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// Whether it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The sub-agent it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
}

/// The events behind an observation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceAnswer {
    /// The observation.
    pub id: Option<PublicId>,
    /// In order of arrival. Raw payloads are kept for a while only: what is older is not among them.
    pub events: Vec<WholeEvent>,
    /// Whether there are more than are shown.
    pub cut: bool,
}

/// An event with what was captured of it, texts cut to size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WholeEvent {
    /// Key of the event.
    pub id: i64,
    /// When it happened.
    pub at: Time,
    /// The event's kind, such as `tool-use`.
    pub kind: String,
    /// What happened, on one line.
    pub line: String,
    /// The tool's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The folder the agent worked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Whether a tool ran and failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// What the tool was asked.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// What it answered, or what was said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}
