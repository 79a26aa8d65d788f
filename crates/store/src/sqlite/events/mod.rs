//! The durable inbox: every accepted event, once, and what was read of it.

mod follow_up;
mod known;
mod payload;
mod place;
mod record;
mod silence;
mod tool_uses;

use afterword_domain::event::Event;
use afterword_domain::wire::events::SkipReason;
use async_trait::async_trait;
use rusqlite::{Connection, Params, Row, params};

use super::SqliteStore;
use super::connect::Sql;
use super::values::{add_to_counter, from_json, limit as sql_limit, time};
use crate::Result;
use crate::contract::{
    EventStore, FollowUp, NewEvent, PayloadLimits, Recorded, StoredDigest, StoredToolUse,
    ToolUseQuery, Trimmed, TurnKey,
};

pub(super) use payload::drop_evidence;
pub(super) use place::make_session;
pub(super) use silence::{FROM as SILENT_FROM, SESSIONS as SILENT_SESSIONS, SINCE as SILENT_SINCE};

#[async_trait]
impl EventStore for SqliteStore {
    async fn record(&self, events: Vec<NewEvent>) -> Result<Vec<Recorded>> {
        self.write(move |db| events.iter().map(|new| record::record_one(db, new)).collect()).await
    }

    async fn note_sign_of_life(&self) -> Result<()> {
        if self.read(silence::lasts).await? { self.write(silence::end).await } else { Ok(()) }
    }

    async fn count_skipped(&self, reason: SkipReason, n: u64) -> Result<()> {
        self.write(move |db| count_skipped(db, reason, n)).await
    }

    async fn turn_digests(
        &self,
        turn: TurnKey,
        head: usize,
        tail: usize,
    ) -> Result<Vec<StoredDigest>> {
        self.read(move |db| turn_digests(db, turn, head, tail)).await
    }

    async fn session_digests(
        &self,
        session_id: i64,
        after: i64,
        up_to: i64,
        limit: usize,
    ) -> Result<Vec<StoredDigest>> {
        self.read(move |db| {
            let sql = "SELECT id, kind, prompt_number, subagent, at, digest FROM events
                       INDEXED BY events_by_session
                       WHERE session_id = ?1 AND id > ?2 AND id <= ?3 ORDER BY id DESC LIMIT ?4";
            let mut found = digests(db, sql, params![session_id, after, up_to, sql_limit(limit)])?;
            found.reverse();
            Ok(found)
        })
        .await
    }

    async fn evidence(&self, observation_id: i64) -> Result<Vec<(i64, Event)>> {
        self.read(move |db| payload::evidence(db, observation_id)).await
    }

    async fn tool_uses(&self, query: ToolUseQuery) -> Result<Vec<StoredToolUse>> {
        self.read(move |db| tool_uses::find(db, &query)).await
    }

    async fn due_follow_ups(&self, limit: usize) -> Result<Vec<FollowUp>> {
        self.read(move |db| follow_up::due(db, limit)).await
    }

    async fn settle_follow_up(&self, event_id: i64) -> Result<()> {
        self.write(move |db| follow_up::settle(db, event_id)).await
    }

    async fn trim_payloads(&self, limits: PayloadLimits) -> Result<Trimmed> {
        self.write(move |db| payload::trim(db, limits)).await
    }
}

fn count_skipped(db: &Connection, reason: SkipReason, n: u64) -> Sql<()> {
    add_to_counter(db, &format!("skipped.{}", reason.word()), n)
}

/// The first `head` in order, then those of the last `tail` that come after them.
fn turn_digests(
    db: &Connection,
    turn: TurnKey,
    head: usize,
    tail: usize,
) -> Sql<Vec<StoredDigest>> {
    let TurnKey { session_id, prompt_number } = turn;
    let first = "SELECT id, kind, prompt_number, subagent, at, digest FROM events
                 INDEXED BY events_by_turn
                 WHERE session_id = ?1 AND prompt_number = ?2 ORDER BY id LIMIT ?3";
    let mut found = digests(db, first, params![session_id, prompt_number, sql_limit(head)])?;
    let last = "SELECT id, kind, prompt_number, subagent, at, digest FROM events
                INDEXED BY events_by_turn
                WHERE session_id = ?1 AND prompt_number = ?2 AND id > ?3
                ORDER BY id DESC LIMIT ?4";
    let after = found.last().map_or(0, |digest| digest.event_id);
    let rest = digests(db, last, params![session_id, prompt_number, after, sql_limit(tail)])?;
    found.extend(rest.into_iter().rev());
    Ok(found)
}

fn digests(db: &Connection, sql: &str, params: impl Params) -> Sql<Vec<StoredDigest>> {
    let mut list = db.prepare_cached(sql)?;
    let rows = list.query_map(params, digest_from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn digest_from_row(row: &Row<'_>) -> rusqlite::Result<StoredDigest> {
    Ok(StoredDigest {
        event_id: row.get("id")?,
        kind: row.get("kind")?,
        prompt_number: row.get("prompt_number")?,
        subagent: row.get("subagent")?,
        at: time(row, "at")?,
        digest: from_json(row, "digest")?,
    })
}
