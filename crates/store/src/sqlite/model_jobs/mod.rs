//! What a language model is still to read, and what it made of what it has read.

mod claim;
mod queue;
mod save;
mod state;
mod wish;

use afterword_domain::Time;
use afterword_domain::summary::{Summary, SummaryContent};
use afterword_domain::text::cut_chars;
use async_trait::async_trait;
use rusqlite::params;

use super::SqliteStore;
use super::answers::forget_of_job;
use super::jobs::slotted_session_summary;
use super::values::{from_json, optional};
use crate::Result;
use crate::contract::{
    Life, ModelFailure, ModelJob, ModelJobStore, ModelOutcome, SavedTurn, SessionAnswer,
};
use crate::rules::{ERROR_CHARS, TRIES};
use state::{end, forgotten, life, release};

pub(super) use queue::count_model_jobs;
pub(super) use wish::{close_turns, model_seen, note_wish, session_told};

#[async_trait]
impl ModelJobStore for SqliteStore {
    async fn claim_model_job(&self, now: Time, after: i64) -> Result<Option<ModelJob>> {
        // Nearly always there is nothing to claim, and so nothing to wait for a disk for.
        if self.read(move |db| claim::next(db, now, after)).await?.is_none() {
            return Ok(None);
        }
        self.write(move |db| claim::claim(db, now, after)).await
    }

    async fn claim_answered_job(&self) -> Result<Option<ModelJob>> {
        self.write(claim::claim_answered).await
    }

    async fn next_model_job_at(&self) -> Result<Option<Time>> {
        self.read(claim::next_at).await
    }

    async fn release_model_jobs(&self, now: Time) -> Result<u64> {
        self.write(move |db| release(db, now)).await
    }

    async fn begin_model_try(&self, job: &ModelJob) -> Result<bool> {
        let id = job.id;
        self.write(move |db| {
            let n = db
                .prepare_cached(
                    "UPDATE model_jobs SET state = 'sent', attempts = attempts + 1
                     WHERE id = ?1 AND state IN ('claimed', 'sent')",
                )?
                .execute([id])?;
            Ok(n > 0)
        })
        .await
    }

    async fn fail_model_job(&self, job: &ModelJob, failure: &ModelFailure) -> Result<bool> {
        let (id, failure) = (job.id, failure.clone());
        let attempts = job.attempts + i64::from(failure.counts);
        self.write(move |db| {
            let mut update = db.prepare_cached(
                "UPDATE model_jobs SET attempts = ?2, error = ?3, run_after = ?4, state = ?5,
                 kept_back = ?6 WHERE id = ?1 AND state IN ('claimed', 'sent')",
            )?;
            let parked = failure.is_final || attempts >= TRIES;
            let state = if parked { "parked" } else { "waiting" };
            let error = cut_chars(&failure.error, ERROR_CHARS);
            let (retry_at, kept_back) = (failure.retry_at.millis(), failure.kept_back && !parked);
            let n = update.execute(params![id, attempts, error, retry_at, state, kept_back])?;
            forget_of_job(db, id)?;
            Ok(parked && n > 0)
        })
        .await
    }

    async fn free_kept_back(&self, now: Time) -> Result<u64> {
        self.write(move |db| state::free_kept_back(db, now)).await
    }

    async fn end_model_job(&self, job: &ModelJob) -> Result<()> {
        let id = job.id;
        self.write(move |db| end(db, id)).await
    }

    async fn save_model_turn(&self, outcome: ModelOutcome) -> Result<SavedTurn> {
        self.write(move |db| save::turn(db, &outcome)).await
    }

    async fn save_session_answer(&self, outcome: SessionAnswer) -> Result<Option<i64>> {
        self.write(move |db| save::session(db, &outcome)).await
    }

    async fn session_answer(&self, session_id: i64) -> Result<Option<(SummaryContent, i64)>> {
        self.read(move |db| {
            let mut one = db.prepare_cached(
                "SELECT answer, up_to_prompt FROM model_jobs
                 WHERE session_id = ?1 AND level = 'session' AND answer IS NOT NULL",
            )?;
            optional(one.query_row([session_id], |row| {
                Ok((from_json(row, "answer")?, row.get("up_to_prompt")?))
            }))
        })
        .await
    }

    async fn session_summary(&self, session_id: i64) -> Result<Option<Summary>> {
        self.read(move |db| slotted_session_summary(db, session_id)).await
    }

    async fn signs_of_life(&self) -> Result<Life> {
        self.read(life).await
    }
}
