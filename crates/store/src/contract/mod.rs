//! What every backend promises, in traits by noun.
//!
//! Rules that hold for all of them: every call is one transaction; a call that returns an error has
//! changed nothing; what a call wrote is durable when it returns and seen by every later read; every
//! read of remembered rows takes a [`Scope`](afterword_domain::scope::Scope); lists come in the
//! order their documentation names, ties broken by id.

mod accounts;
mod answers;
mod changes;
mod events;
mod jobs;
mod memories;
mod owned;
mod portable;
mod projects;
mod rows;
mod search;
mod sessions;
mod settings;
mod spend;
mod vectors;

pub use accounts::{AccountStore, Admission, IssuedToken, Organisation, TenantId};
pub use answers::{
    AnswerOf, AnswerStore, FactChange, FactPlace, InferenceStore, KEPT_DAYS, KeptFact, NewAnswer,
    NewFact, NewInference, PaidAnswer,
};
pub use changes::{
    LiveChange, LiveChanges, LiveStore, NewContent, Revised, Revision, RevisionStore, RowChange,
    SessionChange, What,
};
pub use events::{
    CLEARED_MS, Digest, EventStore, FollowUp, NEAR_MS, NewEvent, PayloadLimits, RECENT_MS,
    Recorded, StoredDigest, StoredToolUse, ToolUseQuery, Trimmed, TurnKey,
};
pub use jobs::model::{
    Life, ModelFailure, ModelJob, ModelJobStore, ModelObservation, ModelOutcome, ModelSubject,
    ModelWish, QueueStore, SessionAnswer,
};
pub use jobs::{Job, JobStore, NewObservation, NewSummary, SavedTurn, TurnOutcome};
pub use memories::{MemoryStore, NewMemory, NewSnapshot, SnapshotStore};
pub use owned::{
    Change, ChangedMemory, ChangedText, Feedback, HistoryEntry, KnownOwner, NewReceipt, OwnedPage,
    OwnedQuery, OwnedStore, ReceiptLine, ReceiptOutcome, ReceiptStatus, ReceiptStore,
    StoredReceipt,
};
pub use portable::{ExportCursor, ImportCounts, ImportRow, PortableStore};
pub use projects::ProjectStore;
pub use rows::{Around, Row, RowBody, RowStore};
pub use search::{Hit, IndexDoc, KeywordAnswer, KeywordQuery, Period, SearchStore};
pub use sessions::{SessionName, SessionStore};
pub use settings::SettingsStore;
pub use vectors::{
    EmbeddedRow, NearPassage, NearQuery, RowVectors, SpaceId, VectorChanges, VectorCounts,
    VectorStore, WaitingRow,
};

pub use spend::{
    AHEAD_DAYS, Limit, MOST_TOKENS, NewInjected, NewSpend, Reserved, Settled, SpendLimits,
    SpendStore,
};

/// Everything a store can do. Blanket-implemented: a backend implements the traits by noun.
pub trait Store:
    ProjectStore
    + SessionStore
    + EventStore
    + JobStore
    + ModelJobStore
    + QueueStore
    + RowStore
    + MemoryStore
    + OwnedStore
    + ReceiptStore
    + SnapshotStore
    + SearchStore
    + PortableStore
    + SettingsStore
    + VectorStore
    + SpendStore
    + AnswerStore
    + InferenceStore
    + LiveStore
    + RevisionStore
    + Send
    + Sync
    + std::fmt::Debug
{
}

impl<T> Store for T where
    T: ProjectStore
        + SessionStore
        + EventStore
        + JobStore
        + ModelJobStore
        + QueueStore
        + RowStore
        + MemoryStore
        + OwnedStore
        + ReceiptStore
        + OwnedStore
        + ReceiptStore
        + SnapshotStore
        + SearchStore
        + PortableStore
        + SettingsStore
        + VectorStore
        + SpendStore
        + AnswerStore
        + InferenceStore
        + LiveStore
        + RevisionStore
        + Send
        + Sync
        + std::fmt::Debug
{
}
