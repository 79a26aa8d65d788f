//! What stood around a row, and whole rows by their ids.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

use crate::ids::{Kind, PublicId};
use crate::project::ProjectRef;
use crate::time::Time;

/// Neighbours on each side when the request names no number.
pub const DEFAULT_NEIGHBOURS: usize = 10;

/// Most neighbours on each side.
pub const MOST_NEIGHBOURS: usize = 100;

/// Most rows of one answer by ids.
pub const MOST_ROWS: usize = 100;

/// The middle of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// A row.
    Row(PublicId),
    /// A point in time.
    At(Time),
}

/// A text that is neither an id nor a point in time.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is neither an id such as o12 nor a date such as 2026-11-30")]
pub struct BadAnchor(pub String);

impl FromStr for Anchor {
    type Err = BadAnchor;

    fn from_str(text: &str) -> Result<Self, BadAnchor> {
        let row = text.parse().map(Self::Row).ok();
        row.or_else(|| text.parse().map(Self::At).ok()).ok_or_else(|| BadAnchor(text.to_owned()))
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(id) => id.fmt(f),
            Self::At(at) => at.fmt(f),
        }
    }
}

impl Serialize for Anchor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Anchor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What is asked, as `POST /api/timeline` takes it.
///
/// The anchor goes before the query; with neither, the newest rows are given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimelineRequest {
    /// The middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// The best answer to this question is the middle.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// The project to look in; unless given, that of the row in the middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectRef>,
    /// Most rows before the middle: 10 unless said, 100 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// Most rows after the middle: 10 unless said, 100 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
}

/// The answer of `/api/timeline` and `afterword timeline --json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// The row in the middle; none when it is a point in time, or when nothing answered the query.
    pub anchor: Option<PublicId>,
    /// Oldest first, the row in the middle among them.
    pub entries: Vec<TimelineEntry>,
    /// Whether there are still earlier rows.
    pub more_before: bool,
    /// Whether there are still later rows.
    pub more_after: bool,
}

/// One row of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimelineEntry {
    /// Its public id.
    pub id: PublicId,
    /// What it is.
    pub kind: Kind,
    /// The type of an observation, the level of a summary, the origin of a memory, what set off a
    /// snapshot; empty for a prompt.
    pub label: String,
    /// One line.
    pub title: String,
    /// What the row says besides its title, on one line of at most 240 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    /// The project's name.
    pub project: String,
    /// The project's key in this database.
    #[serde(default)]
    pub project_id: i64,
    /// The agent's session id; empty for rows without a session.
    pub session: String,
    /// The session's key in this database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<i64>,
    /// When the work was done.
    pub created_at: Time,
}

/// Body of `POST /api/rows`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowsRequest {
    /// Rows of any kind, at most 100.
    pub ids: Vec<PublicId>,
    /// Whether the events behind observations are listed.
    #[serde(default)]
    pub evidence: bool,
}

/// Answer of `POST /api/rows` and `afterword show --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowsAnswer {
    /// The rows that exist, in the order asked, each once.
    pub rows: Vec<WholeRow>,
    /// Ids that name no row.
    pub unknown: Vec<PublicId>,
}

/// Everything about one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WholeRow {
    /// Its public id.
    pub id: PublicId,
    /// Unique across machines.
    pub uid: Uuid,
    /// What it is.
    pub kind: Kind,
    /// As in a timeline.
    pub label: String,
    /// One line.
    pub title: String,
    /// The whole text.
    pub text: String,
    /// The project's name.
    pub project: String,
    /// The agent's session id; empty for rows without a session.
    pub session: String,
    /// When it was made.
    pub created_at: Time,
    /// Files it concerns.
    pub files: Vec<String>,
    /// The fields of its kind as they are stored.
    pub fields: Value,
    /// The events behind an observation, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// An event behind an observation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// When it happened.
    pub at: Time,
    /// The event's kind, such as `tool-use`.
    pub kind: String,
    /// What happened, on one line of at most 200 characters.
    pub line: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_an_id_or_a_time() {
        let at = |text: &str| text.parse::<Anchor>();
        assert_eq!(at("#o12").unwrap().to_string(), "o12");
        assert_eq!(at("2026-11-30").unwrap(), Anchor::At("2026-11-30".parse().unwrap()));
        assert!(at("yesterday").is_err());
        let anchor = at("2026-11-30T10:00:00Z").unwrap();
        let json = serde_json::to_string(&anchor).unwrap();
        assert_eq!(serde_json::from_str::<Anchor>(&json).unwrap(), anchor);
    }
}
