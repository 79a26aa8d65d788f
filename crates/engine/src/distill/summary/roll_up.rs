//! The summary of a session from those of its turns.

use std::collections::HashSet;

use afterword_domain::summary::{Summary, SummaryContent};
use afterword_domain::text::cut_chars;

use super::open_end::{Later, OpenEnd};
use crate::analyze::{query_terms, text_key};
use crate::distill::cues::Wording;
use crate::distill::words::Words;

/// Characters of each field.
const MAX_FIELD: usize = 1_500;

/// Characters of a field before what commands show.
const MAX_TOLD: usize = 1_100;

/// Characters that one turn may give to a field.
const MAX_OF_TURN: usize = 700;

/// Files of each list.
const MAX_FILES: usize = 100;

/// Turns that are read besides the first; of a longer session the newest count.
pub(crate) const MAX_TURNS: usize = 200;

/// So many turns later what was left open or announced is no longer to be relied on.
const FRESH_TURNS: usize = 10;

/// The summary of a session from those of its turns, oldest first; none without a turn. Of a session
/// of many turns the first and the newest 200 say enough, and are all that is read.
///
/// Fields tell the newest turn first, so that a reader who cuts them keeps what is current. When no
/// turn names what is to do next, `next_steps` holds what is open: runs last seen failing, changes
/// that were neither tested nor committed, a request or a question without an answer.
pub fn roll_up(turns: &[Summary]) -> Option<SummaryContent> {
    let last = turns.last()?;
    let recent = &turns[turns.len().saturating_sub(MAX_TURNS)..];
    let modified = union(recent, |c| &c.files_modified);
    let changed: HashSet<&String> = modified.iter().collect();
    let mut read = union(recent, |c| &c.files_read);
    read.retain(|path| !changed.contains(path));
    let open = open_lines(recent);
    let named = next_steps(recent);
    let (next_steps, notes) = if named.is_empty() { (open, String::new()) } else { (named, open) };
    // What no rule wrote is kept as it is.
    let foreign = last.content.notes.lines().filter(|line| OpenEnd::read(line).is_none());
    let notes: Vec<&str> = foreign.chain(notes.lines()).collect();
    Some(SummaryContent {
        request: request(turns),
        investigated: merged(recent, |c| &c.investigated),
        learned: merged(recent, |c| &c.learned),
        completed: merged(recent, |c| &c.completed),
        next_steps,
        notes: cut_chars(&notes.join("\n"), MAX_FIELD),
        files_read: read,
        files_modified: modified,
    })
}

/// The first request, and how many followed with the gist of those that tell something, newest first.
fn request(turns: &[Summary]) -> String {
    let mut asked = turns.iter().map(|t| t.content.request.as_str()).filter(|r| !r.is_empty());
    let Some(first) = asked.next() else { return String::new() };
    let later: Vec<&str> = asked.collect();
    let count = later.len() + left_out(turns);
    if later.is_empty() {
        return cut_chars(first, MAX_FIELD);
    }
    let first = cut_chars(first, 500);
    let mut shown: Vec<String> = Vec::new();
    let mut chars = first.chars().count() + 30;
    let telling = later.iter().rev().filter(|text| !Wording::new(text).is_go_on());
    for text in telling.take(12) {
        let gist = cut_chars(text, 100);
        chars += gist.chars().count() + 2;
        if chars > MAX_FIELD {
            break;
        }
        shown.push(gist);
    }
    if shown.is_empty() {
        return first;
    }
    let colon = Words::of(&first).colon;
    format!("{first}\n+{count}{colon}{}", shown.join("; "))
}

/// How many turns lie between the first and the newest of a session of which those alone are read.
fn left_out(turns: &[Summary]) -> usize {
    match turns {
        [first, second, ..] if turns.len() > MAX_TURNS => {
            usize::try_from(second.prompt_number - first.prompt_number - 1).unwrap_or(0)
        }
        _ => 0,
    }
}

/// The lines of all turns, each once, the newest turn's first: what was told before what commands
/// show. Lists of files stand elsewhere.
fn merged(turns: &[Summary], field: impl Fn(&SummaryContent) -> &String) -> String {
    let mut seen = HashSet::new();
    let mut kept: Vec<String> = Vec::new();
    let mut chars = 0;
    let mut of_turn = vec![0; turns.len()];
    for evidence in [false, true] {
        for (turn, given) in turns.iter().zip(&mut of_turn).rev() {
            for line in field(&turn.content).lines().map(str::trim).filter(|l| !l.is_empty()) {
                let shown = command_of(line);
                // Of two runs of one command the newer stays.
                let key = text_key(shown.unwrap_or(line));
                if shown.is_some() != evidence || is_file_list(line) || !seen.insert(key) {
                    continue;
                }
                let line = cut_chars(line, 500);
                let more = line.chars().count() + 1;
                if chars + more > if evidence { MAX_FIELD } else { MAX_TOLD } {
                    break;
                }
                if *given > 0 && *given + more > MAX_OF_TURN {
                    break;
                }
                *given += more;
                chars += more;
                kept.push(line);
            }
        }
    }
    kept.join("\n")
}

/// The command whose run a line tells of.
fn command_of(line: &str) -> Option<&str> {
    let ran = Words::ALL.into_iter().find_map(|words| line.strip_prefix(words.ran));
    let label = ran.map_or(line, str::trim_start).strip_prefix('`')?;
    let (label, rest) = label.split_once('`')?;
    let fails = Words::ALL.into_iter().any(|w| rest.trim_start().starts_with(w.failed));
    (ran.is_some() || fails).then_some(label)
}

fn is_file_list(line: &str) -> bool {
    let heads = Words::ALL.into_iter().flat_map(|w| [w.edited, w.created].map(|h| (h, w.colon)));
    heads
        .into_iter()
        .any(|(head, colon)| line.strip_prefix(head).is_some_and(|rest| rest.starts_with(colon)))
}

/// The steps of the newest turn that names any, without those that a later turn completed.
fn next_steps(turns: &[Summary]) -> String {
    let fresh = &turns[turns.len().saturating_sub(FRESH_TURNS)..];
    let Some(at) = fresh.iter().rposition(|t| !t.content.next_steps.is_empty()) else {
        return String::new();
    };
    let worked = || fresh[at + 1..].iter().filter(|turn| !turn.content.completed.is_empty());
    // `Continue` asks for the steps that were named.
    if worked().any(|turn| Wording::new(&turn.content.request).is_go_on()) {
        return String::new();
    }
    let done: HashSet<String> = worked()
        .flat_map(|turn| [&turn.content.completed, &turn.content.request])
        .flat_map(|text| text.lines().flat_map(query_terms).collect::<Vec<_>>())
        .collect();
    let steps = fresh[at].content.next_steps.lines().filter(|step| {
        let terms = query_terms(step);
        let met = terms.iter().filter(|term| done.contains(*term)).count();
        // Two thirds of its words in what was done since: the step is taken.
        terms.is_empty() || met * 3 < terms.len() * 2
    });
    cut_chars(&steps.collect::<Vec<_>>().join("\n"), MAX_FIELD)
}

/// What the turns left open and no later one closed, the newest first.
fn open_lines(turns: &[Summary]) -> String {
    let fresh = &turns[turns.len().saturating_sub(FRESH_TURNS)..];
    let mut open: Vec<(&'static Words, OpenEnd)> = Vec::new();
    for turn in fresh {
        let content = &turn.content;
        let later = Later::of(&content.request, &content.completed);
        open.retain(|(_, end)| !end.is_over(&later));
        open = open.into_iter().map(|(words, end)| (words, end.after(&later))).collect();
        let words = Words::of(&content.request);
        for mut end in content.notes.lines().filter_map(OpenEnd::read) {
            open.retain(|(_, known)| !end.absorbs(known));
            open.push((words, end));
        }
    }
    open.reverse();
    open.sort_by_key(|(_, end)| end.rank());
    let mut out = String::new();
    for (words, end) in &open {
        let line = end.line(words);
        if out.chars().count() + line.chars().count() + 3 > MAX_FIELD {
            break;
        }
        let gap = if out.is_empty() { "" } else { "\n" };
        out.push_str(gap);
        out.push_str("- ");
        out.push_str(&line);
    }
    out
}

fn union(turns: &[Summary], field: impl Fn(&SummaryContent) -> &Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = turns.iter().rev().flat_map(|turn| field(&turn.content));
    all.filter(|path| seen.insert(path.as_str())).take(MAX_FILES).cloned().collect()
}
