//! What the tools take. The comments are what the model reads.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

/// What a row is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Kind {
    Observation,
    Summary,
    Prompt,
    Memory,
    Snapshot,
}

impl From<Kind> for afterword_domain::Kind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Observation => Self::Observation,
            Kind::Summary => Self::Summary,
            Kind::Prompt => Self::Prompt,
            Kind::Memory => Self::Memory,
            Kind::Snapshot => Self::Snapshot,
        }
    }
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Search {
    /// Words of what you look for, any language; names, paths and identifiers work. Empty lists the newest.
    pub(super) query: String,
    /// Only this kind. observation: a piece of work; summary: of a turn or session; prompt: what the person typed; memory: told on purpose; snapshot: before a compaction.
    pub(super) kind: Option<Kind>,
    /// Only what was made on or after this day, YYYY-MM-DD.
    pub(super) since: Option<String>,
    /// Only what was made on or before this day.
    pub(super) until: Option<String>,
    /// Only sessions of this agent, such as claude-code.
    pub(super) agent: Option<String>,
    /// Only rows that concern this file: absolute, from the project's root, or the end of its path, such as a bare name.
    pub(super) file: Option<String>,
    /// Name of another project; the current one unless given.
    pub(super) project: Option<String>,
    /// Look in every project.
    pub(super) all_projects: bool,
    /// Most results, 1 to 50; 10 unless given.
    pub(super) limit: Option<u32>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Timeline {
    /// The id in the middle, such as o12, or a time such as 2026-11-30.
    pub(super) anchor: Option<String>,
    /// Instead of an anchor: the best match of this search is the middle.
    pub(super) query: Option<String>,
    /// Rows before the middle, up to 50; 5 unless given.
    pub(super) before: Option<u32>,
    /// Rows after the middle, up to 50; 5 unless given.
    pub(super) after: Option<u32>,
    /// Name of another project; the current one, or that of the anchor, unless given.
    pub(super) project: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Details {
    /// Ids of any kind, such as o12 or m4; at most 20.
    pub(super) ids: Vec<String>,
    /// Most characters of each text, up to 20000; 3000 unless given.
    #[serde(default)]
    pub(super) max_chars: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Remember {
    /// One lasting fact, decision or preference, in a sentence or two that can be understood without this conversation. Parts in <private> are not stored.
    pub(super) text: String,
    /// One line for lists.
    #[serde(default)]
    pub(super) title: Option<String>,
    /// Files it concerns, absolute or from the project's root: whoever touches one is told.
    #[serde(default)]
    pub(super) files: Vec<String>,
    /// The day it is from, YYYY-MM-DD; today unless given.
    #[serde(default)]
    pub(super) date: Option<String>,
    /// Name of another project; the current one unless given.
    #[serde(default)]
    pub(super) project: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Forget {
    /// Ids of the rows to delete, such as m4.
    pub(super) ids: Vec<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RecentContext {
    /// Name of another project; the current one unless given.
    pub(super) project: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Projects {}
