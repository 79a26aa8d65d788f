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
use tokio_postgres::Row;

use super::PostgresStore;
use super::connect::{Sql, Tx};
use super::values::{from_json, get, limit as sql_limit, time};
use crate::Result;
use crate::contract::{
    EventStore, FollowUp, NewEvent, PayloadLimits, Recorded, StoredDigest, StoredToolUse,
    ToolUseQuery, Trimmed, TurnKey,
};

pub(super) use payload::drop_evidence;
pub(super) use place::make_session;

#[async_trait]
impl EventStore for PostgresStore {
    async fn record(&self, events: Vec<NewEvent>) -> Result<Vec<Recorded>> {
        let events = &events;
        self.write(|tx| async move { record::record(&tx, events).await }).await
    }

    async fn note_sign_of_life(&self) -> Result<()> {
        if self.read(|tx| async move { silence::lasts(&tx).await }).await? {
            self.write(|tx| async move { silence::end(&tx).await }).await?;
        }
        Ok(())
    }

    async fn count_skipped(&self, reason: SkipReason, n: u64) -> Result<()> {
        self.write(|tx| async move {
            count_skipped(&tx, reason, n);
            Ok(())
        })
        .await
    }

    async fn turn_digests(
        &self,
        turn: TurnKey,
        head: usize,
        tail: usize,
    ) -> Result<Vec<StoredDigest>> {
        self.read(|tx| async move { turn_digests(&tx, turn, head, tail).await }).await
    }

    async fn session_digests(
        &self,
        session_id: i64,
        after: i64,
        up_to: i64,
        limit: usize,
    ) -> Result<Vec<StoredDigest>> {
        self.read(|tx| async move {
            let sql = "SELECT id, kind, prompt_number, subagent, at, digest FROM events
                       WHERE tenant = $1 AND session_id = $2 AND id > $3 AND id <= $4
                       ORDER BY id DESC LIMIT $5";
            let limit = sql_limit(limit);
            let rows = tx.rows(sql, &[&session_id, &after, &up_to, &limit]).await?;
            rows.iter().rev().map(digest_from_row).collect()
        })
        .await
    }

    async fn evidence(&self, observation_id: i64) -> Result<Vec<(i64, Event)>> {
        self.read(|tx| async move { payload::evidence(&tx, observation_id).await }).await
    }

    async fn tool_uses(&self, query: ToolUseQuery) -> Result<Vec<StoredToolUse>> {
        let query = &query;
        self.read(|tx| async move { tool_uses::find(&tx, query).await }).await
    }

    async fn due_follow_ups(&self, limit: usize) -> Result<Vec<FollowUp>> {
        self.read(|tx| async move { follow_up::due(&tx, limit).await }).await
    }

    async fn settle_follow_up(&self, event_id: i64) -> Result<()> {
        self.write(|tx| async move { follow_up::settle(&tx, event_id).await }).await
    }

    async fn trim_payloads(&self, limits: PayloadLimits) -> Result<Trimmed> {
        self.write(|tx| async move { payload::trim(&tx, limits).await }).await
    }
}

fn count_skipped(tx: &Tx, reason: SkipReason, n: u64) {
    tx.count(format!("skipped.{}", reason.word()), i64::try_from(n).unwrap_or(i64::MAX));
}

/// The first `head` in order, then those of the last `tail` that come after them.
async fn turn_digests(tx: &Tx, turn: TurnKey, head: usize, tail: usize) -> Sql<Vec<StoredDigest>> {
    let TurnKey { session_id, prompt_number } = turn;
    let sql = "SELECT id, kind, prompt_number, subagent, at, digest FROM events
               WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3 AND id > $4
               ORDER BY id LIMIT $5";
    let first = tx.rows(sql, &[&session_id, &prompt_number, &0_i64, &sql_limit(head)]).await?;
    let mut found = first.iter().map(digest_from_row).collect::<Sql<Vec<_>>>()?;
    if found.len() < head {
        return Ok(found);
    }
    let sql = "SELECT id, kind, prompt_number, subagent, at, digest FROM events
               WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3 AND id > $4
               ORDER BY id DESC LIMIT $5";
    let after = found.last().map_or(0, |digest| digest.event_id);
    let rest = tx.rows(sql, &[&session_id, &prompt_number, &after, &sql_limit(tail)]).await?;
    found.extend(rest.iter().rev().map(digest_from_row).collect::<Sql<Vec<_>>>()?);
    Ok(found)
}

fn digest_from_row(row: &Row) -> Sql<StoredDigest> {
    Ok(StoredDigest {
        event_id: get(row, "id")?,
        kind: get(row, "kind")?,
        prompt_number: get(row, "prompt_number")?,
        subagent: get(row, "subagent")?,
        at: time(row, "at")?,
        digest: from_json(row, "digest")?,
    })
}
