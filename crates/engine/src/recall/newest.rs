//! Of two rows that say otherwise about the same thing the newer one holds.

use std::cmp::Reverse;
use std::collections::HashSet;

use afterword_domain::PublicId;
use afterword_store::contract::RowBody;

use super::context::superseded;
use super::rank::Ranked;
use super::rank::weights::SUPERSEDED;

/// Rows, best first, that are held against each other.
const LOOKED_AT: usize = 60;

/// The rows that a newer one of them took the place of, and memories whose place any other has
/// taken. Only what states something lasting counts: memories and decisions.
pub(super) fn superseded_of(rows: &[Ranked]) -> HashSet<PublicId> {
    let (linked, others): (Vec<&Ranked>, Vec<&Ranked>) =
        rows.iter().partition(|found| gave_way(&found.row.body));
    let mut newest: Vec<(&Ranked, &str)> =
        others.into_iter().filter_map(|found| Some((found, states(&found.row.body)?))).collect();
    newest.sort_by_key(|(found, _)| Reverse((found.row.created_at, found.row.id)));
    let gone = superseded(newest.iter().map(|(_, text)| *text));
    let gone = newest.iter().zip(gone).filter(|(_, gone)| *gone);
    let gone = gone.map(|((found, _), _)| found.row.id);
    linked.into_iter().map(|found| found.row.id).chain(gone).collect()
}

/// Whether a memory is known to hold no longer.
pub(super) fn gave_way(body: &RowBody) -> bool {
    matches!(body, RowBody::Memory(memory) if memory.superseded_by.is_some())
}

/// Moves the best rows that a newer one took the place of down; those that were listed without a
/// score stay where they are.
pub(super) fn newest_wins(rows: &mut [Ranked]) {
    let best = rows.len().min(LOOKED_AT);
    let gone = superseded_of(&rows[..best]);
    if gone.is_empty() {
        return;
    }
    for found in &mut rows[..best] {
        if gone.contains(&found.row.id) && found.parts.kept > 0.0 {
            found.score = (found.score * SUPERSEDED * 10_000.0).round() / 10_000.0;
            found.parts.kept *= SUPERSEDED;
            found.parts.superseded = true;
        }
    }
    // Rows beyond full marks keep their order among each other.
    rows.sort_by(|a, b| b.score.total_cmp(&a.score));
}

fn states(body: &RowBody) -> Option<&str> {
    match body {
        RowBody::Memory(row) => Some(&row.text),
        RowBody::Observation(row) if row.content.r#type == "decision" => Some(&row.content.title),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::rank::Parts;
    use crate::recall::row_text::RowText;
    use crate::recall::testing::{memory, row};

    fn ranked(id: i64, text: &str, days: i64, score: f64) -> Ranked {
        let row = row(RowBody::Memory(memory(id, text, days)));
        let parts = Parts { kept: 1.0, words: score, ..Parts::default() };
        Ranked { text: RowText::of(&row.body), row, score, matched: 2, parts }
    }

    #[test]
    fn the_older_of_two_that_differ_ranks_below() {
        let mut rows = vec![
            ranked(1, "We use pnpm", 0, 0.9),
            ranked(2, "We use yarn now", 4, 0.7),
            ranked(3, "Yarn is slow on the build machine", 4, 0.6),
        ];
        newest_wins(&mut rows);
        let order: Vec<i64> = rows.iter().map(|found| found.row.id.number).collect();
        assert_eq!(order, [2, 3, 1]);
        let why = rows[2].parts.why(rows[2].score, &[]);
        assert!(why.superseded && why.recency < 0.0, "{why:?}");
        assert!((why.words + why.recency - rows[2].score).abs() < 1e-3, "{why:?}");
    }

    #[test]
    fn what_is_known_to_hold_no_longer_ranks_below_whatever_it_says() {
        let mut rows = vec![ranked(1, "We use yarn now", 4, 0.9), ranked(2, "We use pnpm", 0, 0.7)];
        if let RowBody::Memory(memory) = &mut rows[0].row.body {
            memory.superseded_by = Some(uuid::Uuid::from_u128(2));
        }
        newest_wins(&mut rows);
        assert_eq!(rows[0].row.id.number, 2, "the other one came back");
        assert!(rows[1].parts.superseded && !rows[0].parts.superseded);
    }

    #[test]
    fn what_was_only_listed_keeps_its_place() {
        let mut rows = vec![ranked(1, "We use pnpm", 0, 0.0), ranked(2, "We use yarn now", 4, 0.0)];
        for found in &mut rows {
            found.parts.kept = 0.0;
        }
        newest_wins(&mut rows);
        assert_eq!(rows[0].row.id.number, 1);
    }
}
