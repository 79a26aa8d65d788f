//! The search answer of `GET /api/search` and `afterword search --json`.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ids::{Kind, PublicId};
use crate::project::ProjectRef;
use crate::time::Time;

/// What is asked, as `POST /api/search` takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchRequest {
    /// Any text; empty lists the newest.
    #[serde(default)]
    pub query: String,
    /// The project to look in; none looks everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectRef>,
    /// Only this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Only what was made at or after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// Only what was made before this time; [`Time::end_of`] reads a day that is to count itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// Only rows that concern this file, because they list it or name it: its absolute path, its path
    /// from the project's root (`./src/a.rs`), or the end of either (`src/a.rs`, `a.rs`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Only rows of sessions of this agent, such as `claude-code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Most results; 20 unless said, 1 to 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Whether results show what matched.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub highlight: bool,
    /// Whether each result says why it ranks where it does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explain: bool,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchAnswer {
    /// Best first; newest first for an empty query.
    pub results: Vec<SearchResult>,
    /// How many rows matched before the limit; counted up to 2,000.
    pub total: usize,
    /// Why nothing was found, where the request itself is the reason, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One row that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchResult {
    /// Its public id.
    pub id: PublicId,
    /// Unique across machines.
    pub uid: Uuid,
    /// What it is.
    pub kind: Kind,
    /// One line.
    pub title: String,
    /// The whole text of the row.
    pub text: String,
    /// In [0, 1]; 0.5 and more means that it answers the question.
    pub score: f64,
    /// The project's name.
    pub project: String,
    /// The agent's session id; empty for rows without a session.
    pub session: String,
    /// When it was made.
    pub created_at: Time,
    /// Files it concerns.
    pub files: Vec<String>,
    /// What matched, where it was asked for and the query has words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highlight: Option<Highlight>,
    /// Why it ranks where it does; only where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

/// What of a row matched: texts in parts, which joined give the text again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Highlight {
    /// The title.
    pub title: Vec<Part>,
    /// The part of the text around most of the matches, on one line of at most 240 characters, with an
    /// ellipsis where something was left out. Empty where the text says no more than the title.
    pub snippet: Vec<Part>,
    /// The words of the row that were asked for, as they are written there, each once, at most 12.
    #[serde(default)]
    pub words: Vec<String>,
}

/// A piece of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// The piece.
    pub text: String,
    /// Whether it is a word that was asked for.
    #[serde(rename = "match", default, skip_serializing_if = "std::ops::Not::not")]
    pub matched: bool,
}

/// What a score is made of: the numbers add up to it, up to rounding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Why {
    /// By words of the question that the row holds.
    pub words: f64,
    /// By what the row means; 0 where nothing is embedded.
    pub meaning: f64,
    /// By the rows before and after it in its session.
    pub neighbours: f64,
    /// By a date that the question names.
    pub date: f64,
    /// What its age takes away, or that a newer row says otherwise; 0 or less.
    pub recency: f64,
    /// The terms of the question that the row holds, as they are indexed.
    pub matched: Vec<String>,
    /// Whether a newer row says otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
}
