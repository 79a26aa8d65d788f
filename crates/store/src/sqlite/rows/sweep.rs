//! Nothing of a forgotten text stays in the files.
//!
//! Deleted cells and pages are overwritten by SQLite itself (`secure_delete`). The full-text index
//! only marks a deleted row, and the log keeps old pages: the index is merged in small parts, which
//! leaves marked rows out, and the log is emptied at the end. What is still to be done stands in
//! `settings`.

use rusqlite::{Connection, params};

use super::super::SqliteStore;
use super::super::connect::{Sql, empty_now};
use crate::Result;

/// The setting that says a sweep is due, and which part of it.
const DUE: &str = "sweep";

/// All segments of the index are to be merged into one.
const GATHER: &str = "gather";

/// Merging goes on.
const MERGE: &str = "merge";

/// Index is clean; the log is left.
const LOG: &str = "log";

/// Index pages that one call writes: a few milliseconds.
const PAGES: i64 = 200;

/// Notes that rows were forgotten.
pub(super) fn begin(db: &Connection) -> Sql<()> {
    set(db, GATHER)
}

/// As the contract's `sweep_forgotten`.
pub(super) async fn part(store: &SqliteStore) -> Result<bool> {
    if !store.read(is_due).await? {
        return Ok(false);
    }
    if store.write(step).await? {
        return Ok(true);
    }
    // A reader that is still at work keeps the log from being emptied: a later call tries again.
    if store.writer.run_alone(|db| Ok(empty_now(db)?)).await? {
        store.write(end).await?;
    }
    Ok(false)
}

/// Whether something is to be swept.
fn is_due(db: &Connection) -> Sql<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM settings WHERE name = ?1")?.exists([DUE])?)
}

/// Merges a part of the index; false when the log is all that is left.
fn step(db: &Connection) -> Sql<bool> {
    let stage: String = db
        .prepare_cached("SELECT coalesce(max(value), ?2) FROM settings WHERE name = ?1")?
        .query_row([DUE, LOG], |row| row.get(0))?;
    let pages = match stage.as_str() {
        LOG => return Ok(false),
        // A negative number makes the merge take in every segment.
        GATHER => -PAGES,
        _ => PAGES,
    };
    let before = db.total_changes();
    db.prepare_cached("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?1)")?
        .execute(params![pages])?;
    // The command itself counts as one change; fewer than two mean that nothing was merged.
    let merged = db.total_changes() - before >= 2;
    set(db, if merged { MERGE } else { LOG })?;
    Ok(merged)
}

/// Notes that the sweep is done.
fn end(db: &Connection) -> Sql<()> {
    db.prepare_cached("DELETE FROM settings WHERE name = ?1 AND value = ?2")?
        .execute([DUE, LOG])?;
    Ok(())
}

fn set(db: &Connection, stage: &str) -> Sql<()> {
    db.prepare_cached(
        "INSERT INTO settings (name, value) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )?
    .execute([DUE, stage])?;
    Ok(())
}
