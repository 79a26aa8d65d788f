//! Scores from the stored tokens, by the formula and the sizes that FTS5's own BM25 goes by.

use rusqlite::Connection;

use super::super::connect::Sql;
use super::super::values::optional;
use super::indexed_rows;
use super::rank::Ranked;
use super::terms::Term;
use crate::rules::ranking::bm25::{FIELD_WEIGHTS, SCOPE_TOKENS, as_f64, mean_length, norm, part};

/// Adds to each row's score what these terms say of it.
pub(super) fn weigh(db: &Connection, terms: &[Term], found: &mut [Ranked]) -> Sql<()> {
    let (rows, length) = sizes(db)?;
    let weights: Vec<(&str, f64)> =
        terms.iter().map(|term| (term.token.as_str(), term.idf(rows))).collect();
    let mut frequencies = vec![0.0; weights.len()];
    let mut read =
        db.prepare_cached("SELECT title, text, files FROM search_tokens WHERE id = ?1")?;
    for ranked in found {
        let added = read.query_row([ranked.row], |row| {
            let fields = [row.get_ref(0)?, row.get_ref(1)?, row.get_ref(2)?];
            let mut texts = [""; 3];
            for (text, field) in texts.iter_mut().zip(fields) {
                *text = field.as_str()?;
            }
            Ok(score(texts, &weights, &mut frequencies, length))
        });
        ranked.score += optional(added)?.unwrap_or(0.0);
    }
    Ok(())
}

/// Rows of the index and their mean length in tokens.
fn sizes(db: &Connection) -> Sql<(f64, f64)> {
    let tokens: i64 = db
        .prepare_cached("SELECT value FROM counters WHERE name = 'tokens'")?
        .query_row([], |row| row.get(0))?;
    let rows = as_f64(i64::try_from(indexed_rows(db)?).unwrap_or(i64::MAX)).max(1.0);
    Ok((rows, mean_length(as_f64(tokens), rows)))
}

/// BM25 of a row for some terms; nothing for a row that holds none of them.
fn score(
    fields: [&str; 3],
    weights: &[(&str, f64)],
    frequencies: &mut [f64],
    mean_length: f64,
) -> f64 {
    let mut length = SCOPE_TOKENS;
    frequencies.fill(0.0);
    for (field, weight) in fields.into_iter().zip(FIELD_WEIGHTS) {
        for token in field.split(' ').filter(|token| !token.is_empty()) {
            length += 1;
            for ((term, _), frequency) in weights.iter().zip(&mut *frequencies) {
                if *term == token {
                    *frequency += weight;
                }
            }
        }
    }
    let norm = norm(as_f64(length), mean_length);
    let parts = weights.iter().zip(frequencies);
    parts.map(|((_, idf), f)| part(*idf, *f, norm)).sum()
}
