//! Raw payloads: kept beside their events, read as evidence, and gone before them.

use afterword_domain::Time;
use afterword_domain::event::Event;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::connect::Sql;
use super::super::values::{count, from_json, json, limit as sql_limit};
use crate::contract::{PayloadLimits, Trimmed};

/// Keeps the payload of a new event.
pub(super) fn keep(db: &Connection, event_id: i64, event: &Event) -> Sql<()> {
    db.prepare_cached("INSERT INTO event_payloads (event_id, payload) VALUES (?1, ?2)")?
        .execute(params![event_id, json(event)?])?;
    Ok(())
}

/// Whether the stored event came from the report with this uid.
pub(super) fn is_of_report(db: &Connection, event_id: i64, uid: Uuid) -> Sql<bool> {
    let mut one = db.prepare_cached(
        "SELECT 1 FROM event_payloads WHERE event_id = ?1 AND json_extract(payload, '$.uid') = ?2",
    )?;
    Ok(one.exists(params![event_id, uid.to_string()])?)
}

/// As the contract's `evidence`.
pub(super) fn evidence(db: &Connection, observation_id: i64) -> Sql<Vec<(i64, Event)>> {
    let mut list = db.prepare_cached(
        "SELECT p.event_id AS id, p.payload AS payload
         FROM observation_events o JOIN event_payloads p ON p.event_id = o.event_id
         WHERE o.observation_id = ?1 ORDER BY p.event_id",
    )?;
    let rows =
        list.query_map([observation_id], |row| Ok((row.get("id")?, from_json(row, "payload")?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Takes away what was said in events: payload and digest go, the events stay and are counted.
pub(in super::super) fn drop_evidence(db: &Connection, event_ids: &[i64]) -> Sql<()> {
    let mut payload = db.prepare_cached("DELETE FROM event_payloads WHERE event_id = ?1")?;
    let mut digest = db.prepare_cached("UPDATE events SET digest = '{}' WHERE id = ?1")?;
    for id in event_ids {
        payload.execute([id])?;
        digest.execute([id])?;
    }
    Ok(())
}

/// As the contract's `trim_payloads`.
pub(super) fn trim(db: &Connection, limits: PayloadLimits) -> Sql<Trimmed> {
    let total: i64 = db
        .prepare_cached(
            "SELECT coalesce(max(value), 0) FROM counters WHERE name = 'payload.bytes'",
        )?
        .query_row([], |row| row.get(0))?;
    let mut trimmed = Trimmed { left: count(total), ..Trimmed::default() };
    let mut oldest = db.prepare_cached(
        "SELECT p.event_id, e.at, octet_length(p.payload)
         FROM event_payloads p CROSS JOIN events e ON e.id = p.event_id
         WHERE e.state = 'distilled'
         AND NOT EXISTS (SELECT 1 FROM follow_ups f WHERE f.event_id = e.id)
         AND NOT EXISTS (SELECT 1 FROM model_jobs m
             WHERE m.session_id = e.session_id AND m.level = 'turn'
             AND m.prompt_number = e.prompt_number
             AND m.state IN ('waiting', 'claimed', 'sent', 'parked') AND e.at > ?2)
         ORDER BY p.event_id LIMIT ?1",
    )?;
    let held_since = limits.held_since.map_or(i64::MAX, Time::millis);
    let rows = oldest.query_map(params![sql_limit(limits.most), held_since], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
    })?;
    let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut remove = db.prepare_cached("DELETE FROM event_payloads WHERE event_id = ?1")?;
    for (event_id, at, bytes) in rows {
        let too_old = limits.before.is_some_and(|before| at < before.millis());
        let too_many = limits.bytes.is_some_and(|most| trimmed.left > most);
        if too_old || too_many {
            remove.execute([event_id])?;
            trimmed.events += 1;
            trimmed.bytes += count(bytes);
            trimmed.left = trimmed.left.saturating_sub(count(bytes));
        }
    }
    Ok(trimmed)
}
