//! How near rows are to a question by meaning.
//!
//! Cosines of one model lie in a narrow band, and where in it depends on the question: a cosine says
//! something only beside those of the other rows. What most of the nearest rows reach is taken for
//! nothing, and what a row has over them counts. With few rows there is little to compare with, and
//! a row must stand out from the next ones.

use std::collections::HashMap;

use afterword_domain::PublicId;

use super::weights as w;
use crate::embed::Near;

/// The rows near a question, with how near they are.
#[derive(Debug, Default)]
pub(crate) struct Meaning {
    over: HashMap<PublicId, f64>,
}

impl Meaning {
    /// `near` comes nearest first; `rows` is how many there are in all.
    pub(crate) fn new(near: &[Near<PublicId>], rows: u64) -> Self {
        let share = usize::try_from(rows / w::MEANS_NOTHING_SHARE).unwrap_or(usize::MAX);
        let place = share.clamp(w::MEANS_NOTHING_LEAST, w::MEANS_NOTHING_FROM);
        let place = place.min(near.len() / w::MEANS_NOTHING_ONE_IN);
        let Some(nothing) = near.get(place) else { return Self::default() };
        let over = |near: &Near<PublicId>| {
            let over = f64::from(near.cosine - nothing.cosine) / w::MEANING_SPAN;
            (over > 0.0).then_some((near.key, over))
        };
        Self { over: near.iter().filter_map(over).collect() }
    }

    /// From 0 for rows that are no nearer than most to about 1 for one that says the same.
    fn of(&self, row: PublicId) -> f64 {
        self.over.get(&row).copied().unwrap_or(0.0)
    }

    /// What the meaning of a row of so many tokens answers.
    pub(crate) fn answers(&self, row: PublicId, tokens: usize) -> f64 {
        weight(tokens) * self.of(row)
    }
}

/// How much meaning counts in a row of so many tokens.
#[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
fn weight(tokens: usize) -> f64 {
    let length = tokens as f64 / w::MEANING_LONG_TOKENS;
    w::MEANING + w::MEANING_LONG * (1.0 - 1.0 / (1.0 + length * length))
}

#[cfg(test)]
mod tests {
    use afterword_domain::Kind;

    use super::*;

    fn near(cosines: impl IntoIterator<Item = f32>) -> Vec<Near<PublicId>> {
        let key = |number| PublicId::new(Kind::Memory, number);
        (1..).zip(cosines).map(|(number, cosine)| Near { key: key(number), cosine }).collect()
    }

    fn of(near: &[Near<PublicId>]) -> Vec<f64> {
        let meaning = Meaning::new(near, 10_000);
        near.iter().map(|near| meaning.of(near.key)).collect()
    }

    #[test]
    fn what_most_rows_reach_is_nothing_wherever_the_band_lies() {
        let band = |shift: f32| near((0_u8..200).map(|n| shift - f32::from(n) * 0.000_5));
        let (high, low) = (of(&band(0.9)), of(&band(0.8)));
        assert!((high[0] - low[0]).abs() < 1e-3 && high[0] > 0.3, "{} {}", high[0], low[0]);
        assert!(high[50] > 0.0 && high[150].abs() < f64::EPSILON);
    }

    #[test]
    fn with_few_rows_one_must_stand_out() {
        assert_eq!(of(&near([0.95])), [0.0]);
        let equal = of(&near([0.85, 0.849, 0.848, 0.847, 0.846, 0.845]));
        assert!(equal[0] < 0.05, "{equal:?}");
        let apart = of(&near([0.92, 0.849, 0.848, 0.847, 0.846, 0.845]));
        assert!(apart[0] > 0.5 && apart[1] < 0.05, "{apart:?}");
        assert!(of(&[]).is_empty());
    }
}
