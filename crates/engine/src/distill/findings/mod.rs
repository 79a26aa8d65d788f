//! What the rules find in a turn. The agent's own findings and those of its sub-agents are kept
//! apart: a finding rests on events of one of them only.

mod changes;
mod failures;
mod statements;
mod work;

use afterword_domain::observation::ObservationContent;
use afterword_domain::text::cut_chars;

use super::Finding;
use super::turn::{Actor, Turn};

pub(super) use failures::{Failure, failures};
pub(super) use statements::{Said, said};
pub(super) use work::{deeds, gist};

/// Characters of a title or a subtitle.
const MAX_TITLE: usize = 120;

/// Characters of a narrative.
const MAX_NARRATIVE: usize = 1_500;

/// Facts of one finding, and characters of each.
const MAX_FACTS: usize = 10;
const MAX_FACT: usize = 300;

/// Files of one finding, read or changed.
const MAX_FILES: usize = 60;

/// Events that one finding names as its evidence.
const MAX_EVIDENCE: usize = 200;

/// What findings and summary of a turn both tell of the agent itself.
pub(super) struct Known<'t> {
    /// Decisions, findings and rules that were said.
    pub(super) said: Vec<Said>,
    /// Commands that failed.
    pub(super) failures: Vec<Failure<'t>>,
    /// Commands worth telling, with their outcome.
    pub(super) deeds: Vec<(String, String)>,
}

impl<'t> Known<'t> {
    pub(super) fn of(turn: &'t Turn<'_>) -> Self {
        let main = &turn.main;
        Self { said: said(turn), failures: failures(main), deeds: deeds(main, turn.words) }
    }
}

/// Every finding of a turn: the work, what failed, what was said; then those of sub-agents.
pub(super) fn findings(turn: &Turn<'_>, known: &Known<'_>) -> Vec<Finding> {
    let mut out = of_actor(turn, &turn.main, &known.deeds, &known.failures);
    out.extend(statements::findings(turn, &known.said));
    for subagent in &turn.subagents {
        let deeds = deeds(subagent, turn.words);
        out.extend(of_actor(turn, subagent, &deeds, &failures(subagent)));
    }
    out
}

fn of_actor(
    turn: &Turn<'_>,
    actor: &Actor<'_>,
    deeds: &[(String, String)],
    failures: &[Failure<'_>],
) -> Vec<Finding> {
    let mut out: Vec<Finding> = work::finding(turn, actor, deeds).into_iter().collect();
    out.extend(failures::findings(turn, actor, failures));
    out
}

/// A finding within the limits, its key told apart by the sub-agent; none without a title.
fn finish(
    actor: &Actor<'_>,
    key: &str,
    mut content: ObservationContent,
    mut event_ids: Vec<i64>,
) -> Option<Finding> {
    content.title = cut_chars(content.title.trim(), MAX_TITLE);
    if !content.title.chars().any(char::is_alphanumeric) {
        return None;
    }
    content.subtitle = cut_chars(content.subtitle.trim(), MAX_TITLE);
    content.narrative = cut_chars(content.narrative.trim(), MAX_NARRATIVE);
    content.facts.truncate(MAX_FACTS);
    for fact in &mut content.facts {
        *fact = cut_chars(fact, MAX_FACT);
    }
    content.files_read.truncate(MAX_FILES);
    content.files_modified.truncate(MAX_FILES);
    event_ids.sort_unstable();
    event_ids.dedup();
    event_ids.truncate(MAX_EVIDENCE);
    let rule_key = match actor.subagent {
        Some(id) => format!("{key}@{id}"),
        None => key.to_owned(),
    };
    Some(Finding { rule_key, content, event_ids, subagent: actor.subagent.map(str::to_owned) })
}
