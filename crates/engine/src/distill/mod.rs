//! Events into observations and summaries, by rules and without a model.
//!
//! Intake keeps a [`digest()`] of every event; [`by_rules`] reads the digests of a turn and tells
//! what was done, what failed and what fixed it, what was decided and found out; [`roll_up`] makes
//! the session's summary of those of its turns. All of it is a pure function of its input: the
//! same digests give the same bytes, in time linear in their number. English and Chinese.

mod code;
mod command;
mod cues;
mod digest;
mod entry;
mod findings;
pub mod model;
mod proposals;
mod prose;
mod snapshot;
mod summary;
#[cfg(test)]
mod tests;
mod turn;
mod vocabulary;
mod words;

use afterword_domain::observation::ObservationContent;
use afterword_domain::summary::SummaryContent;
use afterword_store::contract::StoredDigest;

pub(crate) use cues::Wording;
pub use digest::digest;
pub(crate) use digest::project_path;
pub(crate) use entry::{observation_entry, summary_entry};
pub(crate) use prose::sentences;
pub use snapshot::snapshot_text;
pub(crate) use summary::MAX_TURNS;
pub use summary::roll_up;
pub(crate) use words::UNANSWERED;

use findings::Known;
use turn::Turn;

/// What the rules find in a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distilled {
    /// The findings, each with a key that is stable when the turn is distilled again.
    pub observations: Vec<Finding>,
    /// The turn's summary; none for a turn that says nothing.
    pub summary: Option<SummaryContent>,
}

/// One finding of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable when the turn is distilled again with more events, and unique in its turn: `work`,
    /// `failure:EVENT`, `decision:HASH`, `discovery:HASH` or `preference:HASH`, with `@ID` behind
    /// it for a sub-agent.
    pub rule_key: String,
    /// What it says: a title of at most 120 characters, a narrative of 1,500, ten facts of 300.
    pub content: ObservationContent,
    /// The events it rests on, ascending, at most 200.
    pub event_ids: Vec<i64>,
    /// The sub-agent it came from.
    pub subagent: Option<String>,
}

/// Distils a turn by rules from the digests of its events, in order of arrival.
///
/// Concepts mark what a reader should know: `unresolved` (failed and not passed since),
/// `problem-solution`, `preference` (a standing rule or a choice of the person), `what-changed`,
/// `how-it-works`, `trade-off`, `why-it-exists`. Guesses are not kept.
pub fn by_rules(turn: &[StoredDigest]) -> Distilled {
    let turn = Turn::of(turn);
    let known = Known::of(&turn);
    Distilled {
        observations: findings::findings(&turn, &known),
        summary: summary::of_turn(&turn, &known),
    }
}
