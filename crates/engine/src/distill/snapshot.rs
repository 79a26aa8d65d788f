//! The text that is kept before a compaction.

use afterword_domain::text::{cut_chars, one_line};
use afterword_store::contract::StoredDigest;

use super::findings::{deeds, failures, gist, said};
use super::prose::listed;
use super::summary::next_steps;
use super::turn::Turn;
use super::words::{Words, quoted};

/// Characters of a snapshot.
const MAX_SNAPSHOT: usize = 6_000;

/// The text of a snapshot from the digests of what came since the last one.
///
/// At most 6,000 characters: requests, files, commands and their outcome, errors that are open,
/// decisions, findings, the last answer and what is left to do; of each the newest when there is
/// more. Sub-agents' events are left out. Empty when nothing was done.
pub fn snapshot_text(digests: &[StoredDigest]) -> String {
    let turns: Vec<Turn<'_>> =
        digests.chunk_by(|a, b| a.prompt_number == b.prompt_number).map(Turn::of).collect();
    let Some(last) = turns.iter().rev().find(|turn| !turn.is_empty()) else { return String::new() };
    let words = turns.iter().find(|t| !t.request.is_empty()).unwrap_or(last).words;
    let whole = Turn::of(digests);
    let mut out = Sections { text: String::new(), words };

    let requests = turns.iter().map(|t| cut_chars(&one_line(&t.request), 300));
    out.lines(words.requests, requests.collect(), 1_500);
    let modified = whole.main.modified();
    if !modified.is_empty() {
        out.line(words.files_changed, &listed(&modified, 40, 900));
    }
    let read = whole.main.only_read();
    if !read.is_empty() {
        out.line(words.files_read, &listed(&read, 20, 400));
    }
    let runs = turns.iter().flat_map(|t| deeds(&t.main, words));
    let runs = runs.map(|(label, outcome)| format!("`{label}`{}{outcome}", words.colon));
    out.lines(words.commands, runs.collect(), 900);
    let errors = failures(&whole.main);
    let errors = errors.iter().filter(|f| f.is_open());
    let errors = errors.map(|f| format!("`{}`{}{}", f.label, words.colon, quoted(&f.error(240))));
    out.lines(words.open_errors, errors.collect(), 700);
    let said: Vec<_> = turns.iter().flat_map(said).collect();
    for (kind, label) in [("decision", words.decisions), ("discovery", words.findings)] {
        let of_kind = said.iter().filter(|s| s.kind == kind).map(|s| cut_chars(&s.text, 300));
        out.lines(label, of_kind.collect(), 800);
    }
    if let Some(answer) = whole.main.last_answer() {
        let told = gist(&answer.sentences, 500);
        if !told.is_empty() {
            out.line(words.last_answer, &told);
        }
    }
    let steps = next_steps(last);
    out.lines(
        words.todo,
        steps.lines().map(|l| l.trim_start_matches("- ").to_owned()).collect(),
        500,
    );
    cut_chars(out.text.trim(), MAX_SNAPSHOT)
}

struct Sections {
    text: String,
    words: &'static Words,
}

impl Sections {
    fn line(&mut self, label: &str, text: &str) {
        self.text.push_str(label);
        self.text.push_str(self.words.colon.trim_end());
        self.text.push(' ');
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A list under a label; the newest lines that fit, in their order, each once.
    fn lines(&mut self, label: &str, lines: Vec<String>, max_chars: usize) {
        let mut kept: Vec<String> = Vec::new();
        let mut chars = 0;
        for line in lines.into_iter().rev().filter(|l| !l.is_empty()) {
            if kept.contains(&line) {
                continue;
            }
            chars += line.chars().count() + 3;
            if chars > max_chars && !kept.is_empty() {
                break;
            }
            kept.push(cut_chars(&line, max_chars));
        }
        if kept.is_empty() {
            return;
        }
        self.text.push_str(label);
        self.text.push_str(self.words.colon.trim_end());
        self.text.push('\n');
        for line in kept.iter().rev() {
            self.text.push_str("- ");
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}
