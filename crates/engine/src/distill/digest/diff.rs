//! The lines a change took away and put in.

use afterword_domain::text::cut_chars;
use serde_json::Value;

use crate::distill::code::is_definition;

/// Changed lines of one digest.
const MAX_LINES: usize = 24;

/// Characters of one line.
const MAX_LINE: usize = 140;

/// Bytes of a whole change.
const MAX_BYTES: usize = 1_200;

/// The changed lines of an edit, `-` and `+` in front, cut; empty when none are told.
///
/// Reads a patch of hunks in the answer, else the old and new strings of the question (one edit or
/// a list), else a patch text.
pub(super) fn changed_lines(input: &Value, output: &Value) -> String {
    let mut lines = Lines::default();
    lines.hunks(&output["structuredPatch"]);
    if lines.is_empty() {
        lines.edits(input);
    }
    if lines.is_empty() {
        for text in [&input["patch"], &input["diff"], &input["input"], input] {
            if let Some(text) = text.as_str() {
                lines.patch(text);
            }
        }
    }
    lines.text
}

/// The lines of a new file that say most: its first, and what it defines.
pub(super) fn first_lines(content: &str) -> String {
    let mut lines = Lines::default();
    for (at, line) in content.lines().take(2_000).enumerate() {
        let telling = line.chars().any(char::is_alphanumeric);
        if telling && lines.count < 10 && ((at < 12 && lines.count < 3) || is_definition(line)) {
            lines.push("", line);
        }
    }
    lines.text
}

#[derive(Default)]
struct Lines {
    text: String,
    count: usize,
}

impl Lines {
    fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn is_full(&self) -> bool {
        self.count >= MAX_LINES || self.text.len() >= MAX_BYTES
    }

    fn push(&mut self, sign: &str, line: &str) {
        let line = line.trim();
        if line.is_empty() || self.is_full() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(sign);
        self.text.push_str(&cut_chars(line, MAX_LINE));
        self.count += 1;
    }

    fn signed(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix('+') {
            self.push("+ ", rest);
        } else if let Some(rest) = line.strip_prefix('-') {
            self.push("- ", rest);
        }
    }

    fn hunks(&mut self, patch: &Value) {
        for hunk in patch.as_array().into_iter().flatten() {
            for line in hunk["lines"].as_array().into_iter().flatten() {
                self.signed(line.as_str().unwrap_or_default());
            }
        }
    }

    fn edits(&mut self, input: &Value) {
        self.pair(input);
        for edit in input["edits"].as_array().into_iter().flatten() {
            self.pair(edit);
        }
    }

    fn pair(&mut self, edit: &Value) {
        let named = |names: [&str; 3]| names.iter().find_map(|name| edit[*name].as_str());
        let old = named(["old_string", "oldString", "old_str"]).unwrap_or_default();
        let new = named(["new_string", "newString", "new_str"]).unwrap_or_default();
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[head..], &new[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        // Both sides get their share of the room.
        for line in old[..old.len() - tail].iter().take(MAX_LINES / 3) {
            self.push("- ", line);
        }
        for line in &new[..new.len() - tail] {
            self.push("+ ", line);
        }
    }

    fn patch(&mut self, text: &str) {
        let body = |l: &&str| !l.starts_with("+++") && !l.starts_with("---");
        for line in text.lines().filter(body) {
            if self.is_full() {
                return;
            }
            self.signed(line);
        }
    }
}
