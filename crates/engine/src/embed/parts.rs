//! Cuts rows into the passages that are embedded: a vector says well what a few sentences say, and
//! badly what a page says.

use afterword_domain::memory::Memory;
use afterword_domain::observation::ObservationContent;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::SummaryContent;
use afterword_domain::text::{one_line, prefix};
use afterword_store::contract::RowBody;

/// Names the way rows are cut and their vectors are made. Vectors of rows that were cut another way are made again, so a
/// change of anything below wants another name.
pub const WAY: &str = "parts3";

/// Passages of one row at most; the beginning of a longer one counts.
pub const MOST_PARTS: usize = 16;

/// How much fits into a passage, about 200 tokens: see [`weight`].
const FULL: usize = 700;

/// Files that are named in a row's passage about files.
const MOST_FILES: usize = 12;

/// The passages of a row, most telling first, at least one and at most [`MOST_PARTS`].
///
/// The same row always gives the same passages. What a row says briefly stays one passage.
pub fn parts(row: &RowBody) -> Vec<String> {
    let mut parts = match row {
        RowBody::Observation(row) => of_observation(&row.content),
        RowBody::Summary(row) => of_summary(&row.content),
        RowBody::Prompt(row) => passages(&row.text),
        RowBody::Memory(row) => of_memory(row),
        RowBody::Snapshot(row) => of_snapshot(row),
    };
    parts.truncate(MOST_PARTS);
    if parts.is_empty() {
        parts.push(String::new());
    }
    parts
}

/// Title with subtitle; narrative; facts. The title stands over each, which say little without. A
/// title that is the beginning of the narrative is not said twice.
fn of_observation(row: &ObservationContent) -> Vec<String> {
    let title = one_line(&row.title);
    if row.subtitle.trim().is_empty() && begins_with(&row.narrative, &title) {
        let facts = row.facts.iter().map(|fact| fact.trim());
        let whole = lines(std::iter::once(row.narrative.trim()).chain(facts));
        let mut passages = passages(&whole).into_iter();
        return passages.next().into_iter().chain(headed(&title, passages.collect())).collect();
    }
    let head = lines([title.as_str(), row.subtitle.trim()]);
    let facts = lines(row.facts.iter().map(|fact| fact.trim()));
    let whole = lines([head.as_str(), row.narrative.trim(), facts.as_str()]);
    if weight(&whole) <= FULL {
        return filled([whole]);
    }
    let under = |text: &str| headed(&title, passages(text));
    filled([head]).into_iter().chain(under(&row.narrative)).chain(under(&facts)).collect()
}

/// Request; what was found and done; what is next; files.
fn of_summary(row: &SummaryContent) -> Vec<String> {
    let found = lines(
        [&row.learned, &row.completed, &row.investigated, &row.notes].map(|text| text.trim()),
    );
    let files = row.files_modified.iter().chain(&row.files_read).take(MOST_FILES);
    let files = files.map(String::as_str).collect::<Vec<_>>().join(" ");
    let request = row.request.trim();
    passages(request)
        .into_iter()
        .take(2)
        .chain(passages(&found))
        .chain(passages(&row.next_steps))
        .chain(filled([files]))
        .collect()
}

fn of_memory(row: &Memory) -> Vec<String> {
    let title = one_line(&row.title);
    let text = row.text.trim();
    if title.is_empty() || begins_with(text, &title) {
        return passages(text);
    }
    let whole = lines([title.as_str(), text]);
    if weight(&whole) <= FULL {
        return filled([whole]);
    }
    headed(&title, passages(text))
}

fn of_snapshot(row: &Snapshot) -> Vec<String> {
    // The agent's own summary tells more in fewer words.
    let own = row.agent_summary.as_deref().unwrap_or_default();
    passages(own).into_iter().chain(passages(&row.text)).collect()
}

/// Whether a passage says so little that it is taken together with what stands before it.
pub(super) fn is_short(passage: &str) -> bool {
    weight(passage) <= FULL / 2
}

/// Cuts free text into passages of about 200 tokens: between paragraphs where they fit, else
/// between lines, sentences, words, characters. Short neighbours share a passage.
pub fn passages(text: &str) -> Vec<String> {
    let mut passages = Vec::new();
    let mut open = String::new();
    let mut filled = 0;
    let mut rest = text.trim();
    while !rest.is_empty() && passages.len() < MOST_PARTS {
        let (piece, behind) = piece(rest);
        let more = weight(piece);
        if filled + more > FULL && !open.trim().is_empty() {
            passages.push(open.trim().to_owned());
            open.clear();
            filled = 0;
        }
        open.push_str(piece);
        filled += more;
        rest = behind;
    }
    if !open.trim().is_empty() && passages.len() < MOST_PARTS {
        passages.push(open.trim().to_owned());
    }
    passages
}

/// The largest piece at the front of a text that fits into a passage and ends where a reader would
/// pause, and what comes behind it.
fn piece(text: &str) -> (&str, &str) {
    let fits = fitting(text);
    if fits == text.len() {
        // All of it fits; still a piece a paragraph, so that neighbours are put together evenly.
        let end = text.find("\n\n").map_or(text.len(), |at| at + 2);
        return text.split_at(end);
    }
    let window = &text[..fits];
    let end = window
        .find("\n\n")
        .map(|at| at + 2)
        .or_else(|| window.rfind('\n').map(|at| at + 1))
        .or_else(|| sentence_end(window))
        .or_else(|| window.rfind(' ').map(|at| at + 1))
        .unwrap_or(fits);
    text.split_at(end)
}

/// Behind the last full stop of a text, if any.
fn sentence_end(text: &str) -> Option<usize> {
    let latin = [". ", "! ", "? ", "; "].iter().filter_map(|stop| text.rfind(stop)).max();
    let wide = text.rfind(['。', '！', '？', '；']).map(|at| at + '。'.len_utf8());
    latin.map(|at| at + 2).max(wide)
}

/// Bytes at the front of a text that fit into one passage; at least one character.
fn fitting(text: &str) -> usize {
    let mut filled = 0;
    for (at, letter) in text.char_indices() {
        filled += letter_weight(letter);
        if filled > FULL && at > 0 {
            return at;
        }
    }
    text.len()
}

/// How much of a passage a text takes: letters, where one that is not ASCII takes as many tokens
/// as about two and a half that are.
fn weight(text: &str) -> usize {
    text.chars().map(letter_weight).sum()
}

fn letter_weight(letter: char) -> usize {
    match letter {
        '\0'..='\u{7f}' => 1,
        // Alphabets with accents, Greek, Cyrillic and their like.
        '\u{80}'..='\u{10ff}' => 2,
        _ => 3,
    }
}

/// Texts that say something, a line each.
fn lines<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether a title, or what was kept of it, is how a text begins.
fn begins_with(text: &str, title: &str) -> bool {
    let title = title.trim_end_matches('…').trim_end();
    !title.is_empty() && one_line(prefix(text.trim_start(), title.len() * 4)).starts_with(title)
}

fn headed(title: &str, passages: Vec<String>) -> Vec<String> {
    passages.into_iter().map(|passage| lines([title, passage.as_str()])).collect()
}

fn filled<const N: usize>(texts: [String; N]) -> Vec<String> {
    texts.into_iter().filter(|text| !text.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::recall::testing::{memory, observation, summary};

    #[test]
    fn a_short_row_is_one_passage_and_a_long_one_says_its_title_over_each() {
        let mut row = observation(1, "Queue drops jobs", 0);
        row.content.narrative = "The lease was lost.".into();
        row.content.facts = vec!["Leases live in memory".into()];
        assert_eq!(
            parts(&RowBody::Observation(row.clone())),
            ["Queue drops jobs\nThe lease was lost.\nLeases live in memory"]
        );
        row.content.narrative = "The lease was lost. ".repeat(60);
        let parts = parts(&RowBody::Observation(row));
        assert_eq!(parts[0], "Queue drops jobs");
        assert_eq!(parts.last().unwrap(), "Queue drops jobs\nLeases live in memory");
        assert_eq!(parts.len(), 4);
        assert!(parts.iter().all(|part| part.starts_with("Queue drops jobs")));
    }

    #[test]
    fn a_title_made_of_the_narrative_is_said_once() {
        let mut row = observation(1, "The lease was lost. The le…", 0);
        row.content.narrative = "The lease was lost.  The lease was found.".into();
        assert_eq!(parts(&RowBody::Observation(row.clone())), [row.content.narrative.clone()]);
        row.content.narrative = "The lease was lost. ".repeat(60);
        let parts = parts(&RowBody::Observation(row));
        assert!(parts[0].starts_with("The lease was lost. The lease") && parts.len() == 2);
        assert!(parts[1].starts_with("The lease was lost. The le…\nThe lease"), "{}", parts[1]);
    }

    #[test]
    fn a_summary_gives_request_findings_next_steps_and_files() {
        let mut row = summary(3, 7, 0);
        row.content.request = "Fix the queue".into();
        row.content.learned = "Leases are lost.".into();
        row.content.completed = "Leases are kept.".into();
        row.content.next_steps = "Write tests".into();
        row.content.files_modified = vec!["src/queue.rs".into(), "src/lease.rs".into()];
        assert_eq!(
            parts(&RowBody::Summary(row)),
            [
                "Fix the queue",
                "Leases are lost.\nLeases are kept.",
                "Write tests",
                "src/queue.rs src/lease.rs"
            ]
        );
    }

    #[test]
    fn a_memory_says_its_title_once() {
        let mut row = memory(4, "Use tabs here, really", 0);
        row.title = "Use tabs…".into();
        assert_eq!(parts(&RowBody::Memory(row.clone())), ["Use tabs here, really"]);
        row.title = "Style".into();
        assert_eq!(parts(&RowBody::Memory(row)), ["Style\nUse tabs here, really"]);
    }

    #[test]
    fn text_is_cut_where_a_reader_would_pause() {
        let sentence = "This is a sentence of some forty letters. ";
        let paragraph = sentence.repeat(10);
        let found = passages(&format!("{paragraph}\n\n{paragraph}\n\nshort\n\nshort"));
        assert_eq!(found.len(), 2);
        assert!(found[0].ends_with("letters.") && found[1].ends_with("short\n\nshort"));
        let found = passages(&sentence.repeat(40));
        assert!(found.len() > 2 && found.iter().all(|part| part.ends_with("letters.")));
        let found = passages(&"这是一个关于队列的句子。".repeat(60));
        assert!(found.len() > 2 && found.iter().all(|part| part.ends_with('。')));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_of_a_text_that_fits_and_no_passage_is_too_long(
            text in "[a-z 。世\n.]{0,4000}",
        ) {
            let found = passages(&text);
            prop_assert!(found.len() <= MOST_PARTS);
            for part in &found {
                prop_assert!(!part.is_empty() && weight(part) <= FULL);
            }
            let letters = |text: &str| -> String { text.split_whitespace().collect() };
            let kept = letters(&found.concat());
            prop_assert!(letters(&text).starts_with(&kept));
            prop_assert!(kept.len() == letters(&text).len() || found.len() == MOST_PARTS);
        }
    }

    #[test]
    fn an_endless_text_and_an_empty_one_are_bounded() {
        assert_eq!(passages(&"x".repeat(1_000_000)).len(), MOST_PARTS);
        assert_eq!(parts(&RowBody::Memory(memory(4, "", 0))), [""]);
    }
}
