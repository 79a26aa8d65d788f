//! What a language model is still to read, and what it made of what it has read.

use afterword_domain::Time;
use afterword_domain::summary::{Summary, SummaryContent};
use afterword_domain::wire::jobs::{JobId, JobRow};
use async_trait::async_trait;

use super::{NewObservation, NewSummary, SavedTurn};
use crate::Result;
use crate::contract::TurnKey;

/// Jobs for a model: one a turn, made by [`save_turn`](super::JobStore::save_turn) where it is told
/// a [`ModelWish`], and one a session. Beside the jobs of the rules, which never wait for them.
///
/// A done job stays, so that nothing of its turn is sent a second time.
#[async_trait]
pub trait ModelJobStore {
    /// Claims a job that is due at `now`; other callers no longer see it. Sessions are served in
    /// turn; within a session turns come in order, and the session itself when none of its turns
    /// waits any more. `after` is the session that was served last.
    async fn claim_model_job(&self, now: Time, after: i64) -> Result<Option<ModelJob>>;

    /// Claims a job whose answer is kept, whether it is due or not; none where none is.
    async fn claim_answered_job(&self) -> Result<Option<ModelJob>>;

    /// When the next waiting job is due; none when nothing waits.
    async fn next_model_job_at(&self) -> Result<Option<Time>>;

    /// Takes up what an earlier process left: a claimed job waits again, and so does one whose
    /// answer is kept; one whose call was out has lost that try, and is parked when it was the
    /// last. Returns how many there were.
    async fn release_model_jobs(&self, now: Time) -> Result<u64>;

    /// Notes that a call for a claimed job goes out now; durable before the call. False when the
    /// job is not claimed any more: then nothing may be sent.
    async fn begin_model_try(&self, job: &ModelJob) -> Result<bool>;

    /// Notes what became of a try that gave nothing; returns whether the job is parked now.
    async fn fail_model_job(&self, job: &ModelJob, failure: &ModelFailure) -> Result<bool>;

    /// Makes the jobs due that wait for a budget: it may have more room now. Returns how many there
    /// were.
    async fn free_kept_back(&self, now: Time) -> Result<u64>;

    /// Ends a job whose turn or session needs no call.
    async fn end_model_job(&self, job: &ModelJob) -> Result<()>;

    /// Saves what a model made of a turn in place of what the rules made, and ends its job, in one
    /// transaction.
    ///
    /// Rows are upserted by (turn, key). A rule-made row that a new one takes over keeps its id;
    /// those named in `keep`, and those that rest on later events only, stay; the others of the
    /// turn go, and leave no tombstone. The rules' job of the turn waits again where events came
    /// after those that the model has seen: rows that went may have told of them. Where something
    /// of the turn was forgotten since the job was claimed, or the job was dropped, nothing is
    /// saved: the answer may repeat it. A row that
    /// would take the place of one that a person has changed is not saved.
    async fn save_model_turn(&self, outcome: ModelOutcome) -> Result<SavedTurn>;

    /// Saves a model's summary of a session and ends its job, under the same conditions. Returns
    /// the summary's key when it is new or says something else now.
    async fn save_session_answer(&self, outcome: SessionAnswer) -> Result<Option<i64>>;

    /// A model's last summary of a session.
    async fn session_answer(&self, session_id: i64) -> Result<Option<(SummaryContent, i64)>>;

    /// The summary of a session as it stands.
    async fn session_summary(&self, session_id: i64) -> Result<Option<Summary>>;

    /// When anything last happened: in any session, and in one that is active.
    async fn signs_of_life(&self) -> Result<Life>;
}

/// What people see and do of the queues.
#[async_trait]
pub trait QueueStore {
    /// Jobs of the rules and of the model that wait, are worked on or are parked: the parked ones
    /// first, then by the time they are due. At most `limit`.
    async fn list_jobs(&self, limit: usize) -> Result<Vec<JobRow>>;

    /// Makes parked jobs wait again with all their tries, and waiting ones due: these, or all
    /// that are parked or wait for a budget when none are named. Returns those that were.
    async fn retry_jobs(&self, ids: &[JobId], now: Time) -> Result<Vec<JobId>>;

    /// Gives jobs up: these, or all parked ones when none are named. Events and rows stay as they
    /// are; events that only a dropped job held count as distilled. A later turn of its session
    /// opens a session's job again. Returns those that were.
    async fn drop_jobs(&self, ids: &[JobId]) -> Result<Vec<JobId>>;
}

/// A claimed job for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelJob {
    /// Key of the job.
    pub id: i64,
    /// What is to be read.
    pub subject: ModelSubject,
    /// The project of its session.
    pub project_id: i64,
    /// The project's name.
    pub project: String,
    /// Tries that were sent and gave nothing.
    pub attempts: i64,
    /// Rows of its turn or session that were forgotten so far.
    pub forgotten: i64,
    /// Whether such a row was one that distilling made: then nothing is sent, since what is left
    /// may tell the same again.
    pub tells_forgotten: bool,
}

impl ModelJob {
    /// The session that the job belongs to.
    pub const fn session_id(&self) -> i64 {
        match self.subject {
            ModelSubject::Turn(turn) => turn.session_id,
            ModelSubject::Session(session_id) => session_id,
        }
    }
}

/// What a model is to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelSubject {
    /// One turn.
    Turn(TurnKey),
    /// What came since the last summary of a session.
    Session(i64),
}

/// What is wished for when a turn is saved by rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelWish {
    /// When the turn may be read, if nothing closes it before.
    pub turn: Option<Time>,
    /// When its session is to be summed up, if nothing more happens in it.
    pub session: Time,
}

/// What became of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFailure {
    /// Why, for people.
    pub error: String,
    /// When it is tried again.
    pub retry_at: Time,
    /// Whether the try counts: not when it was the provider that would not answer anybody.
    pub counts: bool,
    /// Whether another try would end the same: the job is parked at once.
    pub is_final: bool,
    /// Whether it was only that a budget had no room: then
    /// [`free_kept_back`](ModelJobStore::free_kept_back) makes the job due before its time.
    pub kept_back: bool,
}

/// What a model made of a turn.
#[derive(Clone, Debug)]
pub struct ModelOutcome {
    /// The job that is done.
    pub job: ModelJob,
    /// The newest event that the model was told of.
    pub seen_event_id: i64,
    /// Its observations; where there are none the rules' rows stay.
    pub observations: Vec<ModelObservation>,
    /// Keys of rule-made rows that stay beside them.
    pub keep: Vec<String>,
    /// The turn's summary; none leaves the rules' one.
    pub turn_summary: Option<NewSummary>,
    /// The session's summary, brought up to date.
    pub session_summary: Option<NewSummary>,
    /// When this was done.
    pub now: Time,
}

/// An observation of a model.
#[derive(Clone, Debug)]
pub struct ModelObservation {
    /// The row.
    pub row: NewObservation,
    /// Key of the rule-made row whose place and id it takes.
    pub takes_over: Option<String>,
}

/// What a model made of a session.
#[derive(Clone, Debug)]
pub struct SessionAnswer {
    /// The job that is done.
    pub job: ModelJob,
    /// The newest prompt that it tells of.
    pub up_to_prompt: i64,
    /// The summary.
    pub summary: NewSummary,
    /// When the session is summed up again where more came meanwhile.
    pub again: Time,
    /// When this was done.
    pub now: Time,
}

/// When anything last happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// The last event of any session.
    pub any: Option<Time>,
    /// The last event of a session that is active.
    pub active: Option<Time>,
}
