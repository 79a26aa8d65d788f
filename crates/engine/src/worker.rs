//! The worker that distils turns: it sleeps until work arrives or is due, and never polls.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::Time;
use afterword_domain::observation::Source;
use afterword_domain::summary::Summary;
use afterword_store::contract::{
    Job, ModelWish, NewObservation, NewSummary, StoredDigest, TurnOutcome,
};
use tokio::sync::{Notify, watch};

use crate::distill::{self, Finding, observation_entry};
use crate::model_worker::{go_on, new_summary, summary_of};
use crate::{Engine, Result};

/// Digests of a turn that are looked at from its beginning and from its end.
pub(crate) const HEAD: usize = 200;
pub(crate) const TAIL: usize = 2_000;

/// Turns after which payloads are looked at although more turns wait.
const TIDY_EVERY: usize = 64;

/// Milliseconds before a failed turn is tried again, by tries so far.
const RETRY_MS: [i64; 3] = [1_000, 10_000, 60_000];

/// How long the worker waits after the store itself failed.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// Waits until there is work, until `pause` is over, or until `stop` changes, whatever comes first.
/// Without a pause only the other two end it.
pub(crate) async fn rest(work: &Notify, pause: Option<Duration>, stop: &mut watch::Receiver<bool>) {
    let due = async {
        match pause {
            Some(pause) => tokio::time::sleep(pause).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = work.notified() => {}
        () = due => {}
        _ = stop.changed() => {}
    }
}

impl Engine {
    /// Distils turns until `stop` turns true. Jobs that an earlier process left claimed are taken
    /// up first. Run one of these for each engine.
    pub async fn run_worker(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        // Turns that somebody claimed and does not work on any more are to be taken up.
        let mut left_claimed = true;
        let looking = tokio::spawn(Arc::clone(&self).look_for_damage());
        let embedding = tokio::spawn(Arc::clone(&self).run_embedding(stop.clone()));
        let adding = tokio::spawn(Arc::clone(&self).run_adding(stop.clone()));
        while !*stop.borrow() {
            self.vectors.set_busy(true);
            let worked = self.work_through(&mut left_claimed).await;
            self.vectors.set_busy(false);
            self.vectors.rows_came();
            let pause = match worked {
                Ok(next) => next.map(|at| self.until(at)),
                Err(error) => {
                    // A turn whose failure could not be noted either is still claimed.
                    left_claimed = true;
                    tracing::warn!(%error, "the queue cannot be worked on");
                    Some(STORE_PAUSE)
                }
            };
            rest(&self.work, pause, &mut stop).await;
        }
        looking.abort();
        // A request that is being worked on is taken up again by the next process.
        adding.abort();
        // A batch that is being embedded is not saved, and waits again.
        embedding.abort();
    }

    /// Everything that is due now: follow-ups that are still owed, turns, what forgetting left
    /// behind and payloads beyond their limits.
    async fn work_through(&self, left_claimed: &mut bool) -> Result<Option<Time>> {
        if *left_claimed {
            self.store.release_claimed_jobs().await?;
            *left_claimed = false;
        }
        while self.follow_up_due().await? > 0 {}
        while self.index_what_is_not().await? > 0 {}
        let next = self.distill_due().await?;
        while self.store.sweep_forgotten().await? {}
        self.trim_payloads().await?;
        Ok(next)
    }

    /// Distils every turn that is due now and says when the next one will be.
    ///
    /// Also the way to make everything searchable at once: a caller without a worker runs it.
    pub async fn distill_due(&self) -> Result<Option<Time>> {
        let mut turns = 0_usize;
        while let Some(job) = self.store.claim_job(self.clock.now()).await? {
            self.work_on(&job).await?;
            turns += 1;
            if turns.is_multiple_of(TIDY_EVERY) {
                self.trim_payloads().await?;
            }
        }
        Ok(self.store.next_job_at().await?)
    }

    pub(crate) fn until(&self, at: Time) -> Duration {
        let ms = at.millis() - self.clock.now().millis();
        Duration::from_millis(u64::try_from(ms).unwrap_or(0).max(1))
    }

    async fn work_on(&self, job: &Job) -> Result<()> {
        let _busy = self.live.begin_work();
        if let Err(error) = self.distill_turn(job).await {
            let tries = usize::try_from(job.attempts).unwrap_or(0).min(RETRY_MS.len() - 1);
            let retry_at = self.clock.now().plus_millis(RETRY_MS[tries]);
            let parked = self.store.fail_job(job, &error.to_string(), retry_at).await?;
            tracing::warn!(%error, session = job.turn.session_id, parked, "a turn failed");
        }
        Ok(())
    }

    async fn distill_turn(&self, job: &Job) -> Result<()> {
        let digests = self.store.turn_digests(job.turn, HEAD, TAIL).await?;
        let Some(last) = digests.last() else {
            // Nothing is left of the turn; the job ends.
            self.save(job, 0, Vec::new(), (None, None), None).await?;
            return Ok(());
        };
        let (seen, at) = (last.event_id, last.at);
        let distilled = distill::by_rules(&digests);
        let findings = if job.model_seen == 0 {
            distilled.observations
        } else {
            // What came before is told by the model.
            let later = digests.iter().filter(|d| d.event_id > job.model_seen).cloned();
            distill::by_rules(&later.collect::<Vec<_>>()).observations
        };
        let observations =
            findings.into_iter().map(|finding| new_observation(finding, &digests, at)).collect();
        let mut turns =
            self.store.turn_summaries(job.turn.session_id, None, distill::MAX_TURNS).await?;
        // What a model or a person has told of the turn stays, as far as it is not overtaken.
        let known = |turn: &Summary| turn.prompt_number == job.turn.prompt_number;
        let mut went_on = None;
        if let Some(told) = turns.iter_mut().find(|t| known(t) && t.source != Source::Rules) {
            went_on = go_on(told, &digests, distilled.summary.as_ref()).then(|| told.clone());
        } else {
            turns.retain(|turn| !known(turn));
            if let Some(content) = &distilled.summary {
                turns.push(summary_of(job.project_id, job.turn, content, Source::Rules, at));
                turns.sort_by_key(|turn| turn.prompt_number);
            }
        }
        let newest = turns.iter().map(|turn| turn.created_at).max().unwrap_or(at);
        // The session of one turn says what its turn says, whoever told it.
        let session = match (&turns[..], &went_on) {
            ([only], Some(_)) => Some(only.content.clone()),
            ([only], None) if only.source == Source::Provider => None,
            _ => {
                let prompt = went_on.as_ref().map(|turn| turn.prompt_number);
                self.summed_up(job.turn.session_id, &turns, prompt).await?
            }
        };
        // What a model has told is only taken over by what goes on with it.
        let source = if went_on.is_some() { Source::Provider } else { Source::Rules };
        let session = session.map(|content| new_summary(content, source, newest));
        let turn = match went_on {
            Some(told) => Some(new_summary(told.content, told.source, told.created_at)),
            None => distilled.summary.map(|content| new_summary(content, Source::Rules, at)),
        };
        let wish = self.model_wish(job, &digests);
        self.save(job, seen, observations, (turn, session), wish).await
    }

    async fn save(
        &self,
        job: &Job,
        seen_event_id: i64,
        observations: Vec<NewObservation>,
        (turn_summary, session_summary): (Option<NewSummary>, Option<NewSummary>),
        model: Option<ModelWish>,
    ) -> Result<()> {
        let outcome = TurnOutcome {
            job: job.clone(),
            seen_event_id,
            observations,
            turn_summary,
            session_summary,
            model,
            now: self.clock.now(),
        };
        self.store.save_turn(outcome).await?;
        if model.is_some() {
            self.model_work.due.notify_one();
        }
        self.live.changed();
        Ok(())
    }
}

fn new_observation(finding: Finding, digests: &[StoredDigest], fallback: Time) -> NewObservation {
    let created_at = digests
        .iter()
        .filter(|d| finding.event_ids.contains(&d.event_id))
        .map(|d| d.at)
        .max()
        .unwrap_or(fallback);
    let content = finding.content;
    let index = observation_entry(&content);
    NewObservation {
        rule_key: finding.rule_key,
        content,
        event_ids: finding.event_ids,
        subagent: finding.subagent,
        source: Source::Rules,
        created_at,
        index,
    }
}
