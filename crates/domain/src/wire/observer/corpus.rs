//! Corpora: named choices of observations that questions are put to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// A corpus as it is kept and shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corpus {
    /// The version of this form: 1.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// What it is about, in a person's words.
    pub description: String,
    /// When it was made.
    pub created_at: Time,
    /// When it was last built.
    pub updated_at: Time,
    /// What was chosen.
    pub filter: CorpusFilter,
    /// What is in it.
    pub stats: CorpusStats,
    /// How an answer from it is to be read.
    pub system_prompt: String,
    /// Set once it was primed: whoever asks may name it.
    pub session_id: Option<String>,
}

/// Which observations belong to a corpus: those that every part which is given allows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CorpusFilter {
    /// The name of a project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Concepts, of which one must be there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub concepts: Vec<String>,
    /// Files, of which one must be concerned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What they are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Only at or after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_start: Option<String>,
    /// Only up to this time; a day counts itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_end: Option<String>,
    /// Most of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// What is in a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusStats {
    /// How many observations.
    pub observation_count: usize,
    /// About how many tokens their texts have.
    pub token_estimate: usize,
    /// From when to when; the time of building where there are none.
    pub date_range: CorpusRange,
    /// How many of each type.
    pub type_breakdown: BTreeMap<String, usize>,
}

/// From when to when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusRange {
    /// The oldest.
    pub earliest: Time,
    /// The newest.
    pub latest: Time,
}
