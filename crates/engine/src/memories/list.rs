//! Reading memories and their owners.

use afterword_domain::Time;
use afterword_domain::day::Day;
use afterword_domain::filter::Filter;
use afterword_domain::memory::Memory;
use afterword_domain::owner::OwnerKind;
use afterword_store::contract::{HistoryEntry, OwnedQuery};
use uuid::Uuid;

use super::whose::id_of;
use crate::error::within;
use crate::{Engine, Error, Result};

/// Most rows of one page.
pub const MAX_PAGE: usize = 1_000;

/// A part of a list: at most `limit` rows (1 to [`MAX_PAGE`]) after the first `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Rows that are passed over.
    pub offset: usize,
    /// Most rows.
    pub limit: usize,
}

impl Page {
    pub(super) fn checked(self) -> Result<Self> {
        within("the size of a page", Some(self.limit), 1..=MAX_PAGE)?;
        Ok(self)
    }
}

/// A part of a list, and how long the whole is.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed<T> {
    /// Rows of the whole list.
    pub total: u64,
    /// Those of this part.
    pub rows: Vec<T>,
}

/// Which memories are listed.
#[derive(Clone, Debug)]
pub struct ListMemories {
    /// Which are meant.
    pub filter: Filter,
    /// Also those that have expired.
    pub with_expired: bool,
    /// The part.
    pub page: Page,
}

/// A name that owns memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownOwner {
    /// The same for the same kind and name, always and everywhere.
    pub id: Uuid,
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

impl Engine {
    /// The memories that a filter means, newest first; also those whose place another has taken.
    pub async fn list_memories(&self, asked: ListMemories) -> Result<Listed<Memory>> {
        let Page { offset, limit } = asked.page.checked()?;
        let today = (!asked.with_expired).then(|| Day::of(self.clock.now()));
        let query = OwnedQuery { filter: asked.filter, today, offset, limit };
        let page = self.store.list_owned(query).await?;
        Ok(Listed { total: page.total, rows: page.memories })
    }

    /// A memory; [`Error::NotFound`] where there is none.
    pub async fn memory(&self, uid: Uuid) -> Result<Memory> {
        let found = self.store.memories_by_uid(&[uid]).await?.pop();
        found.ok_or_else(|| Error::NotFound(format!("there is no memory {uid}")))
    }

    /// What became of a memory, oldest first; of a deleted one the changes and their times, without
    /// any text. [`Error::NotFound`] where there never was one.
    pub async fn memory_history(&self, uid: Uuid) -> Result<Vec<HistoryEntry>> {
        let history = self.store.memory_history(uid).await?;
        if history.is_empty() {
            return Err(Error::NotFound(format!("there is no memory {uid}")));
        }
        Ok(history)
    }

    /// Every name that owns a memory, by kind, then by name.
    pub async fn owners(&self, page: Page) -> Result<Listed<KnownOwner>> {
        let Page { offset, limit } = page.checked()?;
        let (total, known) = self.store.known_owners(offset, limit).await?;
        let rows = known.into_iter().map(|known| KnownOwner {
            id: id_of(&["owner", known.kind.word(), &known.name]),
            kind: known.kind,
            name: known.name,
            memories: known.memories,
            created_at: known.created_at,
            updated_at: known.updated_at,
        });
        Ok(Listed { total, rows: rows.collect() })
    }
}
