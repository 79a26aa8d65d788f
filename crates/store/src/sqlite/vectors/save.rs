//! Writing vectors, and taking them away.

use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::{limit as sql_limit, optional};
use super::read::version;
use crate::contract::{RowVectors, SpaceId};

/// The setting that says which space was opened last.
pub(super) const CURRENT: &str = "vector_space";

/// Changes that are remembered; who is further behind reads everything again.
const CHANGES: i64 = 50_000;

/// Rows that one call looks at for vectors of other spaces.
const ROWS: i64 = 2_000;

pub(super) fn open_space(db: &Connection, name: &str, dimension: usize) -> Sql<SpaceId> {
    let dimension = sql_limit(dimension);
    let mut known = db.prepare_cached("SELECT id, dimension FROM vector_spaces WHERE name = ?1")?;
    let found = optional(
        known.query_row([name], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))),
    )?;
    let id = match found {
        Some((id, same)) if same == dimension => id,
        Some((id, _)) => {
            // Under another name it is one of those that go when no row waits any more.
            db.prepare_cached("UPDATE vector_spaces SET name = name || '#' || id WHERE id = ?1")?
                .execute([id])?;
            new_space(db, name, dimension)?
        }
        None => new_space(db, name, dimension)?,
    };
    db.prepare_cached(
        "INSERT INTO settings (name, value) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
    )?
    .execute(params![CURRENT, id.to_string()])?;
    Ok(SpaceId(id))
}

fn new_space(db: &Connection, name: &str, dimension: i64) -> Sql<i64> {
    db.prepare_cached("INSERT INTO vector_spaces (name, dimension) VALUES (?1, ?2)")?
        .execute(params![name, dimension])?;
    let id = db.last_insert_rowid();
    db.prepare_cached("INSERT OR REPLACE INTO counters (name, value) VALUES (?1, 0)")?
        .execute([counter(id)])?;
    Ok(id)
}

/// The counter of the rows that are embedded for a space; triggers keep it.
pub(super) fn counter(id: i64) -> String {
    format!("embedded.{id}")
}

/// A space whose vectors are gone goes too; a row that belongs to it all the same waits.
fn forget_space(db: &Connection, id: i64) -> Sql<()> {
    db.prepare_cached("UPDATE search_rows SET embedded = 0 WHERE embedded = ?1")?.execute([id])?;
    db.prepare_cached("DELETE FROM vector_spaces WHERE id = ?1")?.execute([id])?;
    db.prepare_cached("DELETE FROM counters WHERE name = ?1")?.execute([counter(id)])?;
    Ok(())
}

pub(super) fn save(db: &Connection, space: SpaceId, rows: &[RowVectors]) -> Sql<usize> {
    let mut clear =
        db.prepare_cached("DELETE FROM embeddings WHERE row_id = ?1 AND space_id = ?2")?;
    let mut add = db.prepare_cached(
        "INSERT INTO embeddings (row_id, space_id, part, vector) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let mut mark = db.prepare_cached("UPDATE search_rows SET embedded = ?2 WHERE id = ?1")?;
    let mut note = db.prepare_cached("INSERT INTO vector_changes (row_id) VALUES (?1)")?;
    let mut saved = 0;
    for row in rows {
        if version(db, row.key)? != Some(row.version) {
            continue;
        }
        clear.execute(params![row.key, space.0])?;
        for (part, vector) in (0..=u8::MAX).zip(&row.vectors) {
            add.execute(params![row.key, space.0, part, vector])?;
        }
        mark.execute(params![row.key, space.0])?;
        note.execute([row.key])?;
        saved += 1;
    }
    db.prepare_cached(
        "DELETE FROM vector_changes WHERE seq <= (SELECT max(seq) FROM vector_changes) - ?1",
    )?
    .execute([CHANGES])?;
    Ok(saved)
}

pub(super) fn drop_others(db: &Connection, space: SpaceId, after: i64) -> Sql<Option<i64>> {
    let last: Option<i64> = db
        .prepare_cached(
            "SELECT max(row_id) FROM (SELECT DISTINCT row_id FROM embeddings WHERE row_id > ?1
             ORDER BY row_id LIMIT ?2)",
        )?
        .query_row([after, ROWS], |row| row.get(0))?;
    if let Some(last) = last {
        db.prepare_cached(
            "DELETE FROM embeddings WHERE row_id > ?1 AND row_id <= ?2 AND space_id <> ?3",
        )?
        .execute(params![after, last, space.0])?;
        return Ok(Some(last));
    }
    let mut others = db.prepare_cached("SELECT id FROM vector_spaces WHERE id <> ?1")?;
    let rows = others.query_map([space.0], |row| row.get(0))?;
    for id in rows.collect::<rusqlite::Result<Vec<i64>>>()? {
        forget_space(db, id)?;
    }
    Ok(None)
}
