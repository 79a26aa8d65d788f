//! Rows on their way out of one store and into another: `export`, `import`, JSON Lines.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::ids::Kind;
use crate::time::Time;

/// One line of an export file. Only `text` is needed to import a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortableRow {
    /// Unique across machines: a row that is known by its uid is not imported again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<Uuid>,
    /// What it is; a memory unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// One line for lists.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The text.
    pub text: String,
    /// The project's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The project's keys, so that it is the same project on another machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub project_keys: Vec<String>,
    /// The agent that the session belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agent's session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The prompt it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_number: Option<i64>,
    /// When it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Time>,
    /// Files it concerns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// A caller's own fields.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    /// The fields of an observation or a summary, exactly.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub content: Value,
}

/// Answer of `POST /api/import` for one batch of lines, and the sum over a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportReport {
    /// Lines that were not empty.
    pub read: u64,
    /// Rows that are new.
    pub stored: u64,
    /// Rows that were known, or forgotten earlier.
    pub skipped: u64,
    /// Lines that could not be used.
    pub failed: u64,
    /// The first of them, by line number, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ImportProblem>,
}

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportProblem {
    /// Counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}
