//! The loop: what is due, one job after the other, while a session lives.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use afterword_domain::Time;
use afterword_store::contract::{ModelJob, ModelSubject};
use tokio::sync::watch;

use super::IDLE_MS;
use crate::distill::model::Model;
use crate::worker::rest;
use crate::{Engine, Result};

/// An active session lives for this long after its last event, in milliseconds.
pub(super) const LIVES_MS: i64 = IDLE_MS + 10 * 60_000;

/// For this long after the last event of all, what is left over is worked off, in milliseconds.
pub(super) const DRAIN_MS: i64 = 10 * 60_000;

/// How long the worker waits after the store itself failed.
const STORE_PAUSE: Duration = Duration::from_secs(1);

impl Engine {
    /// Has the model read what is due until `stop` turns true; ends at once where there is none.
    ///
    /// A call that is out when `stop` turns true is given up, and counts as a try. Run one of
    /// these for each engine.
    pub async fn run_model_worker(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let Some(model) = &self.model else { return };
        let mut left_over = true;
        while !*stop.borrow() {
            let worked = tokio::select! {
                worked = self.read_what_is_due(model, &mut left_over) => worked,
                _ = stop.changed() => break,
            };
            let pause = match worked {
                Ok(next) => next.map(|at| self.until(at)),
                Err(error) => {
                    left_over = true;
                    tracing::warn!(%error, "the model's queue cannot be worked on");
                    Some(STORE_PAUSE)
                }
            };
            rest(&self.model_work.due, pause, &mut stop).await;
        }
        model.provider.close().await;
    }

    pub(super) async fn read_what_is_due(
        &self,
        model: &Model,
        left_over: &mut bool,
    ) -> Result<Option<Time>> {
        if *left_over {
            self.store.release_model_jobs(self.clock.now()).await?;
            self.recall_hold(model).await?;
            // Budgets may have been raised since.
            self.store.free_kept_back(self.clock.now()).await?;
            self.read_answered(model).await?;
            *left_over = false;
        }
        self.read_due(model).await
    }

    /// Saves what earlier processes have paid for and not saved: without a call, whether a session
    /// lives or the provider is held.
    async fn read_answered(&self, model: &Model) -> Result<()> {
        while let Some(job) = self.store.claim_answered_job().await? {
            let lives = self.lives(self.clock.now()).await?;
            self.read_one(model, &job, !lives).await?;
        }
        Ok(())
    }

    /// Has the model read every turn and session that is due now, and says when the next one is;
    /// none also while only an event, or a person, can bring the next one.
    ///
    /// Also the way to do it all at once: a caller without a worker runs it. Does nothing without
    /// a model.
    pub async fn read_by_model(&self) -> Result<Option<Time>> {
        match &self.model {
            Some(model) => self.read_due(model).await,
            None => Ok(None),
        }
    }

    async fn read_due(&self, model: &Model) -> Result<Option<Time>> {
        loop {
            let now = self.clock.now();
            if let Some(until) = self.model_work.hold.until(now) {
                return Ok(until);
            }
            let lives = self.lives(now).await?;
            if !lives && model.backlog_tokens == 0 {
                return Ok(None);
            }
            if !lives && let Some(until) = self.model_work.hold.backlog_rests(now) {
                return Ok(Some(until));
            }
            let after = self.model_work.served.load(Ordering::Relaxed);
            let Some(job) = self.store.claim_model_job(now, after).await? else {
                return Ok(self.store.next_model_job_at().await?);
            };
            self.model_work.served.store(job.session_id(), Ordering::Relaxed);
            self.read_one(model, &job, !lives).await?;
        }
    }

    async fn read_one(&self, model: &Model, job: &ModelJob, backlog: bool) -> Result<()> {
        let _busy = self.live.begin_work();
        if job.tells_forgotten {
            return Ok(self.store.end_model_job(job).await?);
        }
        match job.subject {
            ModelSubject::Turn(turn) => self.read_turn(model, job, turn, backlog).await,
            ModelSubject::Session(session) => self.read_session(model, job, session, backlog).await,
        }
    }

    /// Whether a session lives, or the last one has ended just now.
    async fn lives(&self, now: Time) -> Result<bool> {
        let life = self.store.signs_of_life().await?;
        let since = |at: Option<Time>, ms: i64| at.is_some_and(|at| at >= now.plus_millis(-ms));
        Ok(since(life.active, LIVES_MS) || since(life.any, DRAIN_MS))
    }
}
