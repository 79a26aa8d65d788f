//! The summary of a turn.

use std::collections::HashSet;

use afterword_domain::event::ToolClass;
use afterword_domain::summary::SummaryContent;
use afterword_domain::text::{cut_chars, one_line};

use super::open_end::OpenEnd;
use crate::distill::cues::Wording;
use crate::distill::findings::{Known, gist};
use crate::distill::proposals::discusses;
use crate::distill::prose::{Sentence, joined, listed, sentences};
use crate::distill::turn::{Answer, Turn};

/// Characters of a request.
const MAX_REQUEST: usize = 500;

/// Characters of every other field.
const MAX_FIELD: usize = 1_500;

/// Files of each list.
const MAX_FILES: usize = 60;

/// Steps that are kept.
const MAX_STEPS: usize = 12;

/// The summary of a turn; none for a turn that says nothing.
pub(in crate::distill) fn of_turn(turn: &Turn<'_>, known: &Known<'_>) -> Option<SummaryContent> {
    if turn.is_empty() {
        return None;
    }
    let mut files_read = turn.main.only_read();
    let mut files_modified = turn.main.modified();
    let investigated = investigated(turn, &files_read);
    let completed = completed(turn, known, &files_modified);
    files_read.truncate(MAX_FILES);
    files_modified.truncate(MAX_FILES);
    Some(SummaryContent {
        request: cut_chars(&one_line(&turn.request), MAX_REQUEST),
        investigated,
        learned: learned(turn, known),
        completed,
        next_steps: next_steps(turn),
        notes: notes(turn, known),
        files_read,
        files_modified,
    })
}

fn investigated(turn: &Turn<'_>, read: &[String]) -> String {
    let words = turn.words;
    let mut lines = Vec::new();
    if !read.is_empty() {
        lines.push(format!("{}{}{}", words.read, words.colon, listed(read, 12, 500)));
    }
    let looked_up = turn.main.looked_up();
    for (class, label) in [(ToolClass::Search, words.searched), (ToolClass::Web, words.asked_web)] {
        let what: Vec<String> =
            looked_up.iter().filter(|(c, _)| *c == class).map(|(_, d)| format!("`{d}`")).collect();
        if !what.is_empty() {
            lines.push(format!("{label}{}{}", words.colon, listed(&what, 8, 400)));
        }
    }
    joined(&lines, "\n", MAX_FIELD)
}

fn learned(turn: &Turn<'_>, known: &Known<'_>) -> String {
    let words = turn.words;
    // The person's own rules are findings of their own; here is what the agent learned.
    let said = known.said.iter().filter(|said| !said.preference);
    let mut lines: Vec<String> = said.map(|s| cut_chars(&s.text, 300)).collect();
    let fixed = known.failures.iter().filter(|failure| failure.was_fixed());
    lines.extend(fixed.take(2).map(|failure| failure.told(words)));
    let answer = turn.main.last_answer();
    let nothing_done = turn.main.modified().is_empty() && known.deeds.is_empty();
    if lines.is_empty() {
        let tells = |a: &&Answer<'_>| nothing_done || discusses(&a.sentences);
        lines.extend(answer.filter(tells).map(|a| gist(&a.sentences, 900)));
    }
    joined(&lines, "\n", MAX_FIELD)
}

fn completed(turn: &Turn<'_>, known: &Known<'_>, modified: &[String]) -> String {
    let words = turn.words;
    let mut lines = Vec::new();
    let deeds = &known.deeds;
    if !modified.is_empty() || !deeds.is_empty() {
        // What was found and decided stands under "learned"; here is what is left of the answer.
        let told = |s: &&Sentence| {
            !known.said.iter().any(|said| said.text == s.text) && !Wording::new(&s.text).is_hedged()
        };
        let answer = turn.main.last_answer().filter(|a| !discusses(&a.sentences));
        let rest = answer.map(|a| a.sentences.iter().filter(told).cloned());
        lines.extend(rest.map(|rest| gist(&rest.collect::<Vec<_>>(), 500)));
    }
    let new: HashSet<&str> = created(turn).collect();
    let (created, edited): (Vec<String>, Vec<String>) =
        modified.iter().cloned().partition(|path| new.contains(path.as_str()));
    for (label, files) in [(words.edited, edited), (words.created, created)] {
        if !files.is_empty() {
            lines.push(format!("{label}{}{}", words.colon, listed(&files, 12, 400)));
        }
    }
    for (label, outcome) in deeds {
        if !outcome.starts_with(words.failed) {
            lines.push(format!("{} `{label}`{}{outcome}", words.ran, words.colon));
        }
    }
    joined(&lines, "\n", MAX_FIELD)
}

fn created<'t>(turn: &'t Turn<'_>) -> impl Iterator<Item = &'t str> {
    let new = turn.main.tools.iter().filter(|step| step.created());
    new.flat_map(|step| step.digest.paths.iter().map(String::as_str))
}

/// What is left to do: by the last answer, else by the agent's own list of to-dos.
pub(in crate::distill) fn next_steps(turn: &Turn<'_>) -> String {
    let mut steps = turn.main.last_answer().map_or_else(Vec::new, |a| steps_in(&a.sentences));
    if steps.is_empty() {
        let list = turn.main.tools.iter().rev().find(|s| s.digest.detail.starts_with("- ["));
        let todos = list.map_or_else(Vec::new, |s| sentences(&s.digest.detail));
        steps.extend(todos.into_iter().filter(|s| s.ticked == Some(false)).map(|s| s.text));
    }
    steps.retain(|step| !Wording::new(step).gives_orders());
    steps.truncate(MAX_STEPS);
    let lines: Vec<String> = steps.iter().map(|s| format!("- {}", cut_chars(s, 300))).collect();
    joined(&lines, "\n", MAX_FIELD)
}

fn steps_in(all: &[Sentence]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut list = StepList::default();
    for sentence in all {
        let wording = Wording::new(&sentence.text);
        let announces = wording.is_next_steps();
        if sentence.heading {
            list = StepList { open: announces, under_heading: announces, ..StepList::default() };
            continue;
        }
        if announces && !(list.open && sentence.bullet) {
            let rest = after_announcement(&sentence.text);
            let open = rest.is_empty();
            list = StepList { open, paragraph: sentence.paragraph, ..StepList::default() };
            if !open {
                out.push(rest);
            }
            continue;
        }
        list.go_on(sentence);
        let tells = !wording.is_no_statement() && !sentence.text.ends_with([':', '：']);
        let left =
            sentence.ticked == Some(false) || (tells && (list.open || wording.leaves_open()));
        if left && sentence.ticked != Some(true) && !out.contains(&sentence.text) {
            out.push(sentence.text.clone());
        }
    }
    out
}

/// Where a list of steps begins and ends.
#[derive(Default)]
struct StepList {
    open: bool,
    under_heading: bool,
    bullets: bool,
    paragraph: usize,
}

impl StepList {
    /// Prose after the list items, or in a new paragraph without a heading above, ends the list.
    fn go_on(&mut self, sentence: &Sentence) {
        let apart = !self.under_heading && sentence.paragraph > self.paragraph;
        if !sentence.bullet && (self.bullets || apart) {
            self.open = false;
        }
        self.bullets |= sentence.bullet;
    }
}

/// What follows `Next steps:` on its line; empty when the steps stand below it.
fn after_announcement(text: &str) -> String {
    let cut = text.find([':', '：']).filter(|at| text[..*at].chars().count() <= 40);
    match cut {
        Some(at) => text[at..].trim_start_matches([':', '：', ' ']).to_owned(),
        None if text.chars().count() <= 14 && text.is_ascii() => String::new(),
        None => text.to_owned(),
    }
}

/// What was left open.
fn notes(turn: &Turn<'_>, known: &Known<'_>) -> String {
    let open = OpenEnd::of_turn(turn, known);
    let lines: Vec<String> = open.iter().map(|end| end.line(turn.words)).collect();
    joined(&lines, "\n", MAX_FIELD)
}
