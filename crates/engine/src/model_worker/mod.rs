//! The worker that has a model read turns and sessions: it sleeps until work is due, and never
//! polls.
//!
//! Nothing is sent without a reservation and a note of the try, both durable before the call: a
//! crash costs that try and nothing is sent twice unnoticed. `hold` keeps the provider alone where
//! it wants or must be, `ask` makes one call and says what to do about its end, `turn` and `session`
//! save what came of it.

mod ask;
mod hold;
mod session;
#[cfg(test)]
mod tests;
mod turn;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use afterword_domain::Time;
use afterword_domain::summary::{Summary, SummaryContent, SummaryLevel};
use afterword_domain::wire::jobs::{JobId, JobList};
use afterword_domain::wire::status::Status;
use afterword_store::contract::{ModelJob, ModelSubject};
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use crate::distill::model::Model;
use crate::{Engine, Result, distill};

pub(crate) use hold::Hold;
pub(crate) use turn::{new_summary, summary_of};

/// A turn that nothing closes is over after so long without an event, in milliseconds. Rules tell
/// of it meanwhile; a model is asked once a turn, so a long build must not pass for its end.
pub(crate) const QUIET_MS: i64 = 10 * 60_000;

/// A session without an event for this long is summed up, in milliseconds.
pub(crate) const IDLE_MS: i64 = 30 * 60_000;

/// An active session lives for this long after its last event, in milliseconds.
const LIVES_MS: i64 = IDLE_MS + 10 * 60_000;

/// For this long after the last event of all, what is left over is worked off, in milliseconds.
const DRAIN_MS: i64 = 10 * 60_000;

/// How long the worker waits after the store itself failed.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// Most jobs that one list shows.
const MOST_LISTED: usize = 1_000;

/// What the worker keeps between jobs.
#[derive(Debug, Default)]
pub(crate) struct ModelWork {
    /// Wakes the worker.
    pub(crate) due: Notify,
    /// The session that was served last.
    served: AtomicI64,
    /// Why and until when the provider is left alone.
    pub(crate) hold: Hold,
}

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
            let due = async {
                match pause {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.model_work.due.notified() => {}
                () = due => {}
                _ = stop.changed() => {}
            }
        }
        model.provider.close().await;
    }

    async fn read_what_is_due(&self, model: &Model, left_over: &mut bool) -> Result<Option<Time>> {
        if *left_over {
            self.store.release_model_jobs(self.clock.now()).await?;
            self.recall_hold(model).await?;
            *left_over = false;
        }
        self.read_due(model).await
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
            let after = self.model_work.served.load(Ordering::Relaxed);
            let Some(job) = self.store.claim_model_job(now, after).await? else {
                return Ok(self.store.next_model_job_at().await?);
            };
            self.model_work.served.store(job.session_id(), Ordering::Relaxed);
            self.read_one(model, &job, !lives).await?;
        }
    }

    async fn read_one(&self, model: &Model, job: &ModelJob, backlog: bool) -> Result<()> {
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

    /// The queues as people see them.
    pub async fn jobs(&self) -> Result<JobList> {
        let jobs = self.store.list_jobs(MOST_LISTED).await?;
        Ok(JobList { jobs, held: self.model_work.hold.told(self.clock.now()) })
    }

    /// Makes parked jobs wait again, and waiting ones due: these, or all parked ones. The provider
    /// is asked again, whatever held it back.
    pub async fn retry_jobs(&self, ids: &[JobId]) -> Result<Vec<JobId>> {
        let retried = self.store.retry_jobs(ids, self.clock.now()).await?;
        self.let_go().await?;
        self.work.notify_one();
        self.model_work.due.notify_one();
        Ok(retried)
    }

    /// Gives jobs up: these, or all parked ones. Events and rows stay.
    pub async fn drop_jobs(&self, ids: &[JobId]) -> Result<Vec<JobId>> {
        Ok(self.store.drop_jobs(ids).await?)
    }

    /// Says in the counts what holds the provider back.
    pub(crate) fn tell_hold(&self, status: &mut Status) {
        let now = self.clock.now();
        status.model.held = self.model_work.hold.told(now);
        status.model.stopped = self.model_work.hold.needs_a_person(now);
    }

    /// The session's summary by rules, from those of its turns and from what a model wrote about
    /// the earlier ones. None where the model has told of all of them.
    pub(crate) async fn summed_up(
        &self,
        session_id: i64,
        turns: &[Summary],
    ) -> Result<Option<SummaryContent>> {
        let Some((content, up_to)) = self.store.session_answer(session_id).await? else {
            return Ok(distill::roll_up(turns));
        };
        let later = turns.iter().filter(|turn| turn.prompt_number > up_to);
        let before = Summary {
            id: 0,
            uid: Uuid::nil(),
            session_id: Some(session_id),
            project_id: turns.first().map_or(0, |turn| turn.project_id),
            level: SummaryLevel::Turn,
            prompt_number: up_to,
            content,
            source: afterword_domain::observation::Source::Provider,
            created_at: turns.first().map_or(self.clock.now(), |turn| turn.created_at),
        };
        let all: Vec<Summary> = std::iter::once(before).chain(later.cloned()).collect();
        Ok(if all.len() > 1 { distill::roll_up(&all) } else { None })
    }
}
