//! Rows that say the same.

use std::collections::HashSet;

use afterword_domain::Kind;

use super::score::Ranked;
use super::weights::SAME_SUMMARY;
use crate::analyze::text_key;
use crate::recall::row_text::RowText;

/// Drops every row that says what a row before it says, in the same project; keeps the order.
///
/// Two rows say the same when title and text are equal in words, or when both are summaries of one
/// session and the earlier one holds nearly all words of the later. Returns how many were dropped.
pub(crate) fn drop_repeats(rows: &mut Vec<Ranked>) -> usize {
    let before = rows.len();
    let mut keys: HashSet<(i64, String)> = HashSet::new();
    let mut summaries: Vec<(i64, HashSet<String>)> = Vec::new();
    rows.retain(|found| {
        let key = key_of(&found.text);
        let summary_of = found.row.session_id.filter(|_| found.row.id.kind == Kind::Summary);
        let words = summary_of.map(|session| (session, words_of(&found.text)));
        if !keys.insert((found.row.project_id, key)) {
            return false;
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

fn words_of(row: &RowText) -> HashSet<String> {
    row.text.split_whitespace().map(str::to_lowercase).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn holds(kept: &HashSet<String>, words: &HashSet<String>) -> bool {
    kept.intersection(words).count() as f64 >= SAME_SUMMARY * words.len() as f64
}

#[cfg(test)]
mod tests {
    use afterword_store::contract::RowBody;

    use super::*;
    use crate::recall::testing::{memory, observation, row, summary};

    fn ranked(body: RowBody) -> Ranked {
        let row = row(body);
        Ranked { text: RowText::of(&row.body), row, score: 0.5, matched: 1 }
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
    fn j9_rows_of_other_projects_are_no_repeats() {
        let mut rows = vec![
            ranked(RowBody::Memory(memory(1, "Use tabs", 2))),
            ranked(RowBody::Memory(memory(2, "Use tabs", 2))),
        ];
        rows[1].row.project_id = 2;
        assert_eq!(drop_repeats(&mut rows), 0);
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
