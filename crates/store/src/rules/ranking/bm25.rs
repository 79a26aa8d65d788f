//! The weight of words, by the formula and the sizes that FTS5's own BM25 goes by.

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Weights of title, text and files.
pub(crate) const FIELD_WEIGHTS: [f64; 3] = [4.0, 1.0, 2.0];

/// Tokens that FTS5 counts to each row's length besides its own: those of the `scope` field.
pub(crate) const SCOPE_TOKENS: i64 = 2;

/// The weight of a term that `with_term` of `rows` rows hold: never negative, next to nothing for a
/// term that half of all rows hold.
pub(crate) fn idf(rows: f64, with_term: f64) -> f64 {
    let idf = ((rows - with_term + 0.5) / (with_term + 0.5)).ln();
    if idf > 0.0 { idf } else { 1e-6 }
}

/// What a term adds to a row's score, by its weight, how often the row holds it (weighted by
/// field), and the row's [`norm`].
pub(crate) fn part(idf: f64, frequency: f64, norm: f64) -> f64 {
    idf * frequency * (K1 + 1.0) / (frequency + norm)
}

/// How much the length of a row dampens its terms.
pub(crate) fn norm(length: f64, mean_length: f64) -> f64 {
    K1 * (1.0 - B + B * length / mean_length)
}

/// The mean length of rows that have `tokens` together.
pub(crate) fn mean_length(tokens: f64, rows: f64) -> f64 {
    (tokens / rows + as_f64(SCOPE_TOKENS)).max(1.0)
}

/// Row counts are far below the integers that a float holds exactly.
#[allow(clippy::cast_precision_loss)]
pub(crate) const fn as_f64(n: i64) -> f64 {
    n as f64
}
