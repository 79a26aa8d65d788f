//! Rows that a person changes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::PublicId;
use crate::observation::ObservationContent;
use crate::summary::SummaryContent;
use crate::time::Time;

/// What a row is to say. Fields that are missing stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RowContent {
    /// One line, of an observation or a memory.
    pub title: Option<String>,
    /// The text of a memory.
    pub text: Option<String>,
    /// Files that a memory concerns.
    pub files: Option<Vec<String>>,
    /// The fields of an observation, whole.
    pub observation: Option<ObservationContent>,
    /// The fields of a summary, whole.
    pub summary: Option<SummaryContent>,
}

/// Body of `POST /api/viewer/revise`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviseRequest {
    /// An observation, a summary or a memory.
    pub id: PublicId,
    /// What it is to say.
    pub content: RowContent,
}

/// Body of `POST /api/viewer/merge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergeRequest {
    /// The observation or memory that stays.
    pub into: PublicId,
    /// Rows of the same kind and project that become part of it, at most 50.
    pub ids: Vec<PublicId>,
    /// What it is to say.
    #[serde(default)]
    pub content: RowContent,
}

/// What a row said before each change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Revisions {
    /// Newest first.
    pub revisions: Vec<RevisionRow>,
}

/// What a row said before a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RevisionRow {
    /// `edited` or `merged`.
    pub change: String,
    /// The fields of its kind; of a merge, in `took_in`, those of each row that became part of it.
    pub before: Value,
    /// When.
    pub at: Time,
}
