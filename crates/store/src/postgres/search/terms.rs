//! The terms of a query: how common each is, found out in bounded time.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::encode;
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::get;
use crate::rules::ranking::bm25::{self, as_f64};
use crate::rules::ranking::terms::{self, COMMON, MOST};

/// A distinct term of a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// As the index has it.
    pub(super) number: i64,
    /// Rows that hold it, counted up to one more than [`COMMON`].
    pub(super) counted: i64,
    /// Rows that hold it; of a common term as many as there were when it was last counted, as the
    /// index has grown since.
    pub(super) rows: f64,
}

impl Term {
    /// The weight of the term in an index of so many rows.
    pub(super) fn idf(&self, all_rows: f64) -> f64 {
        bm25::idf(all_rows, self.rows)
    }
}

/// Terms that were found to be common, by tenant, so that nobody counts them with every question.
#[derive(Default)]
pub(in crate::postgres) struct FrequentTerms(Mutex<HashMap<(i64, i64), Counted>>);

/// How many rows had a term when so many were in the index.
#[derive(Clone, Copy, Debug)]
struct Counted {
    rows: f64,
    of: f64,
}

/// Terms that are remembered; when there are more, all are counted anew.
const REMEMBERED: usize = 200_000;

/// How far an index may grow or shrink before its common terms are counted anew.
const HOLDS_FOR: f64 = 1.2;

impl fmt::Debug for FrequentTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FrequentTerms")
    }
}

impl FrequentTerms {
    fn of(&self, tenant: i64, term: i64, all_rows: f64) -> Option<f64> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Counted { rows, of } = *known.get(&(tenant, term))?;
        let grown = all_rows / of;
        (grown < HOLDS_FOR && grown > 1.0 / HOLDS_FOR).then_some(rows * grown)
    }

    fn note(&self, tenant: i64, term: &Term, all_rows: f64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert((tenant, term.number), Counted { rows: term.rows, of: all_rows });
    }
}

/// The terms of a query, each once and with its frequency, in the order they came.
pub(super) async fn survey(
    tx: &Tx,
    common: &FrequentTerms,
    texts: &[String],
    all_rows: f64,
) -> Sql<Vec<Term>> {
    let mut terms: Vec<Term> = Vec::new();
    let mut unknown: Vec<i64> = Vec::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        if terms.len() == MOST {
            break;
        }
        let number = encode::term(tx.tenant(), text);
        if terms.iter().any(|term| term.number == number) {
            continue;
        }
        let known = common.of(tx.tenant(), number, all_rows);
        if known.is_none() {
            unknown.push(number);
        }
        let counted = if known.is_some() { COMMON + 1 } else { 0 };
        terms.push(Term { number, counted, rows: known.unwrap_or(0.0) });
    }
    if unknown.is_empty() {
        return Ok(terms);
    }
    for found in look_up(tx, &unknown).await? {
        if found.counted > COMMON {
            common.note(tx.tenant(), &found, all_rows);
        }
        for term in terms.iter_mut().filter(|term| term.number == found.number) {
            *term = found;
        }
    }
    Ok(terms)
}

/// Counts terms: each up to the bound, and those beyond it to their end, which is remembered. No
/// sample stands for a count: in which order rows are met is the planner's affair.
async fn look_up(tx: &Tx, numbers: &[i64]) -> Sql<Vec<Term>> {
    let sql = "SELECT t.number, c.counted FROM unnest($2::bigint[]) AS t (number)
               CROSS JOIN LATERAL (
                   SELECT count(*) AS counted FROM (
                       SELECT 1 FROM search_index i
                       WHERE i.tenant = $1 AND i.terms @> ARRAY[t.number] LIMIT $3) found) c";
    let counted = tx.rows(sql, &[&numbers, &(COMMON + 1)]).await?;
    let mut terms = Vec::with_capacity(counted.len());
    for row in &counted {
        let (number, counted): (i64, i64) = (get(row, "number")?, get(row, "counted")?);
        let rows = if counted > COMMON { whole_count(tx, number).await? } else { counted };
        terms.push(Term { number, counted, rows: as_f64(rows) });
    }
    Ok(terms)
}

/// In how many rows a term is, however many these are.
async fn whole_count(tx: &Tx, number: i64) -> Sql<i64> {
    let sql = "SELECT count(*) AS n FROM search_index i
               WHERE i.tenant = $1 AND i.terms @> ARRAY[$2::bigint]";
    get(&tx.one(sql, &[&number]).await?, "n")
}

/// For each text, in how many rows it occurs; beyond [`COMMON`] in how many it did when it was last
/// counted, as the index has grown since.
pub(super) fn rows_with(tenant: i64, texts: &[String], terms: &[Term]) -> Vec<u64> {
    terms::rows_with(texts, |text| {
        let number = encode::term(tenant, text);
        terms.iter().find(|term| term.number == number).map(|term| term.rows)
    })
}

/// The terms that drive the ranking, and those that only weigh in.
pub(super) fn split(terms: Vec<Term>) -> (Vec<Term>, Vec<Term>) {
    terms::split(terms, |term| term.counted)
}

/// The numbers of terms.
pub(super) fn numbers(terms: &[Term]) -> Vec<i64> {
    terms.iter().map(|term| term.number).collect()
}
