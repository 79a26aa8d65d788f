//! What stands beside a row in its session.
//!
//! A short row says little by itself: "Yes, for my birthday" answers only together with what was
//! asked before it. Rows of one kind are numbered as they come, so rows of one session and kind with
//! neighbouring numbers stand beside each other. Only rows that were found themselves are looked at.

use std::collections::HashMap;

use afterword_domain::Kind;
use afterword_store::contract::Row;

use super::weights as w;

/// Rows that were found, by where they stand, with how well each answers by itself.
#[derive(Debug, Default)]
pub(super) struct Beside {
    answers: HashMap<(Kind, i64), (i64, f64)>,
}

impl Beside {
    pub(super) fn new<'r>(found: impl Iterator<Item = (&'r Row, f64)>) -> Self {
        let placed = found.filter_map(|(row, answers)| {
            Some(((row.id.kind, row.id.number), (row.session_id?, answers)))
        });
        Self { answers: placed.collect() }
    }

    /// What its surroundings add to a row of so many tokens.
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
    pub(super) fn adds(&self, row: &Row, tokens: usize) -> f64 {
        let Some(session) = row.session_id else { return 0.0 };
        let at = |steps: i64| {
            let number = row.id.number.saturating_add(steps);
            match self.answers.get(&(row.id.kind, number)) {
                Some((of, answers)) if *of == session => *answers,
                _ => 0.0,
            }
        };
        let around =
            w::BESIDE_BEFORE * at(-1) + w::BESIDE_AFTER * at(1) + w::BESIDE_TWO * (at(-2) + at(2));
        let length = tokens as f64 / w::BESIDE_TOKENS;
        around / (1.0 + length * length)
    }
}

#[cfg(test)]
mod tests {
    use afterword_store::contract::RowBody;

    use super::*;
    use crate::recall::testing::{memory, observation, row};

    fn finding(id: i64, session: i64) -> Row {
        let mut finding = observation(id, "short", 0);
        finding.session_id = Some(session);
        row(RowBody::Observation(finding))
    }

    #[test]
    fn rows_beside_each_other_help() {
        let rows = [(5, 1), (6, 1), (7, 1), (8, 2)].map(|(id, session)| finding(id, session));
        let beside = Beside::new(rows.iter().zip([0.8, 0.0, 0.4, 1.0]));
        let added = beside.adds(&rows[1], 0);
        assert!((added - 0.8 * w::BESIDE_BEFORE - 0.4 * w::BESIDE_AFTER).abs() < 1e-9, "{added}");
        let two = beside.adds(&rows[0], 0);
        assert!((two - 0.4 * w::BESIDE_TWO).abs() < 1e-9, "{two}");
        assert!(beside.adds(&rows[3], 0).abs() < 1e-9, "another session is not beside");
    }

    #[test]
    fn long_rows_speak_for_themselves() {
        let rows = [finding(5, 1), finding(6, 1)];
        let beside = Beside::new(rows.iter().zip([1.0, 1.0]));
        let of = |tokens| beside.adds(&rows[0], tokens);
        assert!(of(10) > 5.0 * of(200), "{} {}", of(10), of(200));
        let alone = row(RowBody::Memory(memory(6, "no session", 0)));
        assert!(beside.adds(&alone, 0).abs() < 1e-9);
    }
}
