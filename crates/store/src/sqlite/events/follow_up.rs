//! What follows from an event besides distilling: owed from the moment it is stored.

use afterword_domain::event::{Event, EventBody};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::{from_json, limit as sql_limit};
use crate::contract::FollowUp;

/// Notes what a new event is owed, in the transaction that stores it.
pub(super) fn owe(db: &Connection, event_id: i64, session_id: i64, event: &Event) -> Sql<()> {
    if let EventBody::PreCompact { .. } = event.body {
        db.prepare_cached("UPDATE sdk_sessions SET compacted = 1 WHERE id = ?1")?
            .execute([session_id])?;
    }
    if let EventBody::PreCompact { .. } | EventBody::PostCompact { .. } = event.body {
        db.prepare_cached("INSERT INTO follow_ups (event_id) VALUES (?1)")?.execute([event_id])?;
    }
    Ok(())
}

/// As the contract's `due_follow_ups`.
pub(super) fn due(db: &Connection, limit: usize) -> Sql<Vec<FollowUp>> {
    let mut list = db.prepare_cached(
        "SELECT f.event_id AS id, e.session_id AS session_id, p.payload AS payload
         FROM follow_ups f JOIN events e ON e.id = f.event_id
         JOIN event_payloads p ON p.event_id = f.event_id ORDER BY f.event_id LIMIT ?1",
    )?;
    let rows = list.query_map(params![sql_limit(limit)], |row| {
        Ok(FollowUp {
            event_id: row.get("id")?,
            session_id: row.get("session_id")?,
            event: from_json(row, "payload")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// As the contract's `settle_follow_up`.
pub(super) fn settle(db: &Connection, event_id: i64) -> Sql<()> {
    db.prepare_cached("DELETE FROM follow_ups WHERE event_id = ?1")?.execute([event_id])?;
    Ok(())
}
