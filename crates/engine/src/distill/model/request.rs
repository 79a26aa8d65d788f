//! What a model is asked: a role that never changes, and what happened in one turn or session.

use std::fmt::Write as _;

use afterword_domain::privacy::clean;
use afterword_domain::summary::{Summary, SummaryContent};
use afterword_domain::text::{cut_chars, one_line};

use super::evidence::{Evidence, harmless};
use super::language::Language;
use super::mode::Mode;
use crate::provider::Ask;

/// Tokens of the answer about a turn, thinking included.
const TURN_TOKENS: u32 = 2_500;

/// Tokens of the answer about a session, thinking included.
const SESSION_TOKENS: u32 = 1_500;

/// Bytes of what a session's turns say.
pub const SESSION_ROOM: usize = 10_000;

/// The question about one turn. `so_far` is the session's summary before it, `room` bounds the
/// bytes of the evidence.
pub fn about_turn(
    mode: &Mode,
    language: &Language,
    project: &str,
    so_far: Option<&SummaryContent>,
    evidence: &Evidence,
    room: usize,
) -> Ask {
    let mut prompt = String::new();
    if let Some(so_far) = so_far {
        let told = short(so_far, [300, 0, 400, 500, 300]);
        if !told.is_empty() {
            prompt = format!("<so_far>\nThe session before this turn:\n{told}</so_far>\n\n");
        }
    }
    let project = harmless(&cut_chars(&one_line(project), 100));
    write!(prompt, "<turn>\nProject: {project}\n\n{}</turn>\n\n", evidence.text(room))
        .expect("a string takes all");
    let written = written(evidence.request(), so_far);
    prompt.push_str(&language.told(&written));
    prompt.push_str(" Answer with the blocks only.");
    Ask { system: system(mode), prompt, max_output_tokens: TURN_TOKENS }
}

/// The question about a session: what was written about it before, and the turns that came since,
/// oldest first. When they do not fit, the newest are kept.
pub fn about_session(
    mode: &Mode,
    language: &Language,
    project: &str,
    before: Option<&SummaryContent>,
    turns: &[Summary],
    room: usize,
) -> Ask {
    let mut prompt = String::from("<session>\n");
    let project = harmless(&cut_chars(&one_line(project), 100));
    writeln!(prompt, "Project: {project}\n").expect("a string takes all");
    if let Some(before) = before {
        let told = short(before, [400, 500, 900, 900, 500]);
        writeln!(prompt, "What was written before:\n{told}").expect("a string takes all");
    }
    let mut left = room.saturating_sub(prompt.len());
    let mut kept: Vec<String> = Vec::new();
    for turn in turns.iter().rev() {
        let told = short(&turn.content, [300, 200, 500, 500, 300]);
        let told = format!("Turn {}:\n{told}", turn.prompt_number);
        if told.len() > left {
            break;
        }
        left -= told.len();
        kept.push(told);
    }
    let left_out = turns.len() - kept.len();
    if left_out > 0 {
        writeln!(prompt, "[… {left_out} turns left out …]").expect("a string takes all");
    }
    kept.iter().rev().for_each(|told| prompt.push_str(told));
    prompt.push_str("</session>\n\n");
    let first = turns.first().map_or("", |turn| turn.content.request.as_str());
    prompt.push_str(&language.told(&written(first, before)));
    prompt.push_str(" Answer with the block only.");
    Ask { system: session_system(mode), prompt, max_output_tokens: SESSION_TOKENS }
}

/// What the person wrote: the request, or the session's where that is too short to tell a language.
pub(crate) fn written(request: &str, before: Option<&SummaryContent>) -> String {
    let told = before.map_or("", |before| before.request.as_str());
    if request.chars().count() >= 12 { request.to_owned() } else { format!("{request} {told}") }
}

/// The role, which is the same for every turn of a mode.
fn system(mode: &Mode) -> String {
    let list = |words: &std::collections::BTreeMap<String, String>| {
        let lines = words.iter().map(|(word, meaning)| format!("- {word}: {meaning}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    format!(
        "{}\n\n{}\n\n{}\n\nTypes:\n{}\n\nConcepts:\n{}\n\n{}\n\n{}",
        mode.role,
        mode.record,
        mode.skip,
        list(&mode.types),
        list(&mode.concepts),
        include_str!("prompts/protocol.md").trim(),
        include_str!("prompts/answer.md").trim()
    )
}

/// The role for sessions: a mode's own words first, where it has some.
fn session_system(mode: &Mode) -> String {
    let task = include_str!("prompts/session.md").trim();
    if mode.role == Mode::default().role {
        return task.to_owned();
    }
    format!("{}\n\n{task}", mode.role)
}

/// A summary in a few lines; `most` are the characters of request, investigated, learned,
/// completed and next steps.
fn short(summary: &SummaryContent, most: [usize; 5]) -> String {
    let fields = [
        ("wanted", &summary.request),
        ("looked into", &summary.investigated),
        ("learned", &summary.learned),
        ("done", &summary.completed),
        ("left to do", &summary.next_steps),
    ];
    let mut out = String::new();
    for ((label, text), most) in fields.into_iter().zip(most) {
        let text = harmless(&cut_chars(clean(text).trim(), most));
        if most > 0 && !text.is_empty() {
            writeln!(out, "{label}: {text}").expect("a string takes all");
        }
    }
    out
}
