//! What follows from an event besides distilling: owed from the moment it is stored.

use afterword_domain::event::{Event, EventBody};

use crate::contract::FollowUp;
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{from_json, get, limit as sql_limit};

/// Notes what a new event is owed, in the transaction that stores it.
pub(super) async fn owe(tx: &Tx, event_id: i64, session_id: i64, event: &Event) -> Sql<()> {
    if let EventBody::PreCompact { .. } = event.body {
        let sql = "UPDATE sdk_sessions SET compacted = true WHERE tenant = $1 AND id = $2";
        tx.run(sql, &[&session_id]).await?;
    }
    if let EventBody::PreCompact { .. } | EventBody::PostCompact { .. } = event.body {
        let sql = "INSERT INTO follow_ups (tenant, event_id) VALUES ($1, $2)";
        tx.run(sql, &[&event_id]).await?;
    }
    Ok(())
}

/// As the contract's `due_follow_ups`.
pub(super) async fn due(tx: &Tx, limit: usize) -> Sql<Vec<FollowUp>> {
    let sql = "SELECT f.event_id, e.session_id, p.payload
               FROM follow_ups f JOIN events e ON e.tenant = $1 AND e.id = f.event_id
               JOIN event_payloads p ON p.tenant = $1 AND p.event_id = f.event_id
               WHERE f.tenant = $1 ORDER BY f.event_id LIMIT $2";
    let rows = tx.rows(sql, &[&sql_limit(limit)]).await?;
    let due = rows.iter().map(|row| {
        Ok(FollowUp {
            event_id: get(row, "event_id")?,
            session_id: get(row, "session_id")?,
            event: from_json(row, "payload")?,
        })
    });
    due.collect()
}

/// As the contract's `settle_follow_up`.
pub(super) async fn settle(tx: &Tx, event_id: i64) -> Sql<()> {
    let sql = "DELETE FROM follow_ups WHERE tenant = $1 AND event_id = $2";
    tx.run(sql, &[&event_id]).await?;
    Ok(())
}
