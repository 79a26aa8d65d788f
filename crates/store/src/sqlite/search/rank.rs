//! Ranking in bounded time: `docs/design/search-index.md` tells why it goes this way.

use std::collections::{HashMap, HashSet};

use afterword_domain::{Kind, PublicId};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::{kind as kind_of, limit as sql_limit, optional, time};
use super::encode;
use super::filters::{
    Asked, MOST_COUNTED, WINDOW, by_time, count_matches, filters, narrow_scope, newest_row,
    oldest_since, owned, rows_made_in, since, until, within,
};
use super::indexed_rows;
use super::terms::{self, Term};
use super::weigh::weigh;
use crate::contract::{Hit, IndexDoc, KeywordAnswer, KeywordQuery};

/// Rows that stand in when only common terms are left to go by.
const STAND_INS: usize = 200;

/// Rows, best first, in which the terms that drove nothing are weighed.
const WEIGHED: usize = 200;

/// Answers a keyword query.
pub(super) fn keyword(db: &Connection, query: &KeywordQuery) -> Sql<KeywordAnswer> {
    let query = &Asked::of(db, query)?;
    let surveyed = terms::survey(db, &query.terms)?;
    let mut answer = KeywordAnswer {
        rows_with_term: terms::rows_with(&query.terms, &surveyed),
        indexed_rows: indexed_rows(db)?,
        ..KeywordAnswer::default()
    };
    if query.is_impossible() {
        return Ok(answer);
    }
    let (drivers, others) = terms::split(surveyed);
    let (mut found, total) = if others.is_empty() {
        let found = driven_rows(db, query, &drivers)?;
        let total = found.len();
        (found, total)
    } else if let Some(rows) = narrow_scope(db, query)? {
        let found = score_all(db, rows, &drivers, &others)?;
        let total = found.len();
        (found, total)
    } else {
        with_common_terms(db, query, drivers, others)?
    };
    answer.total = total.min(MOST_COUNTED);
    let known: HashMap<i64, f64> = if query.periods.is_empty() && query.rows.is_empty() {
        HashMap::new()
    } else {
        found.iter().map(|ranked| (ranked.row, ranked.score)).collect()
    };
    keep_best(&mut found, query.limit);
    let mut there: HashSet<i64> = found.iter().map(|ranked| ranked.row).collect();
    let mut new = rows_of_periods(db, query, &mut there)?;
    new.extend(named_rows(db, query, &mut there)?);
    let unknown = new.iter().filter(|row| !known.contains_key(row)).count();
    answer.total = (answer.total + unknown).min(MOST_COUNTED);
    let scored = |row| Ranked { row, score: known.get(&row).copied().unwrap_or(0.0) };
    found.extend(new.into_iter().map(scored));
    (answer.hits, answer.docs) = hydrate(db, &found)?.into_iter().unzip();
    Ok(answer)
}

/// What was made in the periods of the query and is not there yet.
fn rows_of_periods(db: &Connection, query: &Asked<'_>, there: &mut HashSet<i64>) -> Sql<Vec<i64>> {
    let mut new = Vec::new();
    for period in &query.periods {
        let room = query.limit.saturating_sub(new.len());
        let made = rows_made_in(db, query, *period, room)?;
        new.extend(made.into_iter().filter(|row| there.insert(*row)));
    }
    Ok(new)
}

/// The rows that the query names, that pass its filters, and are not there yet.
fn named_rows(db: &Connection, query: &Asked<'_>, there: &mut HashSet<i64>) -> Sql<Vec<i64>> {
    let owned = owned(query);
    let mut one = db.prepare_cached(&format!(
        "SELECT id FROM search_rows r WHERE kind = ?1 AND row_id = ?2
         AND (?3 IS NULL OR project_id = ?3) AND (?4 IS NULL OR kind = ?4) AND created_at >= ?5
         AND created_at < ?6{owned}"
    ))?;
    let (project, kind) = (query.scope.project(), query.kind.map(Kind::word));
    let mut new = Vec::new();
    for id in &query.rows {
        let bound = params![id.kind.word(), id.number, project, kind, since(query), until(query)];
        if let Some(row) = optional(one.query_row(bound, |row| row.get(0)))?
            && there.insert(row)
        {
            new.push(row);
        }
    }
    Ok(new)
}

/// Ranks by the rarer terms, weighs the common ones in, and lets the newest rows stand in where
/// the rarer terms find less than is asked for.
fn with_common_terms(
    db: &Connection,
    query: &Asked<'_>,
    drivers: Vec<Term>,
    others: Vec<Term>,
) -> Sql<(Vec<Ranked>, usize)> {
    let mut found = driven_rows(db, query, &drivers)?;
    let driven = found.len();
    if driven < query.limit.min(STAND_INS) {
        add_stand_ins(db, query, &others, &mut found)?;
    }
    keep_best(&mut found, query.limit.max(WEIGHED));
    weigh(db, &others, &mut found)?;
    let every: Vec<Term> = drivers.into_iter().chain(others).collect();
    let total = count_matches(db, query, &every)?.max(driven);
    Ok((found, total))
}

/// The rows that hold any of the terms, scored by all of them.
fn score_all(
    db: &Connection,
    rows: Vec<i64>,
    drivers: &[Term],
    others: &[Term],
) -> Sql<Vec<Ranked>> {
    let every: Vec<Term> = drivers.iter().chain(others).cloned().collect();
    let mut found: Vec<Ranked> = rows.into_iter().map(|row| Ranked { row, score: 0.0 }).collect();
    weigh(db, &every, &mut found)?;
    found.retain(|ranked| ranked.score > 0.0);
    Ok(found)
}

/// A row of the index and its score so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    /// Its key in the index.
    pub(super) row: i64,
    /// The larger the better.
    pub(super) score: f64,
}

/// Keeps the best, best first; of equal ones the newest.
fn keep_best(found: &mut Vec<Ranked>, most: usize) {
    let order =
        |a: &Ranked, b: &Ranked| b.score.total_cmp(&a.score).then_with(|| b.row.cmp(&a.row));
    if found.len() > most {
        if most > 0 {
            found.select_nth_unstable_by(most - 1, order);
        }
        found.truncate(most);
    }
    found.sort_unstable_by(order);
}

/// Every row within the filters that holds a driving term, with its BM25 score.
fn driven_rows(db: &Connection, query: &Asked<'_>, drivers: &[Term]) -> Sql<Vec<Ranked>> {
    if drivers.is_empty() {
        return Ok(Vec::new());
    }
    let matching = terms::any(drivers);
    let ranked =
        |row: &rusqlite::Row<'_>| Ok(Ranked { row: row.get(0)?, score: -row.get::<_, f64>(1)? });
    let found = match filters(query) {
        None => db
            .prepare_cached(
                "SELECT rowid, bm25(search_index, 4.0, 1.0, 2.0, 0.0) FROM search_index
                 WHERE search_index MATCH ?1",
            )?
            .query_map([matching], ranked)?
            .collect::<rusqlite::Result<_>>()?,
        Some(filters) => db
            .prepare_cached(&format!(
                "SELECT search_index.rowid, bm25(search_index, 4.0, 1.0, 2.0, 0.0)
                 FROM search_index CROSS JOIN search_rows r ON r.id = search_index.rowid
                 WHERE search_index MATCH ?1 AND {filters}"
            ))?
            .query_map(
                params![
                    matching,
                    query.scope.project(),
                    query.kind.map(Kind::word),
                    since(query),
                    until(query)
                ],
                ranked,
            )?
            .collect::<rusqlite::Result<_>>()?,
    };
    Ok(found)
}

/// Adds the newest rows that hold all of the terms, and then any of them.
fn add_stand_ins(
    db: &Connection,
    query: &Asked<'_>,
    terms: &[Term],
    found: &mut Vec<Ranked>,
) -> Sql<()> {
    let mut known: HashSet<i64> = found.iter().map(|ranked| ranked.row).collect();
    let mut matchings = vec![terms::all(terms)];
    if terms.len() > 1 {
        matchings.push(terms::any(terms));
    }
    for matching in matchings {
        if known.len() >= STAND_INS {
            break;
        }
        for row in newest_matching(db, query, &matching, STAND_INS)? {
            if known.len() < STAND_INS && known.insert(row) {
                found.push(Ranked { row, score: 0.0 });
            }
        }
    }
    Ok(())
}

/// The rows within the query's filters that hold a token, those that were indexed last.
pub(super) fn last_with(db: &Connection, query: &KeywordQuery, token: &str) -> Sql<Vec<Hit>> {
    let query = &Asked::of_everybody(query);
    let rows = newest_matching(db, query, &encode::quoted(token), query.limit)?;
    let mut one = db.prepare_cached(
        "SELECT kind, row_id, session_id, created_at FROM search_rows WHERE id = ?1",
    )?;
    let mut hits = Vec::with_capacity(rows.len());
    for row in rows {
        let hit = one.query_row([row], |row| {
            Ok(Hit {
                id: PublicId::new(kind_of(row, "kind")?, row.get("row_id")?),
                score: 0.0,
                session_id: row.get("session_id")?,
                created_at: time(row, "created_at")?,
            })
        });
        hits.extend(optional(hit)?);
    }
    Ok(hits)
}

fn newest_matching(
    db: &Connection,
    query: &Asked<'_>,
    matching: &str,
    limit: usize,
) -> Sql<Vec<i64>> {
    let sql = if by_time(query) {
        "SELECT search_index.rowid FROM search_index
         CROSS JOIN search_rows r ON r.id = search_index.rowid
         WHERE search_index MATCH ?1 AND search_index.rowid >= ?2 AND r.created_at >= ?3
         AND r.created_at < ?5 ORDER BY search_index.rowid DESC LIMIT ?4"
    } else {
        "SELECT rowid FROM search_index WHERE search_index MATCH ?1 AND rowid >= ?2
         AND ?3 IS NOT NULL AND ?5 IS NOT NULL ORDER BY rowid DESC LIMIT ?4"
    };
    let oldest = oldest_since(db, query)?.max(newest_row(db)? - WINDOW);
    let mut list = db.prepare_cached(sql)?;
    let rows = list.query_map(
        params![within(query, matching), oldest, since(query), sql_limit(limit), until(query)],
        |row| row.get(0),
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn hydrate(db: &Connection, found: &[Ranked]) -> Sql<Vec<(Hit, IndexDoc)>> {
    let mut one = db.prepare_cached(
        "SELECT r.kind, r.row_id, r.session_id, r.created_at, t.title, t.text, t.files
         FROM search_rows r JOIN search_tokens t ON t.id = r.id WHERE r.id = ?1",
    )?;
    let mut hits = Vec::with_capacity(found.len());
    for ranked in found {
        let hit = one.query_row([ranked.row], |row| {
            let hit = Hit {
                id: PublicId::new(kind_of(row, "kind")?, row.get("row_id")?),
                score: ranked.score,
                session_id: row.get("session_id")?,
                created_at: time(row, "created_at")?,
            };
            let (title, text, files) = (row.get("title")?, row.get("text")?, row.get("files")?);
            Ok((hit, IndexDoc { title, text, files }))
        });
        hits.extend(optional(hit)?);
    }
    Ok(hits)
}
