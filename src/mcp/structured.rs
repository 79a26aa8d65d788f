//! What the tools answer, for programs and for clients that show the model nothing else. What says
//! nothing is left out.

use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

/// Answer of `search`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Found {
    /// Best first; newest first without a query.
    pub(super) results: Vec<Hit>,
    /// How many rows matched.
    pub(super) total: usize,
    pub(super) note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Hit {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) date: String,
    /// In [0, 1]; 0.5 and more answers the question.
    pub(super) score: f64,
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<String>,
}

/// Answer of `timeline`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Around {
    /// The row in the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) anchor: Option<String>,
    /// Oldest first.
    pub(super) entries: Vec<Entry>,
    /// Whether there are earlier rows.
    pub(super) more_before: bool,
    /// Whether there are later rows.
    pub(super) more_after: bool,
    pub(super) note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) at: String,
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
}

/// Answer of `get_observations`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Details {
    pub(super) rows: Vec<Row>,
    /// What was asked for and names no row.
    pub(super) unknown: Vec<String>,
    pub(super) note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) at: String,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) project: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<String>,
    /// Characters of the text that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<usize>,
}

/// Answer of `remember`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Remembered {
    pub(super) id: String,
    pub(super) uid: String,
    pub(super) project: String,
}

/// Answer of `forget`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Forgotten {
    pub(super) forgotten: Vec<String>,
    /// Ids that name no row.
    pub(super) unknown: Vec<String>,
}

/// Answer of `projects`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Known {
    /// Last seen first.
    pub(super) projects: Vec<Project>,
    /// The one that the agent works in.
    pub(super) current: String,
    pub(super) note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Project {
    pub(super) name: String,
    pub(super) root: String,
    pub(super) last_seen: String,
}
