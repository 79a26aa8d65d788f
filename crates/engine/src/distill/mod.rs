//! Events into observations and summaries.

use afterword_domain::event::Event;
use afterword_domain::observation::ObservationContent;
use afterword_domain::summary::{Summary, SummaryContent};
use afterword_store::contract::{Digest, StoredDigest};

/// What distilling needs of an event, small and with paths relative to the project.
pub fn digest(_event: &Event) -> Digest {
    Digest::default()
}

/// What the rules find in a turn.
#[derive(Clone, Debug, Default)]
pub struct Distilled {
    /// The findings, each with a key that is stable when the turn is distilled again.
    pub observations: Vec<Finding>,
    /// The turn's summary; none for a turn that says nothing.
    pub summary: Option<SummaryContent>,
}

/// One finding of the rules.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Stable when the turn is distilled again with more events.
    pub rule_key: String,
    /// What it says.
    pub content: ObservationContent,
    /// The events it rests on.
    pub event_ids: Vec<i64>,
    /// The sub-agent it came from.
    pub subagent: Option<String>,
}

/// Distils a turn by rules from the digests of its events.
pub fn by_rules(_turn: &[StoredDigest]) -> Distilled {
    Distilled::default()
}

/// The summary of a session from those of its turns, oldest first.
pub fn roll_up(_turns: &[Summary]) -> Option<SummaryContent> {
    None
}

/// The text of a snapshot from the digests of what came since the last one.
pub fn snapshot_text(_digests: &[StoredDigest]) -> String {
    String::new()
}
