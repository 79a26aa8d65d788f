//! The summary of a session from those of its turns.

use std::collections::HashSet;

use afterword_domain::summary::{Summary, SummaryContent};
use afterword_domain::text::cut_chars;

use crate::analyze::{query_terms, text_key};
use crate::distill::words::Words;

/// Characters of each field.
const MAX_FIELD: usize = 1_500;

/// Files of each list.
const MAX_FILES: usize = 100;

/// Turns whose words are read; of a longer session the newest count.
const MAX_TURNS: usize = 200;

/// The summary of a session from those of its turns, oldest first; none without a turn.
pub fn roll_up(turns: &[Summary]) -> Option<SummaryContent> {
    let last = turns.last()?;
    let recent = &turns[turns.len().saturating_sub(MAX_TURNS)..];
    let modified = union(turns, |c| &c.files_modified);
    let changed: HashSet<&String> = modified.iter().collect();
    let mut read = union(turns, |c| &c.files_read);
    read.retain(|path| !changed.contains(path));
    Some(SummaryContent {
        request: request(turns),
        investigated: merged(recent, |c| &c.investigated),
        learned: merged(recent, |c| &c.learned),
        completed: merged(recent, |c| &c.completed),
        next_steps: next_steps(recent),
        notes: cut_chars(&last.content.notes, MAX_FIELD),
        files_read: read,
        files_modified: modified,
    })
}

/// The first request, and how many followed with the gist of the newest.
fn request(turns: &[Summary]) -> String {
    let mut asked = turns.iter().map(|t| t.content.request.as_str()).filter(|r| !r.is_empty());
    let Some(first) = asked.next() else { return String::new() };
    let later: Vec<&str> = asked.collect();
    if later.is_empty() {
        return cut_chars(first, MAX_FIELD);
    }
    let first = cut_chars(first, 500);
    let mut shown: Vec<String> = Vec::new();
    let mut chars = first.chars().count() + 30;
    for text in later.iter().rev().take(12) {
        let gist = cut_chars(text, 100);
        chars += gist.chars().count() + 2;
        if chars > MAX_FIELD {
            break;
        }
        shown.push(gist);
    }
    shown.reverse();
    let colon = Words::of(&first).colon;
    format!("{first}\n+{}{colon}{}", later.len(), shown.join("; "))
}

/// The lines of all turns, each once; when they are too many the newest stay.
fn merged(turns: &[Summary], field: impl Fn(&SummaryContent) -> &String) -> String {
    let mut seen = HashSet::new();
    let mut kept: Vec<String> = Vec::new();
    let mut chars = 0;
    'turns: for turn in turns.iter().rev() {
        let mut of_turn: Vec<String> = Vec::new();
        for line in field(&turn.content).lines().map(str::trim).filter(|l| !l.is_empty()) {
            if !seen.insert(text_key(line)) {
                continue;
            }
            let line = cut_chars(line, 500);
            chars += line.chars().count() + 1;
            if chars > MAX_FIELD {
                kept.extend(of_turn.into_iter().rev());
                break 'turns;
            }
            of_turn.push(line);
        }
        kept.extend(of_turn.into_iter().rev());
    }
    kept.reverse();
    kept.join("\n")
}

/// The steps of the newest turn that names any, without those that a later turn completed.
fn next_steps(turns: &[Summary]) -> String {
    let Some(at) = turns.iter().rposition(|t| !t.content.next_steps.is_empty()) else {
        return String::new();
    };
    let done: HashSet<String> = turns[at + 1..]
        .iter()
        .filter(|turn| !turn.content.completed.is_empty())
        .flat_map(|turn| [&turn.content.completed, &turn.content.request])
        .flat_map(|text| text.lines().flat_map(query_terms).collect::<Vec<_>>())
        .collect();
    let steps = turns[at].content.next_steps.lines().filter(|step| {
        let terms = query_terms(step);
        let met = terms.iter().filter(|term| done.contains(*term)).count();
        // Two thirds of its words in what was done since: the step is taken.
        terms.is_empty() || met * 3 < terms.len() * 2
    });
    cut_chars(&steps.collect::<Vec<_>>().join("\n"), MAX_FIELD)
}

fn union(turns: &[Summary], field: impl Fn(&SummaryContent) -> &Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = turns.iter().flat_map(|turn| field(&turn.content));
    all.filter(|path| seen.insert(path.as_str())).take(MAX_FILES).cloned().collect()
}
