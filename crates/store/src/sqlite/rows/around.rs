//! Rows next to a point in time, and those of a session.

use afterword_domain::scope::Scope;
use afterword_domain::{PublicId, Time};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::{kind, limit as sql_limit};
use super::read::row;
use crate::contract::{Around, Row};

/// Where the walk begins: a row's place, or the place in front of everything of that time.
struct Point<'a> {
    at: i64,
    kind: &'a str,
    number: i64,
}

pub(super) fn around(
    db: &Connection,
    scope: &Scope,
    at: Time,
    id: Option<PublicId>,
    before: usize,
    after: usize,
) -> Sql<Around> {
    let point = Point {
        at: at.millis(),
        // No kind is called so: every kind of that time comes after it.
        kind: id.map_or("", |id| id.kind.word()),
        number: id.map_or(0, |id| id.number),
    };
    let mut earlier = walk(db, scope, &point, ("<", "DESC"), before)?;
    earlier.reverse();
    Ok(Around { before: earlier, after: walk(db, scope, &point, (">", "ASC"), after)? })
}

fn walk(
    db: &Connection,
    scope: &Scope,
    point: &Point<'_>,
    (side, order): (&str, &str),
    limit: usize,
) -> Sql<Vec<Row>> {
    let place = super::in_scope(scope);
    let sql = format!(
        "SELECT kind, row_id FROM search_rows
         WHERE {place} AND (created_at, kind, row_id) {side} (?2, ?3, ?4)
         ORDER BY created_at {order}, kind {order}, row_id {order} LIMIT ?5"
    );
    let mut list = db.prepare_cached(&sql)?;
    let found = list.query_map(
        params![scope.project(), point.at, point.kind, point.number, sql_limit(limit)],
        |row| Ok(PublicId::new(kind(row, "kind")?, row.get("row_id")?)),
    )?;
    let ids = found.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        rows.extend(row(db, scope, id)?);
    }
    Ok(rows)
}

/// As the contract's `session_rows`.
pub(super) fn of_session(db: &Connection, session_id: i64, limit: usize) -> Sql<Vec<Row>> {
    let mut list = db.prepare_cached(
        "SELECT 'observation' AS kind, id AS row_id, created_at FROM observations
             WHERE session_id = ?1
         UNION ALL SELECT 'summary', id, created_at FROM session_summaries WHERE session_id = ?1
         UNION ALL SELECT 'prompt', id, created_at FROM user_prompts WHERE session_id = ?1
         UNION ALL SELECT 'snapshot', id, created_at FROM snapshots WHERE session_id = ?1
         ORDER BY created_at, kind, row_id LIMIT ?2",
    )?;
    let found = list.query_map(params![session_id, sql_limit(limit)], |row| {
        Ok(PublicId::new(kind(row, "kind")?, row.get("row_id")?))
    })?;
    let ids = found.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        rows.extend(row(db, &Scope::All, id)?);
    }
    Ok(rows)
}
