//! The filters of a query: rows within them, and counting what matches.

use afterword_domain::{Kind, Time};
use rusqlite::{Connection, params};
use std::ops::Deref;

use super::super::connect::Sql;
use super::super::owned::Ways;
use super::super::values::limit as sql_limit;
use super::index::scope_clause;
use super::period;
use super::terms::{self, Term};
use crate::contract::{KeywordQuery, Period};

/// Where counting of matches stops.
pub(super) const MOST_COUNTED: usize = 2_000;

/// How far back, in rows of the index, stand-ins are looked for.
pub(super) const WINDOW: i64 = 200_000;

/// Rows within the filters up to which all of them are read.
const NARROW: usize = 300;

/// Rows up to which matches are counted in a filtered search of a large store; the rest is
/// estimated.
const COUNTED_WITHIN: i64 = 1_000;

/// Rows that are few enough to be looked at one by one.
const FEW: i64 = 20_000;

/// A query with its owners looked up.
pub(super) struct Asked<'q> {
    query: &'q KeywordQuery,
    /// The owners that are asked for.
    pub(super) ways: Option<Ways>,
}

impl<'q> Asked<'q> {
    pub(super) fn of(db: &Connection, query: &'q KeywordQuery) -> Sql<Self> {
        let ways = query.owners.as_ref().map(|owners| Ways::of(db, owners)).transpose()?;
        Ok(Self { query, ways })
    }

    /// The same query, of which nothing is asked about owners.
    pub(super) const fn of_everybody(query: &'q KeywordQuery) -> Self {
        Self { query, ways: None }
    }

    /// Whether nothing can be found.
    pub(super) fn is_impossible(&self) -> bool {
        self.ways.as_ref().is_some_and(Ways::is_impossible)
    }
}

impl Deref for Asked<'_> {
    type Target = KeywordQuery;

    fn deref(&self) -> &KeywordQuery {
        self.query
    }
}

/// The filters of a query as conditions on `search_rows r`; none needs no join.
pub(super) fn filters(query: &Asked<'_>) -> Option<String> {
    let narrow = query.scope.project().is_some()
        || query.kind.is_some()
        || query.ways.is_some()
        || by_time(query);
    let owned = owned(query);
    narrow.then(|| {
        format!(
            "(?2 IS NULL OR r.project_id = ?2) AND (?3 IS NULL OR r.kind = ?3)
             AND r.created_at >= ?4 AND r.created_at < ?5{owned}"
        )
    })
}

/// The condition on `search_rows r` that owners are, after what stands before it.
pub(super) fn owned(query: &Asked<'_>) -> String {
    query.ways.as_ref().map_or_else(String::new, |ways| {
        let condition = ways.condition();
        format!(
            " AND r.kind = 'memory'
              AND EXISTS (SELECT 1 FROM memories m WHERE m.id = r.row_id AND {condition})"
        )
    })
}

/// Whether only rows of certain times are wanted.
pub(super) fn by_time(query: &Asked<'_>) -> bool {
    query.since.is_some() || query.until.is_some()
}

/// The first moment that the filters let through.
pub(super) fn since(query: &Asked<'_>) -> i64 {
    query.since.map_or(i64::MIN, Time::millis)
}

/// The moment after the last that the filters let through.
pub(super) fn until(query: &Asked<'_>) -> i64 {
    query.until.map_or(i64::MAX, Time::millis)
}

/// Restricts a query to what the filters allow, by terms of the index itself.
pub(super) fn within(query: &Asked<'_>, matching: &str) -> String {
    match scope_clause(query) {
        Some(scope) => format!("{scope} AND ({matching})"),
        None => matching.to_owned(),
    }
}

/// Every row within the filters, when they are few; reading them all is then the shortest way.
pub(super) fn narrow_scope(db: &Connection, query: &Asked<'_>) -> Sql<Option<Vec<i64>>> {
    if filters(query).is_none() {
        return Ok(None);
    }
    let rows = rows_within(db, query, NARROW + 1)?;
    Ok((rows.len() <= NARROW).then_some(rows))
}

fn rows_within(db: &Connection, query: &Asked<'_>, limit: usize) -> Sql<Vec<i64>> {
    listed(db, query, period(query.since, query.until), "", limit)
}

/// The newest rows within the filters that were made in a period.
pub(super) fn rows_made_in(
    db: &Connection,
    query: &Asked<'_>,
    period: Period,
    limit: usize,
) -> Sql<Vec<i64>> {
    let from = period.from.max(Time::from_millis(since(query)));
    let to = period.to.min(Time::from_millis(until(query)));
    listed(db, query, Period { from, to }, "ORDER BY created_at DESC, id DESC", limit)
}

fn listed(
    db: &Connection,
    query: &Asked<'_>,
    period: Period,
    order: &str,
    limit: usize,
) -> Sql<Vec<i64>> {
    let filter = match (query.scope.project(), query.kind) {
        (None, None) => "TRUE",
        (None, Some(_)) => "kind = ?2",
        (Some(_), None) => "project_id = ?1",
        (Some(_), Some(_)) => "project_id = ?1 AND kind = ?2",
    };
    let rows = query.ways.as_ref().map_or_else(
        || "search_rows".to_owned(),
        // From the memories of the owners to their rows.
        |ways| {
            let condition = ways.condition();
            format!(
                "(SELECT r.* FROM memories m CROSS JOIN search_rows r
                  ON r.kind = 'memory' AND r.row_id = m.id WHERE {condition}
                  AND m.created_at >= ?3 AND m.created_at < ?5)"
            )
        },
    );
    let mut list = db.prepare_cached(&format!(
        "SELECT id FROM {rows} WHERE created_at >= ?3 AND created_at < ?5 AND {filter}
         AND (?1 IS NULL OR TRUE) AND (?2 IS NULL OR TRUE) {order} LIMIT ?4"
    ))?;
    let kind = query.kind.map(Kind::word);
    let (from, to) = (period.from.millis(), period.to.millis());
    let bound = params![query.scope.project(), kind, from, sql_limit(limit), to];
    let rows = list.query_map(bound, |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The oldest row of the index that a filter by time lets through, when those are few: rows before
/// it need not be looked at.
pub(super) fn oldest_since(db: &Connection, query: &Asked<'_>) -> Sql<i64> {
    let Some(since) = query.since else { return Ok(0) };
    let mut bounded = db.prepare_cached(
        "SELECT count(*), min(id) FROM (SELECT id FROM search_rows WHERE created_at >= ?1 LIMIT ?2)",
    )?;
    let (n, oldest): (i64, Option<i64>) = bounded
        .query_row(params![since.millis(), FEW + 1], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(if n > FEW { 0 } else { oldest.unwrap_or(0) })
}

/// How many rows match within the filters, counted up to the bound. In a large store each row that
/// must match a filter and a term costs a search, so what is found by then tells of the rest.
pub(super) fn count_matches(db: &Connection, query: &Asked<'_>, terms: &[Term]) -> Sql<usize> {
    let sql = if by_time(query) {
        "SELECT count(*), max(id) FROM (SELECT search_index.rowid AS id FROM search_index
         CROSS JOIN search_rows r ON r.id = search_index.rowid
         WHERE search_index MATCH ?1 AND search_index.rowid >= ?2 AND r.created_at >= ?3
         AND r.created_at < ?5 LIMIT ?4)"
    } else {
        "SELECT count(*), max(id) FROM (SELECT rowid AS id FROM search_index
         WHERE search_index MATCH ?1 AND rowid >= ?2 AND ?3 IS NOT NULL AND ?5 IS NOT NULL LIMIT ?4)"
    };
    let matching = within(query, &terms::any(terms));
    let oldest = oldest_since(db, query)?;
    let newest = newest_row(db)?;
    let bound = if filters(query).is_some() && newest > WINDOW {
        COUNTED_WITHIN
    } else {
        sql_limit(MOST_COUNTED)
    };
    let (n, last): (i64, Option<i64>) = db
        .prepare_cached(sql)?
        .query_row(params![matching, oldest, since(query), bound, until(query)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let estimate = match last {
        Some(last) if n == bound => n * (newest - oldest + 1) / (last - oldest + 1).max(1),
        _ => n,
    };
    Ok(usize::try_from(estimate).unwrap_or(0))
}

pub(super) fn newest_row(db: &Connection) -> Sql<i64> {
    let mut one = db.prepare_cached("SELECT max(id) FROM search_rows")?;
    Ok(one.query_row([], |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0))
}
