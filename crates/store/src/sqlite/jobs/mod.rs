//! The queue of turns to distil.

mod claim;
mod save;

use std::sync::Arc;

use afterword_domain::Time;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::text::cut_chars;
use async_trait::async_trait;
use rusqlite::{Connection, params};

use super::SqliteStore;
use super::connect::Sql;
use super::rows::summary_from_row;
use super::values::{count, limit as sql_limit, optional, required};
use crate::Result;
use crate::contract::{Job, JobStore, SavedTurn, TurnKey, TurnOutcome};
use crate::rules::{ERROR_CHARS, TRIES};

pub(super) use claim::Served;
pub(super) use save::{save_observation, save_summary, slotted_session_summary};

#[async_trait]
impl JobStore for SqliteStore {
    async fn claim_job(&self, now: Time) -> Result<Option<Job>> {
        let served = Arc::clone(&self.served);
        self.write(move |db| claim::claim(db, now, &served)).await
    }

    async fn next_job_at(&self) -> Result<Option<Time>> {
        self.read(|db| {
            let mut one = db.prepare_cached(
                "SELECT run_after FROM jobs WHERE state = 'waiting' ORDER BY run_after LIMIT 1",
            )?;
            optional(one.query_row([], |row| Ok(Time::from_millis(row.get(0)?))))
        })
        .await
    }

    async fn release_claimed_jobs(&self) -> Result<u64> {
        self.write(|db| {
            let n = db
                .prepare_cached("UPDATE jobs SET state = 'waiting' WHERE state = 'claimed'")?
                .execute([])?;
            Ok(n as u64)
        })
        .await
    }

    async fn save_turn(&self, outcome: TurnOutcome) -> Result<SavedTurn> {
        self.write(move |db| save::save_turn(db, &outcome)).await
    }

    async fn fail_job(&self, job: &Job, error: &str, retry_at: Time) -> Result<bool> {
        let (job, error) = (job.clone(), cut_chars(error, ERROR_CHARS));
        self.write(move |db| fail(db, &job, &error, retry_at)).await
    }

    async fn retry_parked_jobs(&self, now: Time) -> Result<u64> {
        self.write(move |db| retry_parked(db, now)).await
    }

    async fn turn_summaries(
        &self,
        session_id: i64,
        before: Option<i64>,
        newest: usize,
    ) -> Result<Vec<Summary>> {
        let before = before.unwrap_or(i64::MAX);
        self.read(move |db| {
            let listed = |order: &str, limit: usize| -> Sql<Vec<Summary>> {
                let mut list = db.prepare_cached(&format!(
                    "SELECT * FROM session_summaries
                     WHERE session_id = ?1 AND level = ?2 AND prompt_number < ?3
                     ORDER BY prompt_number {order}, id {order} LIMIT ?4"
                ))?;
                let level = SummaryLevel::Turn.word();
                let bound = params![session_id, level, before, sql_limit(limit)];
                let rows = list.query_map(bound, summary_from_row)?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            };
            let mut turns = listed("DESC", newest)?;
            let first = listed("ASC", 1)?.pop();
            turns.extend(first.filter(|first| turns.last().is_none_or(|last| last.id != first.id)));
            turns.reverse();
            Ok(turns)
        })
        .await
    }
}

fn fail(db: &Connection, job: &Job, error: &str, retry_at: Time) -> Sql<bool> {
    let mut update = db.prepare_cached(
        "UPDATE jobs SET attempts = attempts + 1, error = ?2, run_after = ?3,
         state = CASE WHEN attempts + 1 >= ?4 THEN 'parked' ELSE 'waiting' END
         WHERE id = ?1 RETURNING state = 'parked'",
    )?;
    let row = update.query_row(params![job.id, error, retry_at.millis(), TRIES], |row| row.get(0));
    let parked = required(row, "job")?;
    if parked {
        move_events(db, job.turn, "waiting", "parked")?;
    }
    Ok(parked)
}

pub(super) fn move_events(db: &Connection, turn: TurnKey, from: &str, to: &str) -> Sql<()> {
    db.prepare_cached(
        "UPDATE events SET state = ?4 WHERE session_id = ?1 AND prompt_number = ?2
         AND state <> 'distilled' AND state = ?3",
    )?
    .execute(params![turn.session_id, turn.prompt_number, from, to])?;
    Ok(())
}

fn retry_parked(db: &Connection, now: Time) -> Sql<u64> {
    let mut update = db.prepare_cached(
        "UPDATE jobs SET state = 'waiting', attempts = 0, run_after = ?1
         WHERE state = 'parked' RETURNING session_id, prompt_number",
    )?;
    let rows = update.query_map([now.millis()], |row| {
        Ok(TurnKey { session_id: row.get(0)?, prompt_number: row.get(1)? })
    })?;
    let turns = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    for turn in &turns {
        move_events(db, *turn, "parked", "waiting")?;
    }
    Ok(count(i64::try_from(turns.len()).unwrap_or(i64::MAX)))
}
