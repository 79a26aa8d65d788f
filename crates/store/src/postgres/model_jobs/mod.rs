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

use super::PostgresStore;
use super::answers::forget_of_job;
use super::jobs::slotted_session_summary;
use super::values::{Text, from_json, get};
use crate::Result;
use crate::contract::{
    Life, ModelFailure, ModelJob, ModelJobStore, ModelOutcome, SavedTurn, SessionAnswer,
};
use crate::rules::{ERROR_CHARS, TRIES};
use state::{end, forgotten, life, release};

pub(super) use queue::count_model_jobs;
pub(super) use wish::{close_turns, model_seen, note_wish, session_told};

#[async_trait]
impl ModelJobStore for PostgresStore {
    async fn claim_model_job(&self, now: Time, after: i64) -> Result<Option<ModelJob>> {
        // Nearly always there is nothing to claim, and so nothing to write.
        if self.next_model_job_at().await?.is_none_or(|at| at > now) {
            return Ok(None);
        }
        let key = self.pool.presence().hold().await?;
        self.write(|tx| async move { claim::claim(&tx, now, after, key).await }).await
    }

    async fn claim_answered_job(&self) -> Result<Option<ModelJob>> {
        let key = self.pool.presence().hold().await?;
        self.write(|tx| async move { claim::claim_answered(&tx, key).await }).await
    }

    async fn next_model_job_at(&self) -> Result<Option<Time>> {
        let key = self.pool.presence().key();
        self.read(|tx| async move { claim::next_at(&tx, key).await }).await
    }

    async fn release_model_jobs(&self, now: Time) -> Result<u64> {
        let key = self.pool.presence().key();
        self.write(|tx| async move { release(&tx, now, Some(key)).await }).await
    }

    async fn begin_model_try(&self, job: &ModelJob) -> Result<bool> {
        let key = self.pool.presence().hold().await?;
        self.write(|tx| async move {
            let sql = "UPDATE model_jobs SET state = 'sent', attempts = attempts + 1
                       WHERE tenant = $1 AND id = $2 AND state IN ('claimed', 'sent')
                       AND claimed_by = $3";
            Ok(tx.run(sql, &[&job.id, &key]).await? > 0)
        })
        .await
    }

    async fn fail_model_job(&self, job: &ModelJob, failure: &ModelFailure) -> Result<bool> {
        let key = self.pool.presence().key();
        let attempts = job.attempts + i64::from(failure.counts);
        let parked = failure.is_final || attempts >= TRIES;
        let state = if parked { "parked" } else { "waiting" };
        let error = &cut_chars(&failure.error, ERROR_CHARS);
        self.write(|tx| async move {
            let sql = "UPDATE model_jobs SET attempts = $3, error = $4, run_after = $5, state = $6,
                       kept_back = $8, claimed_by = NULL
                       WHERE tenant = $1 AND id = $2 AND state IN ('claimed', 'sent')
                       AND claimed_by = $7";
            let at = failure.retry_at.millis();
            let kept_back = failure.kept_back && !parked;
            let error = Text(error);
            let n =
                tx.run(sql, &[&job.id, &attempts, &error, &at, &state, &key, &kept_back]).await?;
            if n > 0 {
                forget_of_job(&tx, &[job.id]).await?;
            }
            Ok(parked && n > 0)
        })
        .await
    }

    async fn free_kept_back(&self, now: Time) -> Result<u64> {
        self.write(|tx| async move { state::free_kept_back(&tx, now).await }).await
    }

    async fn end_model_job(&self, job: &ModelJob) -> Result<()> {
        self.write(|tx| async move { end(&tx, job.id).await }).await
    }

    async fn save_model_turn(&self, outcome: ModelOutcome) -> Result<SavedTurn> {
        let (outcome, key) = (&outcome, self.pool.presence().key());
        self.write(|tx| async move { save::turn(&tx, outcome, key).await }).await
    }

    async fn save_session_answer(&self, outcome: SessionAnswer) -> Result<Option<i64>> {
        let (outcome, key) = (&outcome, self.pool.presence().key());
        self.write(|tx| async move { save::session(&tx, outcome, key).await }).await
    }

    async fn session_answer(&self, session_id: i64) -> Result<Option<(SummaryContent, i64)>> {
        self.read(|tx| async move {
            let sql = "SELECT answer, up_to_prompt FROM model_jobs WHERE tenant = $1
                       AND session_id = $2 AND level = 'session' AND answer IS NOT NULL";
            let row = tx.first(sql, &[&session_id]).await?;
            row.map(|row| Ok((from_json(&row, "answer")?, get(&row, "up_to_prompt")?))).transpose()
        })
        .await
    }

    async fn session_summary(&self, session_id: i64) -> Result<Option<Summary>> {
        self.read(|tx| async move { slotted_session_summary(&tx, session_id).await }).await
    }

    async fn signs_of_life(&self) -> Result<Life> {
        self.read(|tx| async move { life(&tx).await }).await
    }
}
