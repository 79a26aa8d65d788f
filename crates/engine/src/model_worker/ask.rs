//! One call: set aside, noted, sent, settled, read; and what is to be done when it gives nothing.

use afterword_domain::Time;
use afterword_store::contract::{AnswerOf, ModelFailure, ModelJob, NewAnswer, PaidAnswer};

use super::heed::{AUTH, Heeded, QUOTA};
use super::hold::{spread, wait};
use crate::distill::model::Model;
use crate::distill::model::answer::{Prose, Reading, Said, read};
use crate::distill::model::budget::{Call, Charge, Over, Purpose};
use crate::provider::{Answer, Ask, Refusal, RefusalKind};
use crate::{Engine, Result};

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
    /// What it takes to read the answer in another process.
    pub(super) note: String,
    /// The answer, where an earlier process has paid for it.
    pub(super) paid: Option<PaidAnswer>,
}

/// What to do about a try that gave nothing.
struct Verdict {
    error: String,
    /// Milliseconds until the job is tried again.
    after_ms: i64,
    counts: bool,
    is_final: bool,
}

/// How long a job waits whose call was not sent.
struct PutBack {
    until: Time,
    /// Only its session's share has no room.
    kept_back: bool,
}

impl Engine {
    /// Asks, unless the answer is there, and asks once more with less where the question was too
    /// long. None when the job has no answer now: what is to become of it is noted. An empty answer
    /// says that there is nothing to record.
    pub(super) async fn ask_model(
        &self,
        model: &Model,
        question: &Question<'_>,
    ) -> Result<Option<Said>> {
        let mut job = question.job.clone();
        let mut outcome = if let Some(PaidAnswer { text, cut, .. }) = question.paid.clone() {
            Ok(Answer { text, cut, usage: None })
        } else {
            let first = (question.ask)(question.room);
            let Some(first) = self.call(model, question, &job, &first).await? else {
                return Ok(None);
            };
            first
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
                let reading = read(&answer.text);
                // A notice of its account says that the provider does not work.
                if !matches!(reading, Reading::Prose(Prose::Quota | Prose::Auth)) {
                    self.model_work.hold.answered();
                }
                match reading {
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
            kept_back: false,
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
        let reservation = match model.budget.reserve(&call).await {
            Ok(reservation) => reservation,
            Err(over) => return self.not_now(job, &over).await.map(|()| None),
        };
        if !self.store.begin_model_try(job).await? {
            model.budget.settle(reservation, Charge::Nothing).await?;
            return Ok(None);
        }
        let outcome = model.provider.complete(ask).await;
        let charge = Charge::of(&outcome);
        let told = match &outcome {
            Ok(Answer { text, cut, .. }) => {
                let (text, note) = (text.clone(), question.note.clone());
                let answer = PaidAnswer { text, cut: *cut, note };
                let kept = NewAnswer { of: AnswerOf::Job(job.id), at: self.clock.now(), answer };
                model.budget.settle_keeping(reservation, charge, kept).await
            }
            Err(_) => model.budget.settle(reservation, charge).await,
        };
        if let Err(error) = told {
            // What was set aside stays charged; the answer is paid for and not thrown away.
            tracing::warn!(%error, "the ledger could not be told what a call used");
        }
        Ok(Some(outcome))
    }

    async fn not_now(&self, job: &ModelJob, over: &Over) -> Result<()> {
        let (now, reason) = (self.clock.now(), over.to_string());
        let hold = &self.model_work.hold;
        // What holds everybody back is the hold's to remember: the job itself stays due, so that it
        // goes at once when the hold ends.
        let wait = |until| PutBack { until, kept_back: false };
        match over {
            Over::Session { until } => {
                let back = PutBack { until: *until, kept_back: true };
                self.put_back(job, &back, &reason).await?;
            }
            Over::Day { until, .. } => {
                self.put_back(job, &wait(now), &reason).await?;
                hold.pause(*until, reason);
            }
            Over::Backlog { until } => {
                self.put_back(job, &wait(now), &reason).await?;
                hold.rest_backlog(*until);
            }
            Over::Price { .. } => {
                self.put_back(job, &wait(now), &reason).await?;
                hold.stop(reason);
            }
            Over::Unwritten(_) => {
                let until = now.plus_millis(LEDGER_MS);
                self.put_back(job, &wait(until), &reason).await?;
                hold.pause(until, reason);
            }
        }
        Ok(())
    }

    /// Makes a job wait whose call was not sent.
    async fn put_back(&self, job: &ModelJob, back: &PutBack, reason: &str) -> Result<()> {
        let failure = ModelFailure {
            error: reason.to_owned(),
            retry_at: back.until,
            counts: false,
            is_final: false,
            kept_back: back.kept_back,
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
        let Heeded { after_ms, counts } = self.heed(model, refusal).await?;
        Ok(match refusal.kind {
            RefusalKind::Unusable => garbage(model, job, &error),
            RefusalKind::Overflow | RefusalKind::Refused => {
                Verdict { error, after_ms, counts, is_final: true }
            }
            _ => Verdict { error, after_ms, counts, is_final: false },
        })
    }

    async fn judge_prose(&self, model: &Model, job: &ModelJob, prose: Prose) -> Result<Verdict> {
        let after_ms = self.heed_prose(model, prose).await?.unwrap_or(0);
        let (error, is_final) = match prose {
            Prose::Noise => return Ok(garbage(model, job, "the answer holds no block")),
            Prose::Overflow => ("the model says that the question is too long", true),
            Prose::Refusal => ("the model will not answer this", true),
            Prose::Quota => (QUOTA, false),
            Prose::Auth => (AUTH, false),
        };
        Ok(Verdict { error: error.into(), after_ms, counts: true, is_final })
    }
}

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
