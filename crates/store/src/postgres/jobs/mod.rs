//! The queue of turns to distil.

mod claim;
mod save;

use afterword_domain::Time;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::text::cut_chars;
use async_trait::async_trait;

use super::connect::{Sql, Tx, required};
use super::rows::summary_from_row;
use super::values::{Text, get, limit as sql_limit};
use super::{PostgresStore, sessions};
use crate::Result;
use crate::contract::{Job, JobStore, SavedTurn, TurnKey, TurnOutcome};
use crate::rules::{ERROR_CHARS, TRIES};

pub(super) use claim::{ABANDONED, Served};
pub(super) use save::{save_observations, save_summary, slotted_session_summary};

#[async_trait]
impl JobStore for PostgresStore {
    async fn claim_job(&self, now: Time) -> Result<Option<Job>> {
        // Nearly always there is nothing to claim, and so nothing to write.
        if self.next_job_at().await?.is_none_or(|at| at > now) {
            return Ok(None);
        }
        let served = &*self.pool.served(self.tenant);
        let key = self.pool.presence().hold().await?;
        self.write(|tx| async move { claim::claim(&tx, now, key, served).await }).await
    }

    async fn next_job_at(&self) -> Result<Option<Time>> {
        let key = self.pool.presence().key();
        self.read(|tx| async move { claim::next_at(&tx, key).await }).await
    }

    async fn release_claimed_jobs(&self) -> Result<u64> {
        let key = self.pool.presence().key();
        self.write(|tx| async move {
            let sql = format!(
                "UPDATE jobs SET state = 'waiting', claimed_by = NULL
                 WHERE tenant = $1 AND state = 'claimed' AND (claimed_by = $2 OR {ABANDONED})"
            );
            tx.run(&sql, &[&key]).await
        })
        .await
    }

    async fn save_turn(&self, outcome: TurnOutcome) -> Result<SavedTurn> {
        let outcome = &outcome;
        self.write(|tx| async move { save::save_turn(&tx, outcome).await }).await
    }

    async fn fail_job(&self, job: &Job, error: &str, retry_at: Time) -> Result<bool> {
        let error = &cut_chars(error, ERROR_CHARS);
        self.write(|tx| async move { fail(&tx, job, error, retry_at).await }).await
    }

    async fn retry_parked_jobs(&self, now: Time) -> Result<u64> {
        self.write(|tx| async move { retry_parked(&tx, now).await }).await
    }

    async fn turn_summaries(
        &self,
        session_id: i64,
        before: Option<i64>,
        newest: usize,
    ) -> Result<Vec<Summary>> {
        let before = before.unwrap_or(i64::MAX);
        self.read(|tx| async move {
            let sql = "SELECT * FROM (
                         (SELECT * FROM session_summaries
                          WHERE tenant = $1 AND session_id = $2 AND level = $3
                            AND prompt_number < $4
                          ORDER BY prompt_number DESC, id DESC LIMIT $5)
                         UNION
                         (SELECT * FROM session_summaries
                          WHERE tenant = $1 AND session_id = $2 AND level = $3
                            AND prompt_number < $4
                          ORDER BY prompt_number, id LIMIT 1)) turns
                       ORDER BY prompt_number, id";
            let level = SummaryLevel::Turn.word();
            let bound = sql_limit(newest);
            let rows = tx.rows(sql, &[&session_id, &level, &before, &bound]).await?;
            rows.iter().map(summary_from_row).collect()
        })
        .await
    }
}

async fn fail(tx: &Tx, job: &Job, error: &str, retry_at: Time) -> Sql<bool> {
    sessions::lock(tx, job.turn.session_id).await?;
    let sql = "UPDATE jobs SET attempts = attempts + 1, error = $3, run_after = $4,
               claimed_by = NULL,
               state = CASE WHEN attempts + 1 >= $5 THEN 'parked' ELSE 'waiting' END
               WHERE tenant = $1 AND id = $2 RETURNING state = 'parked' AS parked";
    let row = tx.first(sql, &[&job.id, &Text(error), &retry_at.millis(), &TRIES]).await?;
    let parked = get(&required(row, "job")?, "parked")?;
    if parked {
        move_events(tx, &[job.turn], "waiting", "parked").await?;
    }
    Ok(parked)
}

/// Moves the events of turns from one state into another.
pub(super) async fn move_events(tx: &Tx, turns: &[TurnKey], from: &str, to: &str) -> Sql<()> {
    if turns.is_empty() {
        return Ok(());
    }
    let (sessions, prompts): (Vec<i64>, Vec<i64>) =
        turns.iter().map(|turn| (turn.session_id, turn.prompt_number)).unzip();
    let moved = tx
        .run(
            "UPDATE events SET state = $5
             FROM unnest($2::bigint[], $3::bigint[]) AS turn (session_id, prompt_number)
             WHERE tenant = $1 AND events.session_id = turn.session_id
             AND events.prompt_number = turn.prompt_number
             AND state <> 'distilled' AND state = $4",
            &[&sessions, &prompts, &from, &to],
        )
        .await?;
    let moved = i64::try_from(moved).unwrap_or(i64::MAX);
    tx.count(format!("events.{from}"), -moved);
    tx.count(format!("events.{to}"), moved);
    Ok(())
}

async fn retry_parked(tx: &Tx, now: Time) -> Sql<u64> {
    let sql = "SELECT session_id FROM jobs WHERE tenant = $1 AND state = 'parked'";
    let rows = tx.rows(sql, &[]).await?;
    let of = rows.iter().map(|row| get(row, "session_id")).collect::<Sql<Vec<i64>>>()?;
    if of.is_empty() {
        return Ok(0);
    }
    tx.brings_work();
    sessions::lock_all(tx, &of).await?;
    let sql = "UPDATE jobs SET state = 'waiting', attempts = 0, run_after = $2
               WHERE tenant = $1 AND state = 'parked' AND session_id = ANY ($3)
               RETURNING session_id, prompt_number";
    let rows = tx.rows(sql, &[&now.millis(), &of]).await?;
    let turns = rows.iter().map(turn_from_row).collect::<Sql<Vec<TurnKey>>>()?;
    move_events(tx, &turns, "parked", "waiting").await?;
    Ok(turns.len() as u64)
}

pub(super) fn turn_from_row(row: &tokio_postgres::Row) -> Sql<TurnKey> {
    Ok(TurnKey { session_id: get(row, "session_id")?, prompt_number: get(row, "prompt_number")? })
}
