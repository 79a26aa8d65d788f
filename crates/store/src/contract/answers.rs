//! Answers of a model that are paid for, kept until they are used; and facts drawn from messages.

use afterword_domain::Time;
use afterword_domain::memory::Memory;
use async_trait::async_trait;
use uuid::Uuid;

use super::{NewMemory, Settled};
use crate::Result;

/// Answers between their charge and their use.
///
/// A kept answer goes with what it is used for: a job's when the job ends, fails, is dropped or
/// loses its session, or when anything of its session is forgotten; an inference's when its facts
/// are saved, or after [`KEPT_DAYS`].
#[async_trait]
pub trait AnswerStore {
    /// As [`settle_spend`](super::SpendStore::settle_spend), and keeps the answer, in one
    /// transaction. Not kept is the answer to a job that no call is out for any more.
    async fn settle_with_answer(
        &self,
        id: i64,
        settled: Settled,
        answer: NewAnswer,
    ) -> Result<bool>;

    /// The answer that was kept.
    async fn paid_answer(&self, of: AnswerOf) -> Result<Option<PaidAnswer>>;
}

/// Facts drawn from messages.
#[async_trait]
pub trait InferenceStore {
    /// Saves the facts of an inference and lets go of its kept answer, in one transaction. One
    /// that was saved before changes nothing and answers as [`inference`](Self::inference).
    ///
    /// A fact whose text its project remembers already is that memory, brought up to date, which
    /// holds again where another one had taken its place. Facts come back in their order; a memory
    /// that another fact of the same call stands in for comes once.
    async fn save_inference(&self, inference: NewInference) -> Result<Vec<KeptFact>>;

    /// What came of an inference that was saved, without memories that are gone; none where none
    /// was, or where it was saved more than [`KEPT_DAYS`] before the newest.
    async fn inference(&self, uid: Uuid) -> Result<Option<Vec<KeptFact>>>;
}

/// Days for which an inference's unused answer, and what came of one, is kept.
pub const KEPT_DAYS: i64 = 30;

/// What an answer is the answer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerOf {
    /// A job of [`ModelJobStore`](super::ModelJobStore), by its key.
    Job(i64),
    /// An inference, by its uid.
    Inference(Uuid),
}

/// An answer to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAnswer {
    /// What it answers.
    pub of: AnswerOf,
    /// When it came.
    pub at: Time,
    /// The answer.
    pub answer: PaidAnswer,
}

/// An answer as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaidAnswer {
    /// Its text.
    pub text: String,
    /// It met its limit and is not whole.
    pub cut: bool,
    /// What whoever asked needs to read it.
    pub note: String,
}

/// The facts of an inference.
#[derive(Clone, Debug)]
pub struct NewInference {
    /// Whoever asks for the same inference once more gives the same uid.
    pub uid: Uuid,
    /// Its facts.
    pub facts: Vec<NewFact>,
    /// When this was done.
    pub now: Time,
}

/// A fact, and where it belongs among what is known.
#[derive(Clone, Debug)]
pub struct NewFact {
    /// The memory that it becomes.
    pub memory: NewMemory,
    /// Its place.
    pub place: FactPlace,
}

/// Where a fact belongs among the memories of its project. Uids of no memory are passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactPlace {
    /// Beside them.
    New,
    /// One says it already.
    Repeats(Uuid),
    /// It takes the place of these.
    Supersedes(Vec<Uuid>),
    /// It is older than one that has taken its place.
    GivesWayTo(Uuid),
}

/// A fact as it was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptFact {
    /// The memory that says it.
    pub memory: Memory,
    /// What was done.
    pub change: FactChange,
    /// The memories whose place it has taken.
    pub superseded: Vec<Memory>,
}

/// What was done with a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactChange {
    /// A memory was added.
    Added,
    /// A memory took the place of others; it is new, or holds again.
    Superseded,
    /// Nothing: it was known.
    Repeated,
}
