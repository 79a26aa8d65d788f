//! Rows that say the same.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use afterword_domain::Kind;
use afterword_store::contract::RowBody;

use super::score::Ranked;
use super::weights::{NEARLY, NEARLY_WORDS, SAME_SUMMARY};
use crate::analyze::text_key;
use crate::recall::row_text::{RowText, only_asks};

/// Best rows that are held against each other word by word.
const NEARLY_AMONG: usize = 60;

/// Drops every row that says what a row before it says, in the same project; keeps the order.
///
/// Two rows say the same when title and text are equal in words, when they are among the best and
/// differ in a few words of many and in no number, or when both are summaries of one session and the earlier one holds nearly
/// all words of the later. Returns how many were dropped.
pub(crate) fn drop_repeats(rows: &mut Vec<Ranked>) -> usize {
    let before = rows.len();
    let mut keys: HashSet<(i64, String)> = HashSet::new();
    let mut summaries: Vec<(i64, HashSet<String>)> = Vec::new();
    let mut wordings: Vec<(i64, Wording)> = Vec::new();
    rows.retain(|found| {
        let key = match &found.row.body {
            RowBody::Summary(row) if only_asks(&row.content) => text_key(&row.content.request),
            _ => key_of(&found.text),
        };
        let summary_of = found.row.session_id.filter(|_| found.row.id.kind == Kind::Summary);
        let words = summary_of.map(|session| (session, words_of(&found.text)));
        if !keys.insert((found.row.project_id, key)) {
            return false;
        }
        if wordings.len() < NEARLY_AMONG {
            let wording = Wording::of(&found.text);
            let project = found.row.project_id;
            if wordings.iter().any(|(of, kept)| *of == project && kept.is_nearly(&wording)) {
                return false;
            }
            wordings.push((project, wording));
        }
        let Some((session, words)) = words else { return true };
        if summaries.iter().any(|(other, kept)| *other == session && holds(kept, &words)) {
            return false;
        }
        summaries.push((session, words));
        true
    });
    before - rows.len()
}

/// Equal for rows that say the same in the same words, whatever part of it is the title.
fn key_of(row: &RowText) -> String {
    if row.text_begins_with_title() {
        return text_key(&row.text);
    }
    text_key(&format!("{} {}", row.title, row.text))
}

/// The words of a row as sorted hashes; the words that hold a number apart, as one changed number
/// makes another statement.
struct Wording {
    words: Vec<u64>,
    numbers: Vec<u64>,
}

impl Wording {
    fn of(row: &RowText) -> Self {
        let all = row.text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let (numbers, words): (Vec<&str>, Vec<&str>) =
            all.partition(|word| word.contains(|c: char| c.is_numeric()));
        Self { words: hashes(&words), numbers: hashes(&numbers) }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    fn is_nearly(&self, other: &Self) -> bool {
        let (one, two) = (&self.words, &other.words);
        let least = one.len().min(two.len());
        let most = one.len().max(two.len());
        if least < NEARLY_WORDS || self.numbers != other.numbers {
            return false;
        }
        if (least as f64) < NEARLY * most as f64 {
            return false;
        }
        let common = one.iter().filter(|word| two.binary_search(word).is_ok()).count();
        common as f64 >= NEARLY * (one.len() + two.len() - common) as f64
    }
}

fn hashes(words: &[&str]) -> Vec<u64> {
    let hash = |word: &&str| {
        let mut hasher = DefaultHasher::new();
        word.to_lowercase().hash(&mut hasher);
        hasher.finish()
    };
    let mut hashes: Vec<u64> = words.iter().map(hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn words_of(row: &RowText) -> HashSet<String> {
    row.text.split_whitespace().map(str::to_lowercase).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn holds(kept: &HashSet<String>, words: &HashSet<String>) -> bool {
    kept.intersection(words).count() as f64 >= SAME_SUMMARY * words.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::rank::Parts;
    use crate::recall::testing::{memory, observation, row, summary};

    fn ranked(body: RowBody) -> Ranked {
        let row = row(body);
        Ranked {
            text: RowText::of(&row.body),
            row,
            score: 0.5,
            matched: 1,
            parts: Parts::default(),
        }
    }

    fn ids(rows: &[Ranked]) -> Vec<String> {
        rows.iter().map(|found| found.row.id.to_string()).collect()
    }

    #[test]
    fn j9_equal_texts_stay_once_across_kinds() {
        let mut rows = vec![
            ranked(RowBody::Memory(memory(1, "Use  the blue queue", 2))),
            ranked(RowBody::Observation(observation(2, "use the Blue queue", 1))),
            ranked(RowBody::Memory(memory(3, "Use the red queue", 0))),
        ];
        assert_eq!(drop_repeats(&mut rows), 1);
        assert_eq!(ids(&rows), ["m1", "m3"]);
    }

    #[test]
    fn j9_rows_that_differ_in_a_word_of_many_stay_once_unless_it_is_a_number() {
        let text = |word: &str| {
            format!(
                "The retry queue lost its leases when the worker restarted, so leases are now kept in \
                 the database and taken again at start, and a test {word} that no job runs twice"
            )
        };
        let mut rows = vec![
            ranked(RowBody::Memory(memory(1, &text("shows"), 2))),
            ranked(RowBody::Observation(observation(2, "", 1))),
            ranked(RowBody::Memory(memory(3, &text("proves"), 0))),
            ranked(RowBody::Memory(memory(4, &text("of 3 workers"), 0))),
            ranked(RowBody::Memory(memory(5, &text("of 5 workers"), 0))),
        ];
        assert_eq!(drop_repeats(&mut rows), 1);
        assert_eq!(ids(&rows), ["m1", "o2", "m4", "m5"]);
        let mut short = vec![
            ranked(RowBody::Memory(memory(1, "Use the blue queue", 2))),
            ranked(RowBody::Memory(memory(2, "Use the red queue", 2))),
        ];
        assert_eq!(drop_repeats(&mut short), 0);
    }

    #[test]
    fn j9_rows_of_other_projects_are_no_repeats() {
        let mut rows = vec![
            ranked(RowBody::Memory(memory(1, "Use tabs", 2))),
            ranked(RowBody::Memory(memory(2, "Use tabs", 2))),
        ];
        rows[1].row.project_id = 2;
        assert_eq!(drop_repeats(&mut rows), 0);
    }

    #[test]
    fn j9_a_question_that_nobody_answered_stays_once_however_it_is_noted() {
        let asked = |id, notes: &str, next_steps: &str| {
            let mut row = summary(id, id, 0);
            row.content.request = "Why does the retry queue stall?".into();
            (row.content.notes, row.content.next_steps) = (notes.into(), next_steps.into());
            ranked(RowBody::Summary(row))
        };
        let noted = "Unfinished, without an answer yet: Why does the retry queue stall?";
        let mut rows = vec![asked(1, noted, ""), asked(2, "", "Why does the retry queue stall?")];
        assert_eq!(drop_repeats(&mut rows), 1);
    }

    #[test]
    fn j9_the_summary_of_a_turn_goes_when_the_session_says_it() {
        let mut session = summary(1, 7, 1);
        session.content.request = "Fix the queue".into();
        session.content.completed = "The queue keeps its leases now".into();
        let mut turn = summary(2, 7, 0);
        turn.content.completed = "The queue keeps its leases now".into();
        let mut other = turn.clone();
        (other.id, other.session_id) = (3, Some(8));
        other.content.request = "Fix".into();
        let mut rows: Vec<Ranked> =
            [session, turn, other].map(|s| ranked(RowBody::Summary(s))).into();
        assert_eq!(drop_repeats(&mut rows), 1);
        assert_eq!(ids(&rows), ["s1", "s3"]);
    }
}
