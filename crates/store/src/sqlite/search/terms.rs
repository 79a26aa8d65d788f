//! The terms of a query: how common each is, found out in bounded time.

use rusqlite::Connection;

use super::super::connect::Sql;
use super::encode;
use crate::rules::ranking::bm25::{self, as_f64};
use crate::rules::ranking::terms::{self, COMMON, MOST};

/// A distinct term of a query.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// As the stored tokens have it.
    pub(super) token: String,
    /// As the query language has it.
    pub(super) quoted: String,
    /// Rows that hold it, counted up to one more than [`COMMON`].
    pub(super) counted: i64,
    /// Rows that hold it, estimated for a common term.
    pub(super) rows: f64,
}

impl Term {
    fn look_up(db: &Connection, text: &str, newest_row: i64) -> Sql<Self> {
        let quoted = encode::quoted(text);
        let mut bounded = db.prepare_cached(
            "SELECT count(*), max(id) FROM (SELECT rowid AS id FROM search_index
             WHERE search_index MATCH ?1 LIMIT ?2)",
        )?;
        let (counted, last): (i64, Option<i64>) =
            bounded.query_row((&quoted, COMMON + 1), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows = match last {
            // The rows came in order: what was found up to here goes on alike.
            Some(last) if counted > COMMON && last > 0 => {
                as_f64(counted) * as_f64(newest_row) / as_f64(last)
            }
            _ => as_f64(counted),
        };
        Ok(Self { token: encode::token(text).into_owned(), quoted, counted, rows })
    }

    /// The weight of a term as FTS5's own BM25 has it.
    pub(super) fn idf(&self, all_rows: f64) -> f64 {
        bm25::idf(all_rows, self.rows)
    }
}

/// The terms of a query, each once and with its frequency, in the order they came.
pub(super) fn survey(db: &Connection, texts: &[String]) -> Sql<Vec<Term>> {
    let newest: Option<i64> =
        db.prepare_cached("SELECT max(id) FROM search_rows")?.query_row([], |row| row.get(0))?;
    let mut terms: Vec<Term> = Vec::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        if terms.len() == MOST {
            break;
        }
        let token = encode::token(text);
        if terms.iter().all(|term| term.token != token) {
            terms.push(Term::look_up(db, text, newest.unwrap_or(0))?);
        }
    }
    Ok(terms)
}

/// For each text, in how many rows it occurs; estimated beyond [`COMMON`].
pub(super) fn rows_with(texts: &[String], terms: &[Term]) -> Vec<u64> {
    terms::rows_with(texts, |text| {
        let token = encode::token(text);
        terms.iter().find(|term| term.token == token).map(|term| term.rows)
    })
}

/// The terms that drive the ranking, and those that only weigh in.
pub(super) fn split(terms: Vec<Term>) -> (Vec<Term>, Vec<Term>) {
    terms::split(terms, |term| term.counted)
}

/// Any of the terms, as a query.
pub(super) fn any(terms: &[Term]) -> String {
    join(terms, " OR ")
}

/// All of the terms, as a query.
pub(super) fn all(terms: &[Term]) -> String {
    join(terms, " AND ")
}

fn join(terms: &[Term], between: &str) -> String {
    terms.iter().map(|term| term.quoted.as_str()).collect::<Vec<_>>().join(between)
}
