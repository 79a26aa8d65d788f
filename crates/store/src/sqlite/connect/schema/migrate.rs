//! Numbered steps, forward only.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};

use super::super::super::{health, search};
use super::super::errors::Sql;
use super::super::open::{fault, unwritable};
use crate::{Error, Result};

/// A step from the version before it to its number.
pub(super) type Migration = (i64, &'static str);

/// Every step, in order. A released step never changes.
pub(super) const MIGRATIONS: &[Migration] = &[
    (1, include_str!("../../../../migrations/sqlite/0001_first.sql")),
    (2, include_str!("../../../../migrations/sqlite/0002_search.sql")),
    (3, include_str!("../../../../migrations/sqlite/0003_counters.sql")),
    (4, include_str!("../../../../migrations/sqlite/0004_events.sql")),
    (5, include_str!("../../../../migrations/sqlite/0005_vectors.sql")),
    (6, include_str!("../../../../migrations/sqlite/0006_model_jobs.sql")),
    (7, include_str!("../../../../migrations/sqlite/0007_given.sql")),
    (8, include_str!("../../../../migrations/sqlite/0008_spend.sql")),
    (9, include_str!("../../../../migrations/sqlite/0009_beside.sql")),
    (10, include_str!("../../../../migrations/sqlite/0010_answers.sql")),
    (11, include_str!("../../../../migrations/sqlite/0011_changes.sql")),
    (12, include_str!("../../../../migrations/sqlite/0012_owners.sql")),
];

/// The first schema with an index over the rows, and the first that counts them.
const INDEX: i64 = 2;
const COUNTERS: i64 = 3;

fn newest(steps: &[Migration]) -> i64 {
    steps.last().map_or(0, |step| step.0)
}

pub(in super::super) fn refuse_version(found: i64) -> Result<()> {
    let known = newest(MIGRATIONS);
    if found > known { Err(Error::NewerSchema { found, known }) } else { Ok(()) }
}

/// Refuses a database of a newer release, whose version may still be in its log.
pub(in super::super) fn refuse_newer(db: &Connection) -> Result<()> {
    refuse_version(version(db).map_err(Error::from)?)
}

fn version(db: &Connection) -> Sql<i64> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Runs the steps that are missing, all in one transaction that no other process can enter.
pub(in super::super) fn migrate(db: &mut Connection, path: &Path) -> Result<()> {
    migrate_by(db, path, MIGRATIONS)
}

pub(super) fn migrate_by(db: &mut Connection, path: &Path, steps: &[Migration]) -> Result<()> {
    let found = version(db).map_err(Error::from)?;
    if found >= newest(steps) {
        return Ok(());
    }
    if found > 0 {
        keep_copy(db, path, found)?;
    }
    apply(db, steps).map_err(Error::from)
}

pub(super) fn apply(db: &mut Connection, steps: &[Migration]) -> Sql<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    let found = version(&tx)?;
    for (number, sql) in steps.iter().filter(|step| step.0 > found) {
        tx.execute_batch(sql)?;
        tx.pragma_update(None, "user_version", number)?;
    }
    if found > 0 {
        catch_up(&tx, found)?;
    }
    tx.commit()?;
    Ok(())
}

/// What the steps leave undone for the rows that were there before them.
fn catch_up(db: &Connection, found: i64) -> Sql<()> {
    if found < INDEX {
        search::index_is_due(db)?;
    }
    if found < COUNTERS {
        health::recount(db)?;
        db.execute(
            "UPDATE counters SET value = max(value, (SELECT count(*) FROM events))
             WHERE name = 'received'",
            [],
        )?;
    }
    Ok(())
}

/// Where the copy of a database is kept before it leaves schema `version`.
pub(super) fn copy_path(path: &Path, version: i64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".schema-{version}.bak"));
    PathBuf::from(name)
}

/// Copies the database, log included, beside itself. The first copy of a version is kept.
fn keep_copy(db: &Connection, path: &Path, version: i64) -> Result<()> {
    let target = copy_path(path, version);
    if target.exists() {
        return Ok(());
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut unfinished = target.clone().into_os_string();
    unfinished.push(format!(".{}", uuid::Uuid::new_v4().simple()));
    let unfinished = PathBuf::from(unfinished);
    make_empty_private(&unfinished)?;
    let text = unfinished.to_string_lossy();
    db.execute("VACUUM INTO ?1", params![text]).map_err(fault)?;
    std::fs::rename(&unfinished, &target).map_err(unwritable)?;
    tracing::info!(folder = %folder.display(), version, "kept a copy before the schema changes");
    Ok(())
}

/// `VACUUM INTO` accepts an empty file and keeps its permissions.
fn make_empty_private(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(unwritable)
}
