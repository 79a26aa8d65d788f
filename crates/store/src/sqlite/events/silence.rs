//! Sessions that begin and bring nothing: hooks of starts run, and those that capture do not.

use afterword_domain::Time;
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::add_to_counter;

/// Counter: how many sessions began.
pub(in super::super) const SESSIONS: &str = "silent.sessions";

/// Counter that holds a time: when the first of them began.
pub(in super::super) const FROM: &str = "silent.from";

/// Counter that holds a time: when something was stored last before. Missing where nothing was:
/// perhaps nothing is to be captured here.
pub(in super::super) const SINCE: &str = "silent.since";

/// Notes a start, before it counts as stored itself.
pub(super) fn goes_on(db: &Connection, at: Time) -> Sql<()> {
    if !lasts(db)? {
        db.prepare_cached(
            "INSERT INTO counters (name, value)
             SELECT ?1, value FROM counters WHERE name = 'last_stored_at' UNION ALL SELECT ?2, ?3",
        )?
        .execute(params![SINCE, FROM, at.millis()])?;
    }
    add_to_counter(db, SESSIONS, 1)
}

/// Whether the last that came was a start.
pub(super) fn lasts(db: &Connection) -> Sql<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM counters WHERE name = ?1")?.exists([SESSIONS])?)
}

/// Notes that something else came.
pub(super) fn end(db: &Connection) -> Sql<()> {
    db.prepare_cached("DELETE FROM counters WHERE name IN (?1, ?2, ?3)")?
        .execute([SESSIONS, FROM, SINCE])?;
    Ok(())
}
