//! The evidence of a turn as it is shown to a model: numbered, small, and cut with marks.

use std::collections::HashMap;
use std::fmt::Write as _;

use afterword_domain::Time;
use afterword_domain::event::ToolClass;
use afterword_domain::privacy::clean;
use afterword_domain::text::{cut_chars, head_and_tail, one_line};
use afterword_store::contract::StoredDigest;

use super::super::prose::without_injected;

/// Bytes of the evidence of one turn.
pub const ROOM: usize = 14_000;

/// Pieces that are shown from the beginning and from the end of a turn.
const HEAD: usize = 30;
const TAIL: usize = 90;

/// Characters of the line that names a piece.
const LINE: usize = 180;

/// Bytes of what a tool changed or answered.
const BODY: usize = 700;

/// Bytes of an answer, and of the person's request.
const TOLD: usize = 3_000;

/// Bytes of the mark that takes a body's place: a body that is no longer is shown.
const MARK: usize = 28;

/// Characters of the line that says how a run ended.
const ENDING: usize = 160;

/// The weight of the agent's answer; only the person's request has more.
const ANSWER: u8 = 8;

/// What a piece of evidence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The person's request.
    Request,
    /// The agent's answer, or a sub-agent's.
    Answer,
    /// A use of a tool.
    Tool,
}

/// A piece of evidence: its number is its place, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub what: What,
    /// The events behind it: several when the same was done again.
    pub event_ids: Vec<i64>,
    /// The sub-agent that it came from.
    pub subagent: Option<String>,
    /// Files that were read.
    pub read: Vec<String>,
    /// Files that were changed.
    pub modified: Vec<String>,
    /// When it last happened.
    pub at: Time,
    /// The line that names it.
    line: String,
    /// What stands under it.
    body: String,
    /// Whether it can show that a claim holds: something was run or changed, and that succeeded.
    pub shows: bool,
    /// A command was run.
    ran: bool,
    /// What is worth showing first; higher is more.
    weight: u8,
}

/// The evidence of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// All pieces, in order.
    pub pieces: Vec<Piece>,
}

impl Evidence {
    /// The evidence in the digests of a turn, in order of arrival. Linear in their number.
    pub fn of(digests: &[StoredDigest]) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut known: HashMap<(String, String), usize> = HashMap::new();
        for stored in digests {
            let Some(piece) = piece(stored) else { continue };
            let key = (piece.line.clone(), piece.body.clone());
            if let Some(again) = known.get(&key).filter(|_| piece.what == What::Tool) {
                let first = &mut pieces[*again];
                first.event_ids.extend(piece.event_ids);
                first.at = first.at.max(piece.at);
                continue;
            }
            known.insert(key, pieces.len());
            pieces.push(piece);
        }
        Self { pieces }
    }

    /// What the person asked, as it is shown.
    pub fn request(&self) -> &str {
        let asked = self.pieces.iter().find(|piece| piece.what == What::Request);
        asked.map_or("", |piece| &piece.body)
    }

    /// Whether there is something to write about: a tool ran, or an answer came.
    pub fn tells(&self) -> bool {
        self.pieces.iter().any(|piece| piece.what != What::Request)
    }

    /// The evidence as text of at most about `room` bytes. What is too much is cut, the least
    /// telling first, and every cut leaves a mark.
    pub fn text(&self, room: usize) -> String {
        let shown = self.shown(room);
        let bodies = self.bodies(&shown, room);
        let mut out = String::new();
        let mut left_out = 0_usize;
        for (at, piece) in self.pieces.iter().enumerate() {
            if !shown[at] {
                left_out += 1;
                continue;
            }
            mark_gap(&mut out, &mut left_out);
            let number = at + 1;
            writeln!(out, "[{number}] {}", piece.line).expect("a string takes all");
            match &bodies[at] {
                Some(body) if !body.is_empty() => {
                    out.push_str(body);
                    out.push('\n');
                }
                None if !piece.body.is_empty() => {
                    writeln!(out, "[… {} bytes left out …]", piece.body.len())
                        .expect("a string takes all");
                }
                _ => {}
            }
        }
        mark_gap(&mut out, &mut left_out);
        out
    }

    /// Which pieces are named: both ends of a long turn, and what the person and the agent said.
    fn shown(&self, room: usize) -> Vec<bool> {
        let count = self.pieces.len();
        // Lines alone may not take more than half of the room.
        let most = (room / 2 / 60).clamp(8, HEAD + TAIL);
        let head = most / 4;
        (0..count)
            .map(|at| {
                let told = self.pieces[at].what != What::Tool;
                at < head || at + (most - head) >= count || (told && count < 4 * most)
            })
            .collect()
    }

    /// What stands under each piece: all of it, cut, or nothing where the room is used up.
    fn bodies(&self, shown: &[bool], room: usize) -> Vec<Option<String>> {
        let named = self.pieces.iter().zip(shown).filter(|(_, shown)| **shown);
        let lines: usize = named.map(|(piece, _)| piece.line.len() + 8).sum();
        let mut left = room.saturating_sub(lines);
        let mut order: Vec<usize> = (0..self.pieces.len()).filter(|at| shown[*at]).collect();
        // The most telling first; of equals the later one, which says how it ended.
        order.sort_by_key(|at| std::cmp::Reverse((self.pieces[*at].weight, *at)));
        let mut bodies = vec![None; self.pieces.len()];
        // What was asked and answered, what costs no more than its mark, and how each run ended, before
        // whole bodies.
        for at in &order {
            let piece = &self.pieces[*at];
            let told = piece.weight >= ANSWER;
            let whole = told.then(|| head_and_tail(&piece.body, TOLD.min(room / 3)));
            if let Some(short) = whole.or_else(|| piece.short())
                && short.len() < left
            {
                left -= short.len() + 1;
                bodies[*at] = Some(short);
            }
        }
        for at in order {
            let piece = &self.pieces[at];
            left += bodies[at].as_ref().map_or(0, |short| short.len() + 1);
            let most = if piece.what == What::Tool { BODY } else { TOLD }.min(room / 3);
            let body = head_and_tail(&piece.body, most);
            if body.len() < left {
                bodies[at] = Some(body);
            }
            left -= bodies[at].as_ref().map_or(0, |shown| shown.len() + 1);
        }
        bodies
    }
}

impl Piece {
    /// What is shown of its body before anything longer is: all of a short one, and of a run the
    /// line that says how it ended.
    fn short(&self) -> Option<String> {
        if self.body.len() <= MARK {
            return Some(self.body.clone());
        }
        let last = self.body.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        self.ran.then(|| format!("[…] {}", cut_chars(last, ENDING)))
    }
}

fn mark_gap(out: &mut String, left_out: &mut usize) {
    if *left_out > 0 {
        writeln!(out, "[… {left_out} pieces left out …]").expect("a string takes all");
        *left_out = 0;
    }
}

fn piece(stored: &StoredDigest) -> Option<Piece> {
    let digest = &stored.digest;
    let mut piece = Piece {
        what: What::Tool,
        event_ids: vec![stored.event_id],
        subagent: stored.subagent.clone(),
        read: Vec::new(),
        modified: Vec::new(),
        at: stored.at,
        line: String::new(),
        body: String::new(),
        shows: false,
        ran: false,
        weight: 0,
    };
    match stored.kind.as_str() {
        "prompt" => {
            piece.what = What::Request;
            "The person's request:".clone_into(&mut piece.line);
            piece.body = shown(without_injected(&digest.detail).trim());
            piece.weight = 9;
        }
        "stop" | "subagent-stop" => {
            piece.what = What::Answer;
            let whose = if stored.subagent.is_some() { "A sub-agent's" } else { "The agent's" };
            let error = if digest.failed { " (the turn ended in an error)" } else { "" };
            piece.line = format!("{whose} answer{error}:");
            let told = format!("{}\n{}", digest.detail, digest.outcome);
            piece.body = shown(without_injected(told.trim()).trim());
            piece.weight = if stored.subagent.is_some() { 5 } else { ANSWER };
        }
        "tool-use" => tool(stored, &mut piece),
        _ => return None,
    }
    let empty = piece.what != What::Tool && piece.body.is_empty();
    (!empty).then_some(piece)
}

fn tool(stored: &StoredDigest, piece: &mut Piece) {
    let digest = &stored.digest;
    let class = digest.class.unwrap_or_default();
    let files = digest.paths.join(", ");
    let (line, body) = match class {
        ToolClass::Read => (format!("read {files}"), digest.outcome.clone()),
        ToolClass::Edit => (format!("edit {files}"), joined(&digest.detail, &digest.outcome)),
        ToolClass::Write => (format!("write {files} ({})", digest.outcome), digest.detail.clone()),
        ToolClass::Shell => (format!("$ {}", digest.command), digest.outcome.clone()),
        ToolClass::Search => {
            (format!("search {} → {}", digest.detail, digest.outcome), String::new())
        }
        ToolClass::Web | ToolClass::Mcp | ToolClass::Agent | ToolClass::Other => {
            (format!("{}: {}", digest.tool, digest.detail), digest.outcome.clone())
        }
    };
    let by = if stored.subagent.is_some() { "(sub-agent) " } else { "" };
    let failed = if digest.failed { " — failed" } else { "" };
    piece.line = format!("{by}{}{failed}", cut_chars(&shown(&one_line(&line)), LINE));
    piece.body = shown(body.trim());
    piece.ran = class == ToolClass::Shell;
    // What only was looked at, or told by somebody else, is no outcome.
    piece.shows = !digest.failed
        && !matches!(
            class,
            ToolClass::Read | ToolClass::Search | ToolClass::Web | ToolClass::Agent
        );
    piece.weight = match class {
        _ if digest.failed => 7,
        ToolClass::Edit | ToolClass::Write => 6,
        ToolClass::Shell | ToolClass::Agent => 5,
        ToolClass::Web | ToolClass::Mcp => 4,
        ToolClass::Other => 3,
        ToolClass::Read | ToolClass::Search => 2,
    };
    match class {
        ToolClass::Read if !digest.failed => piece.read.clone_from(&digest.paths),
        ToolClass::Edit | ToolClass::Write | ToolClass::Shell if !digest.failed => {
            piece.modified.clone_from(&digest.paths);
        }
        _ => {}
    }
}

fn joined(first: &str, second: &str) -> String {
    if first.is_empty() || second.is_empty() {
        return format!("{first}{second}");
    }
    format!("{first}\n→ {second}")
}

/// A text as a model may see it: clean once more, and without marks that could end our own.
fn shown(text: &str) -> String {
    harmless(&clean(text))
}

/// The text with every mark of the protocol made harmless.
pub(super) fn harmless(text: &str) -> String {
    const OURS: [&str; 8] =
        ["turn", "evidence", "so_far", "session", "observation", "summary", "skip", "language"];
    neutral(text, &OURS)
}

/// The text with every mark of these names made harmless.
pub(crate) fn neutral(text: &str, marks: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let name = rest[at + 1..].trim_start_matches('/').trim_start();
        let ours = marks
            .iter()
            .any(|our| name.get(..our.len()).is_some_and(|head| head.eq_ignore_ascii_case(our)));
        out.push(if ours { '‹' } else { '<' });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out
}
