//! Reading vectors and what waits for them.

use std::collections::BTreeSet;

use afterword_domain::PublicId;
use afterword_domain::scope::Scope;
use rusqlite::{Connection, Row as SqlRow, params};

use super::super::connect::Sql;
use super::super::rows::{owner, row};
use super::super::search::indexed_rows;
use super::super::values::{count, kind, limit as sql_limit, optional, time};
use super::save::{CURRENT, counter};
use crate::contract::{EmbeddedRow, Row, SpaceId, VectorChanges, VectorCounts, WaitingRow};
use crate::rules::hash;

/// Changes of one answer at most.
const CHANGES: i64 = 1_000;

pub(super) fn waiting(db: &Connection, space: SpaceId, limit: usize) -> Sql<Vec<WaitingRow>> {
    let mut spaces = db.prepare_cached(
        "SELECT 0 AS id UNION ALL SELECT id FROM vector_spaces WHERE id <> ?1 ORDER BY id",
    )?;
    let others = spaces.query_map([space.0], |row| row.get(0))?;
    let others = others.collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut list = db.prepare_cached(
        "SELECT id, kind, row_id FROM search_rows WHERE embedded = ?1
         ORDER BY created_at DESC, id DESC LIMIT ?2",
    )?;
    let mut found = Vec::new();
    for other in others {
        let rows = list.query_map(params![other, sql_limit(limit - found.len())], |row| {
            let id = PublicId::new(kind(row, "kind")?, row.get("row_id")?);
            Ok((row.get("id")?, id))
        })?;
        for waits in rows {
            let (key, id) = waits?;
            // An entry whose row is gone points nowhere; a check tells of it.
            if let Some(row) = row(db, &Scope::All, id)? {
                let (own, before) = hashes(db, key)?.unwrap_or_default();
                let version = hash::version(own, before);
                let before = match before {
                    Some(_) => before_it(db, id)?,
                    None => None,
                };
                found.push(WaitingRow { key, version, row, before });
            }
        }
    }
    Ok(found)
}

/// What stands before a row that something stands before.
fn before_it(db: &Connection, id: PublicId) -> Sql<Option<Row>> {
    row(db, &Scope::All, PublicId::new(id.kind, id.number - 1))
}

/// The hashes of a row's tokens and of those of the row of the same kind and session with the number
/// before, where there is one; none for no row.
fn hashes(db: &Connection, key: i64) -> Sql<Option<(i64, Option<i64>)>> {
    let mut one = db.prepare_cached(
        "SELECT own.doc_hash, before.doc_hash FROM search_rows own
         LEFT JOIN search_rows before ON before.kind = own.kind
         AND before.row_id = own.row_id - 1 AND before.session_id = own.session_id
         WHERE own.id = ?1",
    )?;
    optional(one.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))))
}

/// Names a state of a row's tokens and of those of the row before it; none for no row.
pub(super) fn version(db: &Connection, key: i64) -> Sql<Option<i64>> {
    Ok(hashes(db, key)?.map(|(own, before)| hash::version(own, before)))
}

pub(super) fn page(
    db: &Connection,
    space: SpaceId,
    after: i64,
    limit: usize,
) -> Sql<Vec<EmbeddedRow>> {
    let mut keys = db.prepare_cached(
        "SELECT DISTINCT row_id FROM embeddings WHERE row_id > ?1 AND space_id = ?2
         ORDER BY row_id LIMIT ?3",
    )?;
    let keys = keys.query_map(params![after, space.0, sql_limit(limit)], |row| row.get(0))?;
    let keys = keys.collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut rows = Vec::with_capacity(keys.len());
    for key in keys {
        rows.extend(embedded(db, space, key)?);
    }
    Ok(rows)
}

/// A row with its vectors of a space; none where it has none.
fn embedded(db: &Connection, space: SpaceId, key: i64) -> Sql<Option<EmbeddedRow>> {
    let mut parts = db.prepare_cached(
        "SELECT part, vector FROM embeddings WHERE row_id = ?1 AND space_id = ?2 ORDER BY part",
    )?;
    let vectors = parts.query_map([key, space.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let vectors = vectors.collect::<rusqlite::Result<Vec<_>>>()?;
    if vectors.is_empty() {
        return Ok(None);
    }
    let mut one = db.prepare_cached(
        "SELECT r.kind, r.row_id, r.project_id, r.created_at, coalesce(m.user_id, '') AS user_id,
         coalesce(m.agent_id, '') AS agent_id, coalesce(m.app_id, '') AS app_id,
         coalesce(m.run_id, '') AS run_id FROM search_rows r
         LEFT JOIN memories m ON r.kind = 'memory' AND m.id = r.row_id WHERE r.id = ?1",
    )?;
    let entry = |row: &SqlRow<'_>| {
        Ok(EmbeddedRow {
            key,
            id: PublicId::new(kind(row, "kind")?, row.get("row_id")?),
            project_id: row.get("project_id")?,
            owner: owner(row)?,
            created_at: time(row, "created_at")?,
            vectors: Vec::new(),
        })
    };
    let found = optional(one.query_row([key], entry))?;
    Ok(found.map(|found| EmbeddedRow { vectors, ..found }))
}

pub(super) fn of_parts(
    db: &Connection,
    space: SpaceId,
    parts: &[(i64, u8)],
) -> Sql<Vec<Option<Vec<u8>>>> {
    let mut one = db.prepare_cached(
        "SELECT vector FROM embeddings WHERE row_id = ?1 AND space_id = ?2 AND part = ?3",
    )?;
    let mut found = Vec::with_capacity(parts.len());
    for (key, part) in parts {
        found.push(optional(one.query_row(params![key, space.0, part], |row| row.get(0)))?);
    }
    Ok(found)
}

pub(super) fn changes(db: &Connection, space: SpaceId, after: i64) -> Sql<VectorChanges> {
    let (oldest, newest): (i64, i64) = db
        .prepare_cached(
            "SELECT coalesce((SELECT min(seq) FROM vector_changes), 1), coalesce(
                 (SELECT seq FROM sqlite_sequence WHERE name = 'vector_changes'), 0)",
        )?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if after > newest || after < oldest - 1 {
        return Ok(VectorChanges { seq: newest, lost: true, ..VectorChanges::default() });
    }
    let mut list = db.prepare_cached(
        "SELECT seq, row_id FROM vector_changes WHERE seq > ?1 ORDER BY seq LIMIT ?2",
    )?;
    let rows = list.query_map([after, CHANGES], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut answer = VectorChanges { seq: after, ..VectorChanges::default() };
    let mut keys = BTreeSet::new();
    for change in rows {
        let (seq, key) = change?;
        answer.seq = seq;
        keys.insert(key);
    }
    for key in keys {
        match embedded(db, space, key)? {
            Some(row) => answer.rows.push(row),
            None => answer.gone.push(key),
        }
    }
    Ok(answer)
}

pub(in super::super) fn counts(db: &Connection) -> Sql<Option<VectorCounts>> {
    let mut current = db.prepare_cached(
        "SELECT id, v.name, dimension FROM settings s JOIN vector_spaces v ON v.id = s.value
         WHERE s.name = ?1",
    )?;
    let current = optional(current.query_row([CURRENT], |row| {
        Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, i64>(2)?))
    }))?;
    let Some((id, space, dimension)) = current else { return Ok(None) };
    let mut counter_of =
        db.prepare_cached("SELECT coalesce(max(value), 0) FROM counters WHERE name = ?1")?;
    let embedded = count(counter_of.query_row([counter(id)], |row| row.get(0))?);
    Ok(Some(VectorCounts {
        space,
        dimension: usize::try_from(dimension).unwrap_or(0),
        embedded,
        waiting: indexed_rows(db)?.saturating_sub(embedded),
    }))
}
