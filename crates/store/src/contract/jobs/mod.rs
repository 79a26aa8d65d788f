//! The queue of turns to distil, and the rows that distilling makes.

pub(super) mod model;

use afterword_domain::Time;
use afterword_domain::observation::{ObservationContent, Source};
use afterword_domain::summary::{Summary, SummaryContent};
use async_trait::async_trait;

use super::{IndexDoc, ModelWish, TurnKey};
use crate::Result;

/// Distil jobs: one a turn, made by events, gone when nothing of the turn waits.
#[async_trait]
pub trait JobStore {
    /// Claims the job that has waited longest and is due at `now`; other callers no longer see it.
    /// When its session was served last, a due job of another session goes first: no session
    /// keeps the others waiting, however many turns it has.
    async fn claim_job(&self, now: Time) -> Result<Option<Job>>;

    /// When the next waiting job is due; none when nothing waits.
    async fn next_job_at(&self) -> Result<Option<Time>>;

    /// Makes jobs wait again that a process claimed and did not finish. Called once at start.
    async fn release_claimed_jobs(&self) -> Result<u64>;

    /// Saves what distilling a turn gave, and ends its job, in one transaction.
    ///
    /// Rows are upserted by (turn, `rule_key`); rule-made rows of the turn that are not named any
    /// more go, and keep no tombstone. Forgotten rows stay forgotten, and rows that a person has
    /// changed stay as they are (see [`RevisionStore`](super::RevisionStore)). Events up to
    /// `seen_event_id` count as distilled; when later ones wait, the job waits again.
    ///
    /// What a model made of the turn stays: its summary gains the files that the rules know
    /// besides, and of the rules' rows only those go that rest on events it has not seen. When the
    /// model's rows came after the job was claimed, nothing is saved and the job waits again.
    async fn save_turn(&self, outcome: TurnOutcome) -> Result<SavedTurn>;

    /// Notes a failed try. Before the third the job waits until `retry_at`; at the third it is
    /// parked with the error and its events count as parked. Returns whether it was parked.
    async fn fail_job(&self, job: &Job, error: &str, retry_at: Time) -> Result<bool>;

    /// Makes parked jobs wait again; returns how many.
    async fn retry_parked_jobs(&self, now: Time) -> Result<u64>;

    /// Turn summaries of a session, oldest first: the newest so many of those before a prompt's number
    /// (of all without one), and in front of them the session's first. Takes no longer however many
    /// turns the session has.
    async fn turn_summaries(
        &self,
        session_id: i64,
        before: Option<i64>,
        newest: usize,
    ) -> Result<Vec<Summary>>;
}

/// A claimed job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Key of the job.
    pub id: i64,
    /// The turn to distil.
    pub turn: TurnKey,
    /// The project of its session.
    pub project_id: i64,
    /// Tries that failed.
    pub attempts: i64,
    /// The newest event that a model's rows of the turn rest on; 0 while there are none. Rules
    /// tell only what came later.
    pub model_seen: i64,
}

/// What distilling a turn gave.
#[derive(Clone, Debug)]
pub struct TurnOutcome {
    /// The job that is done.
    pub job: Job,
    /// The newest event that was looked at.
    pub seen_event_id: i64,
    /// The turn's observations.
    pub observations: Vec<NewObservation>,
    /// The turn's summary; none for a turn that says nothing.
    pub turn_summary: Option<NewSummary>,
    /// The session's summary, brought up to date; none when there is nothing to say yet.
    pub session_summary: Option<NewSummary>,
    /// What a model is to do about it; none where there is no model.
    pub model: Option<ModelWish>,
    /// When this was done.
    pub now: Time,
}

/// An observation to upsert.
#[derive(Clone, Debug)]
pub struct NewObservation {
    /// Stable for the same finding when a turn is distilled again.
    pub rule_key: String,
    /// What it says.
    pub content: ObservationContent,
    /// The events it rests on.
    pub event_ids: Vec<i64>,
    /// The sub-agent it came from.
    pub subagent: Option<String>,
    /// Who made it.
    pub source: Source,
    /// When the work was done.
    pub created_at: Time,
    /// Its tokens.
    pub index: IndexDoc,
}

/// A summary to upsert.
#[derive(Clone, Debug)]
pub struct NewSummary {
    /// What it says.
    pub content: SummaryContent,
    /// Who made it.
    pub source: Source,
    /// When the work last went on.
    pub created_at: Time,
    /// Its tokens.
    pub index: IndexDoc,
}

/// Keys of the rows of a saved turn, for live events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedTurn {
    /// Observations that are new.
    pub new_observations: Vec<i64>,
    /// The turn's summary, when it is new or has changed.
    pub turn_summary: Option<i64>,
    /// The session's summary, when it is new or has changed.
    pub session_summary: Option<i64>,
    /// Whether later events of the turn wait.
    pub waits_again: bool,
}
