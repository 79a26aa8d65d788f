//! Memories by their owners.

use afterword_domain::Time;
use afterword_domain::day::Day;
use afterword_domain::filter::{Filter, OwnerMatch};
use afterword_domain::memory::Memory;
use afterword_domain::owner::{Owner, OwnerKind};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::super::IndexDoc;
use crate::Result;

/// Memories by uid and by owner.
#[async_trait]
pub trait OwnedStore {
    /// The memories with these uids that exist, in the order of `uids`.
    async fn memories_by_uid(&self, uids: &[Uuid]) -> Result<Vec<Memory>>;

    /// The memories that a filter means, newest first by when they were made, and how many there
    /// are of them. Also those whose place another one has taken.
    ///
    /// What the filter says of owners, times and uids is looked up; what it says besides is held
    /// against each memory that is left.
    async fn list_owned(&self, query: OwnedQuery) -> Result<OwnedPage>;

    /// Changes memories, all of them or none, and notes it in their histories. Returns them as they
    /// are then, in the order of `changes`. [`crate::Error::NotFound`] where one is not there,
    /// [`crate::Error::Conflict`] where its owner has the new text in that project already.
    async fn change_memories(&self, changes: Vec<ChangedMemory>) -> Result<Vec<Memory>>;

    /// Forgets the memories with these uids as [`forget`](super::super::RowStore::forget) does;
    /// returns how many there were.
    async fn forget_memories(&self, uids: &[Uuid], now: Time) -> Result<u64>;

    /// Forgets memories whose owner matches, at most `limit` of them, and returns how many; called
    /// again until it is none. What is [asked for](super::ReceiptStore) and not yet done of such
    /// owners is dropped with its messages: its receipt fails.
    async fn forget_owned(&self, owner: OwnerMatch, limit: usize, now: Time) -> Result<u64>;

    /// What became of a memory, oldest first; empty for a uid that is not known. Of a forgotten
    /// memory the changes and their times are left, without any text.
    async fn memory_history(&self, uid: Uuid) -> Result<Vec<HistoryEntry>>;

    /// Every name that owns a memory: by kind, then by name. At most `limit` after the first
    /// `offset`, and how many there are in all.
    async fn known_owners(&self, offset: usize, limit: usize) -> Result<(u64, Vec<KnownOwner>)>;

    /// Notes what somebody thinks of a memory, in place of what was noted before; none takes it
    /// back. Returns the name of the note. It goes with its memory.
    async fn note_feedback(
        &self,
        memory: Uuid,
        feedback: Option<Feedback>,
        reason: &str,
        now: Time,
    ) -> Result<Uuid>;
}

/// Which memories are listed.
#[derive(Clone, Debug, Default)]
pub struct OwnedQuery {
    /// Which are meant.
    pub filter: Filter,
    /// Memories that have expired by this day are left out; none leaves them in.
    pub today: Option<Day>,
    /// How many are passed over.
    pub offset: usize,
    /// Most memories.
    pub limit: usize,
}

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnedPage {
    /// How many memories the whole list has.
    pub total: u64,
    /// The memories of this part.
    pub memories: Vec<Memory>,
}

/// A change of a memory. What is none stays.
#[derive(Clone, Debug)]
pub struct ChangedMemory {
    /// The memory.
    pub uid: Uuid,
    /// What it says from now on.
    pub text: Option<ChangedText>,
    /// A caller's own fields, in place of those before.
    pub metadata: Option<Value>,
    /// The last day on which it counts; `Some(None)`: it counts for ever.
    pub expires: Option<Option<Day>>,
    /// When.
    pub at: Time,
}

/// Another text of a memory. A title goes: it told of the text before.
#[derive(Clone, Debug)]
pub struct ChangedText {
    /// The text.
    pub text: String,
    /// As for a new memory: equal for texts of one owner that say the same.
    pub text_key: String,
    /// Its tokens.
    pub index: IndexDoc,
}

/// What happened to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It was added.
    Add,
    /// It was changed, or another one took its place, or it took the place of others.
    Update,
    /// It was forgotten.
    Delete,
    /// It was said again.
    None,
}

/// One change of a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// Names the entry.
    pub id: Uuid,
    /// The memory.
    pub memory: Uuid,
    /// What happened.
    pub change: Change,
    /// What it said before; none where it was new or is forgotten.
    pub old: Option<String>,
    /// What it said from then on, or what took its place; none where that is forgotten.
    pub new: Option<String>,
    /// Whose it is; nobody once it is forgotten.
    pub owner: Owner,
    /// The role of whoever said it.
    pub role: String,
    /// The name of whoever said it.
    pub actor: String,
    /// When.
    pub at: Time,
}

/// A name that owns memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownOwner {
    /// What it names.
    pub kind: OwnerKind,
    /// The name.
    pub name: String,
    /// How many memories it owns, also together with other names.
    pub memories: u64,
    /// When the first of them was made.
    pub created_at: Time,
    /// When one of them changed last.
    pub updated_at: Time,
}

/// What somebody thinks of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Feedback {
    /// It helps.
    Positive,
    /// It does not.
    Negative,
    /// It does harm.
    VeryNegative,
}

impl Feedback {
    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::VeryNegative => "very negative",
        }
    }
}
