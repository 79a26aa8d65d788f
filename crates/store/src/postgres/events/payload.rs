//! Raw payloads: kept beside their events, read as evidence, and gone before them.

use afterword_domain::Time;
use afterword_domain::event::Event;

use crate::contract::{PayloadLimits, Trimmed};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{count, from_json, get, limit as sql_limit};

/// The counter of the bytes of all payloads.
pub(super) const BYTES: &str = "payload.bytes";

/// As the contract's `evidence`.
pub(super) async fn evidence(tx: &Tx, observation_id: i64) -> Sql<Vec<(i64, Event)>> {
    let sql = "SELECT p.event_id, p.payload
               FROM observation_events o
               JOIN event_payloads p ON p.tenant = $1 AND p.event_id = o.event_id
               WHERE o.tenant = $1 AND o.observation_id = $2 ORDER BY p.event_id";
    let rows = tx.rows(sql, &[&observation_id]).await?;
    rows.iter().map(|row| Ok((get(row, "event_id")?, from_json(row, "payload")?))).collect()
}

/// Takes away what was said in events: payload and digest go, the events stay and are counted.
pub(in crate::postgres) async fn drop_evidence(tx: &Tx, event_ids: &[i64]) -> Sql<()> {
    if event_ids.is_empty() {
        return Ok(());
    }
    drop_payloads(tx, event_ids).await?;
    let sql = "UPDATE events SET digest = '{}' WHERE tenant = $1 AND id = ANY ($2)";
    tx.run(sql, &[&event_ids]).await?;
    Ok(())
}

async fn drop_payloads(tx: &Tx, event_ids: &[i64]) -> Sql<()> {
    let sql =
        "DELETE FROM event_payloads WHERE tenant = $1 AND event_id = ANY ($2) RETURNING bytes";
    for row in tx.rows(sql, &[&event_ids]).await? {
        tx.count(BYTES, -get::<i64>(&row, "bytes")?);
    }
    Ok(())
}

/// As the contract's `trim_payloads`.
pub(super) async fn trim(tx: &Tx, limits: PayloadLimits) -> Sql<Trimmed> {
    let sql = "SELECT coalesce(sum(value), 0)::bigint AS bytes FROM counters
               WHERE tenant = $1 AND name = $2";
    let total: i64 = get(&tx.one(sql, &[&BYTES]).await?, "bytes")?;
    let mut trimmed = Trimmed { left: count(total), ..Trimmed::default() };
    let sql = "SELECT p.event_id, e.at, p.bytes
               FROM event_payloads p JOIN events e ON e.tenant = $1 AND e.id = p.event_id
               WHERE p.tenant = $1 AND e.state = 'distilled'
               AND NOT EXISTS (SELECT 1 FROM follow_ups f
                   WHERE f.tenant = $1 AND f.event_id = e.id)
               AND NOT EXISTS (SELECT 1 FROM model_jobs m
                   WHERE m.tenant = $1 AND m.session_id = e.session_id AND m.level = 'turn'
                   AND m.prompt_number = e.prompt_number
                   AND m.state IN ('waiting', 'claimed', 'sent', 'parked') AND e.at > $3)
               ORDER BY p.event_id LIMIT $2 FOR UPDATE OF p SKIP LOCKED";
    let held_since = limits.held_since.map_or(i64::MAX, Time::millis);
    let mut gone = Vec::new();
    for row in tx.rows(sql, &[&sql_limit(limits.most), &held_since]).await? {
        let (at, bytes): (i64, i64) = (get(&row, "at")?, get(&row, "bytes")?);
        let too_old = limits.before.is_some_and(|before| at < before.millis());
        let too_many = limits.bytes.is_some_and(|most| trimmed.left > most);
        if too_old || too_many {
            gone.push(get(&row, "event_id")?);
            trimmed.events += 1;
            trimmed.bytes += count(bytes);
            trimmed.left = trimmed.left.saturating_sub(count(bytes));
        }
    }
    drop_payloads(tx, &gone).await?;
    Ok(trimmed)
}
