//! One call: set aside, noted, sent, settled, read; and what is to be done when it gives nothing.

use afterword_domain::Time;
use afterword_store::contract::{ModelFailure, ModelJob};

use super::hold::{spread, wait};
use crate::distill::model::Model;
use crate::distill::model::answer::{Prose, Reading, Said, read};
use crate::distill::model::budget::{Call, Charge, Over, Purpose};
use crate::provider::{Answer, Ask, Refusal, RefusalKind};
use crate::{Engine, Result};

/// How long the provider is left alone that says in prose that an account is used up, or may not
/// be used, in milliseconds.
const PROSE_MS: i64 = 30 * 60_000;

/// How long nothing is sent when the ledger cannot be written, in milliseconds.
const LEDGER_MS: i64 = 60_000;

/// What a question that was too long is cut to.
const CUT: usize = 3;

/// A question that is to be asked, and what for.
pub(super) struct Question<'a> {
    /// The job.
    pub(super) job: &'a ModelJob,
    /// What the call is for.
    pub(super) purpose: Purpose,
    /// No session lives.
    pub(super) backlog: bool,
    /// Bytes that the question may take at first.
    pub(super) room: usize,
    /// The question within so many bytes.
    pub(super) ask: &'a (dyn Fn(usize) -> Ask + Sync),
    /// Whether the answer holds what was asked for.
    pub(super) serves: fn(&Said) -> bool,
}

/// What to do about a try that gave nothing.
struct Verdict {
    error: String,
    /// Milliseconds until the job is tried again.
    after_ms: i64,
    counts: bool,
    is_final: bool,
}

impl Engine {
    /// Asks, and asks once more with less where the question was too long. None when the job has
    /// no answer now: what is to become of it is noted. An empty answer says that there is nothing
    /// to record.
    pub(super) async fn ask_model(
        &self,
        model: &Model,
        question: &Question<'_>,
    ) -> Result<Option<Said>> {
        let mut job = question.job.clone();
        let first = (question.ask)(question.room);
        let Some(mut outcome) = self.call(model, question, &job, &first).await? else {
            return Ok(None);
        };
        if is_overflow(&outcome) {
            job.attempts += 1;
            let shorter = (question.ask)(question.room / CUT);
            let Some(again) = self.call(model, question, &job, &shorter).await? else {
                return Ok(None);
            };
            outcome = again;
        }
        let verdict = match outcome {
            Ok(answer) => {
                self.model_work.hold.answered();
                match read(&answer.text) {
                    Reading::Said(said) if (question.serves)(&said) => return Ok(Some(*said)),
                    Reading::Skipped => return Ok(Some(Said::default())),
                    Reading::Said(_) => garbage(model, &job, "the answer lacks what was asked for"),
                    Reading::Prose(prose) => self.judge_prose(model, &job, prose).await?,
                }
            }
            Err(refusal) => self.judge_refusal(model, &job, &refusal).await?,
        };
        let failure = ModelFailure {
            error: verdict.error,
            retry_at: self.clock.now().plus_millis(verdict.after_ms),
            counts: verdict.counts,
            is_final: verdict.is_final,
        };
        let parked = self.store.fail_model_job(&job, &failure).await?;
        tracing::warn!(error = failure.error, session = job.session_id(), parked, "no answer");
        Ok(None)
    }

    /// One call. None when it may not be sent now: the job then waits, or is gone.
    async fn call(
        &self,
        model: &Model,
        question: &Question<'_>,
        job: &ModelJob,
        ask: &Ask,
    ) -> Result<Option<Result<Answer, Refusal>>> {
        let call = Call {
            provider: model.provider.name().to_owned(),
            model: model.provider.model().to_owned(),
            purpose: question.purpose,
            project_id: Some(job.project_id),
            session_id: Some(job.session_id()),
            input_tokens: model.provider.input_bound(ask),
            max_output_tokens: u64::from(ask.max_output_tokens),
            backlog: question.backlog,
        };
        if question.backlog
            && let Some(until) = self.take_backlog(call.most(), model.backlog_tokens).await?
        {
            let reason = "no session lives, and the day's budget for backlog is used up";
            self.put_back(job, until, reason).await?;
            return Ok(None);
        }
        let reservation = match model.budget.reserve(&call).await {
            Ok(reservation) => reservation,
            Err(over) => return self.not_now(job, &over).await.map(|()| None),
        };
        if !self.store.begin_model_try(job).await? {
            model.budget.settle(reservation, Charge::Nothing).await?;
            return Ok(None);
        }
        let outcome = model.provider.complete(ask).await;
        if let Err(error) = model.budget.settle(reservation, Charge::of(&outcome)).await {
            // What was set aside stays charged; the answer is paid for and not thrown away.
            tracing::warn!(%error, "the ledger could not be told what a call used");
        }
        Ok(Some(outcome))
    }

    async fn not_now(&self, job: &ModelJob, over: &Over) -> Result<()> {
        let reason = over.to_string();
        match over {
            Over::Day { until } => {
                self.put_back(job, *until, &reason).await?;
                self.model_work.hold.pause(*until, reason);
            }
            Over::Session { until } | Over::Backlog { until } => {
                self.put_back(job, *until, &reason).await?;
            }
            Over::Price { .. } => {
                self.put_back(job, self.clock.now(), &reason).await?;
                self.model_work.hold.stop(reason);
            }
            Over::Unwritten(_) => {
                let until = self.clock.now().plus_millis(LEDGER_MS);
                self.put_back(job, until, &reason).await?;
                self.model_work.hold.pause(until, reason);
            }
        }
        Ok(())
    }

    /// Makes a job wait whose call was not sent.
    async fn put_back(&self, job: &ModelJob, until: Time, reason: &str) -> Result<()> {
        let failure = ModelFailure {
            error: reason.to_owned(),
            retry_at: until,
            counts: false,
            is_final: false,
        };
        self.store.fail_model_job(job, &failure).await?;
        Ok(())
    }

    async fn judge_refusal(
        &self,
        model: &Model,
        job: &ModelJob,
        refusal: &Refusal,
    ) -> Result<Verdict> {
        let error = format!("{} ({})", refusal.message, refusal.kind.name());
        let now = self.clock.now();
        let told = format!("{}: {error}", model.provider.name());
        let mut verdict = Verdict { error, after_ms: 0, counts: true, is_final: false };
        match refusal.kind {
            RefusalKind::Auth | RefusalKind::Payment | RefusalKind::Misconfigured => {
                verdict.counts = false;
                let remedy = refusal.kind.remedy();
                self.model_work.hold.stop(format!(
                    "{told}; {remedy}, then restart the daemon or run 'afterword jobs retry'"
                ));
            }
            RefusalKind::RateLimited => {
                verdict.counts = false;
                let own = self.model_work.hold.failed((model.chance)());
                // Never earlier than the provider wants it, and then not all at once.
                let asked = refusal.retry_after.and_then(|w| i64::try_from(w.as_millis()).ok());
                let more = spread(SPREAD_MS, (model.chance)()) - spread(SPREAD_MS, 0.0);
                verdict.after_ms = asked.map_or(own.max(PAUSE_MS), |ms| ms.saturating_add(more));
                self.hold_until(model, now.plus_millis(verdict.after_ms), told).await?;
            }
            RefusalKind::Unavailable => {
                // What never ran costs no try: an outage parks nothing.
                verdict.counts = refusal.may_cost();
                let own = self.model_work.hold.failed((model.chance)());
                let asked = refusal.retry_after.and_then(|w| i64::try_from(w.as_millis()).ok());
                verdict.after_ms = own.max(asked.unwrap_or(0));
                self.model_work.hold.pause(now.plus_millis(verdict.after_ms), told);
            }
            RefusalKind::Overflow | RefusalKind::Refused => verdict.is_final = true,
            RefusalKind::Unusable => return Ok(garbage(model, job, &verdict.error)),
        }
        Ok(verdict)
    }

    async fn judge_prose(&self, model: &Model, job: &ModelJob, prose: Prose) -> Result<Verdict> {
        let (error, is_final) = match prose {
            Prose::Noise => return Ok(garbage(model, job, "the answer holds no block")),
            Prose::Overflow => ("the model says that the question is too long", true),
            Prose::Refusal => ("the model will not answer this", true),
            Prose::Quota => ("the model's account is used up, by its own words", false),
            Prose::Auth => ("the model's account may not be used, by its own words", false),
        };
        if is_final {
            return Ok(Verdict { error: error.into(), after_ms: 0, counts: true, is_final });
        }
        let after_ms = PROSE_MS;
        let until = self.clock.now().plus_millis(after_ms);
        self.hold_until(model, until, format!("{}: {error}", model.provider.name())).await?;
        // Counted: what a turn is about may sound like it.
        Ok(Verdict { error: error.into(), after_ms, counts: true, is_final })
    }
}

/// The shortest wait after a provider was asked too often and did not say how long, in milliseconds.
const PAUSE_MS: i64 = 30_000;

/// A quarter of this is the most by which a wait that the provider asks for is made longer.
const SPREAD_MS: f64 = 8_000.0;

/// An answer that nobody can read: another try, a little later, and not for ever.
fn garbage(model: &Model, job: &ModelJob, error: &str) -> Verdict {
    let tries = i32::try_from(job.attempts).unwrap_or(i32::MAX).saturating_add(1);
    let after_ms = spread(wait(tries), (model.chance)());
    Verdict { error: error.to_owned(), after_ms, counts: true, is_final: false }
}

fn is_overflow(outcome: &Result<Answer, Refusal>) -> bool {
    match outcome {
        Ok(answer) => read(&answer.text) == Reading::Prose(Prose::Overflow),
        Err(refusal) => refusal.kind == RefusalKind::Overflow,
    }
}
