//! What became of requests to add memories.

use afterword_domain::Time;
use afterword_domain::owner::Owner;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::super::NewMemory;
use super::Change;
use crate::Result;

/// Receipts: each stands for one request to add memories, however often it is made.
///
/// A request that waits is kept whole, so that a crash loses nothing; once it is done or has failed
/// its receipt holds uids and no text. Receipts are kept for [`KEPT_DAYS`](super::super::KEPT_DAYS).
#[async_trait]
pub trait ReceiptStore {
    /// Stores memories, each as [`remember`](super::super::MemoryStore::remember) does, together
    /// with a receipt of it, in one transaction. A receipt that is there already is given back and
    /// nothing is stored.
    async fn add_with_receipt(
        &self,
        receipt: NewReceipt,
        memories: Vec<NewMemory>,
    ) -> Result<StoredReceipt>;

    /// Keeps a request that is still to be worked on, with its receipt. With `claimed` the caller
    /// works on it at once, as if it had claimed it. A receipt that is there already is given back
    /// as it is, and its request stays as it was.
    async fn open_receipt(
        &self,
        receipt: NewReceipt,
        request: Value,
        claimed: bool,
    ) -> Result<(StoredReceipt, bool)>;

    /// Claims the request that has waited longest and is due at `now`, or only the one named, which
    /// need not be due; other callers no longer see it.
    async fn claim_receipt(&self, only: Option<Uuid>, now: Time) -> Result<Option<(Uuid, Value)>>;

    /// When the next waiting request is due; none where none waits.
    async fn next_receipt_at(&self) -> Result<Option<Time>>;

    /// Makes requests wait again that a process claimed and did not finish; called at start.
    async fn release_receipts(&self) -> Result<u64>;

    /// Notes what came of a claimed request. False where it was dropped meanwhile: then nothing may
    /// come of it.
    async fn settle_receipt(&self, uid: Uuid, outcome: ReceiptOutcome, now: Time) -> Result<bool>;

    /// A receipt.
    async fn receipt(&self, uid: Uuid) -> Result<Option<StoredReceipt>>;

    /// Receipts, newest first: at most `limit` after the first `offset`, and how many there are.
    async fn receipts(&self, offset: usize, limit: usize) -> Result<(u64, Vec<StoredReceipt>)>;
}

/// A receipt on its way into the store.
#[derive(Clone, Debug)]
pub struct NewReceipt {
    /// Whoever makes the same request once more gives the same uid.
    pub uid: Uuid,
    /// Whose memories are added.
    pub owner: Owner,
    /// When it was asked for.
    pub at: Time,
}

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptStatus {
    /// It waits.
    Pending,
    /// It is worked on.
    Running,
    /// It is done.
    Succeeded,
    /// It came to nothing.
    Failed,
}

impl ReceiptStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Running, Self::Succeeded, Self::Failed];

    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        }
    }

    /// Reads the database's word; anything unknown failed.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|status| status.word() == word).unwrap_or(Self::Failed)
    }
}

/// What came of a request that was worked on.
#[derive(Clone, Debug)]
pub enum ReceiptOutcome {
    /// Memories.
    Done(Vec<ReceiptLine>),
    /// It cannot be done; the text says why, for people.
    Failed(String),
    /// It waits again until then; after the fifth time it fails.
    Again(String, Time),
}

/// One memory of a receipt, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptLine {
    /// The memory.
    pub memory: Uuid,
    /// What was done with it.
    pub change: Change,
    /// The memories whose place it has taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<Uuid>,
}

/// A receipt as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReceipt {
    /// Its uid.
    pub uid: Uuid,
    /// How far its request is.
    pub status: ReceiptStatus,
    /// What came of it, in order.
    pub lines: Vec<ReceiptLine>,
    /// Why it failed, or why it waits again; empty else.
    pub error: String,
    /// When it was asked for.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// When it was first worked on.
    pub started_at: Option<Time>,
    /// When it was done or failed.
    pub completed_at: Option<Time>,
}
