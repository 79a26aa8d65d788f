//! What was said: decisions and findings of the final answers, rules and choices of the person.

use std::collections::HashSet;

use afterword_domain::observation::ObservationContent;
use afterword_domain::text::{cut_chars, hex};
use sha2::{Digest as _, Sha256};

use super::{Finding, finish};
use crate::analyze::text_key;
use crate::distill::cues::Wording;
use crate::distill::proposals::proposed;
use crate::distill::prose::{Sentence, joined};
use crate::distill::turn::Turn;

/// Statements of each sort in one turn.
const MAX_EACH: usize = 3;

/// Characters of a statement; longer ones are rather pasted than said.
const MAX_CHARS: usize = 420;

/// Sentences of a prompt that are looked at: what comes later in a long one is material.
const MAX_PROMPT_SENTENCES: usize = 40;

/// A statement, before it is a finding.
pub(in crate::distill) struct Said {
    /// The sentence.
    pub(in crate::distill) text: String,
    /// `decision` or `discovery`.
    pub(in crate::distill) kind: &'static str,
    /// A rule or a choice of the person.
    pub(in crate::distill) preference: bool,
    context: String,
    event_id: i64,
}

/// The statements of a turn, each once: the person's first, then the agent's, in order.
pub(in crate::distill) fn said(turn: &Turn<'_>) -> Vec<Said> {
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    if let Some(prompt) = turn.prompt {
        let sentences = &turn.request_sentences;
        let shown = &sentences[..sentences.len().min(MAX_PROMPT_SENTENCES)];
        from_person(shown, prompt.event_id, &mut seen, &mut out);
    }
    choices(turn, &mut seen, &mut out);
    for answer in &turn.main.answers {
        from_agent(&answer.sentences, answer.event.event_id, &mut seen, &mut out);
    }
    let mut counts = [0usize; 3];
    out.retain(|said| {
        let sort = if said.preference { 0 } else { 1 + usize::from(said.kind == "discovery") };
        counts[sort] += 1;
        counts[sort] <= MAX_EACH
    });
    out
}

fn from_person(
    sentences: &[Sentence],
    event_id: i64,
    seen: &mut HashSet<String>,
    out: &mut Vec<Said>,
) {
    for (at, sentence) in sentences.iter().enumerate() {
        let wording = Wording::new(&sentence.text);
        if sentence.heading || wording.is_no_statement() || !is_sized(&sentence.text) {
            continue;
        }
        let preference = wording.is_preference();
        let decision = preference || (wording.is_decision() && !wording.is_hedged());
        if decision && seen.insert(text_key(&sentence.text)) {
            let context = context(sentences, at);
            out.push(Said {
                text: sentence.text.clone(),
                kind: "decision",
                preference,
                context,
                event_id,
            });
        }
    }
}

/// Answers of the person to questions that the agent put.
fn choices(turn: &Turn<'_>, seen: &mut HashSet<String>, out: &mut Vec<Said>) {
    for stored in &turn.main.tools {
        let digest = stored.digest;
        let asked = digest.tool.to_ascii_lowercase().contains("question") && !digest.failed;
        for line in digest.detail.lines().filter(|l| asked && l.contains(" → ")) {
            // How to go on with this conversation is nothing to keep.
            let passing =
                ["do next", "to proceed", "接下来"].iter().any(|word| line.contains(word));
            if !passing && seen.insert(text_key(line)) {
                let context = digest.detail.clone();
                out.push(Said {
                    text: line.to_owned(),
                    kind: "decision",
                    preference: true,
                    context,
                    event_id: stored.event_id,
                });
            }
        }
    }
}

fn from_agent(
    sentences: &[Sentence],
    event_id: i64,
    seen: &mut HashSet<String>,
    out: &mut Vec<Said>,
) {
    let mut to_do = false;
    let proposed = proposed(sentences);
    for (at, sentence) in sentences.iter().enumerate() {
        let wording = Wording::new(&sentence.text);
        if sentence.heading || !sentence.bullet {
            to_do = wording.is_next_steps();
        }
        let open = to_do || sentence.ticked == Some(false) || wording.leaves_open();
        if sentence.heading
            || open
            || proposed[at]
            || wording.is_no_statement()
            || wording.is_hedged()
            || !is_sized(&sentence.text)
        {
            continue;
        }
        let kind = if wording.is_decision() || wording.is_replacement() {
            "decision"
        } else if wording.is_finding() {
            "discovery"
        } else {
            continue;
        };
        if seen.insert(text_key(&sentence.text)) {
            let context = context(sentences, at);
            out.push(Said {
                text: sentence.text.clone(),
                kind,
                preference: false,
                context,
                event_id,
            });
        }
    }
}

/// Long enough to say something, short enough to be one statement.
fn is_sized(text: &str) -> bool {
    let chars = text.chars().count();
    let least = if text.is_ascii() { 18 } else { 6 };
    (least..=MAX_CHARS).contains(&chars) && !text.ends_with([':', '：'])
}

/// The statement with what stands around it in its paragraph, under its heading.
fn context(sentences: &[Sentence], at: usize) -> String {
    let own = &sentences[at];
    let heading = sentences[..at].iter().rev().take(12).find(|s| s.heading);
    let mut lines: Vec<String> =
        heading.map(|h| format!("{}:", h.text.trim_end_matches([':', '：']))).into_iter().collect();
    let near = at.saturating_sub(3)..(at + 4).min(sentences.len());
    let same = sentences[near].iter().filter(|s| s.paragraph == own.paragraph && !s.heading);
    lines.extend(same.map(|s| s.text.clone()));
    joined(&lines, " ", 900)
}

pub(super) fn findings(turn: &Turn<'_>, said: &[Said]) -> Vec<Finding> {
    said.iter().filter_map(|said| finding(turn, said)).collect()
}

fn finding(turn: &Turn<'_>, said: &Said) -> Option<Finding> {
    let sort = if said.preference { "preference" } else { said.kind };
    let key = format!("{sort}:{}", short_hash(&text_key(&said.text)));
    let subject = turn.subject();
    let concept = match sort {
        "decision" => "trade-off",
        "discovery" => "why-it-exists",
        other => other,
    };
    let content = ObservationContent {
        r#type: said.kind.to_owned(),
        title: title(&said.text),
        subtitle: if subject == said.text { String::new() } else { subject },
        narrative: said.context.clone(),
        concepts: vec![concept.to_owned()],
        ..ObservationContent::default()
    };
    finish(&turn.main, &key, content, vec![said.event_id])
}

/// The statement; of a choice rather the question is cut than the answer.
fn title(text: &str) -> String {
    let Some((question, answer)) = text.rsplit_once(" → ") else {
        return cut_chars(text, super::MAX_TITLE);
    };
    let room = super::MAX_TITLE.saturating_sub(answer.chars().count() + 3).max(30);
    format!("{} → {answer}", cut_chars(question, room))
}

fn short_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..6])
}
