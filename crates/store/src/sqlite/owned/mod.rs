//! Memories by their owners, and receipts.

mod change;
mod list;
mod receipts;
mod ways;

use afterword_domain::Time;
use afterword_domain::filter::OwnerMatch;
use afterword_domain::memory::Memory;
use async_trait::async_trait;
use serde_json::Value;
use uuid::Uuid;

use super::SqliteStore;
use crate::Result;
use crate::contract::{
    ChangedMemory, Feedback, HistoryEntry, KnownOwner, NewMemory, NewReceipt, OwnedPage,
    OwnedQuery, OwnedStore, ReceiptOutcome, ReceiptStore, StoredReceipt,
};

pub(super) use change::forget_texts;
pub(super) use ways::{SCOPE_TERMS, Ways, note as note_owner};

#[async_trait]
impl OwnedStore for SqliteStore {
    async fn memories_by_uid(&self, uids: &[Uuid]) -> Result<Vec<Memory>> {
        let uids = uids.to_vec();
        self.read(move |db| list::by_uids(db, &uids)).await
    }

    async fn list_owned(&self, query: OwnedQuery) -> Result<OwnedPage> {
        self.read(move |db| list::page(db, &query)).await
    }

    async fn change_memories(&self, changes: Vec<ChangedMemory>) -> Result<Vec<Memory>> {
        self.write(move |db| change::all(db, &changes)).await
    }

    async fn forget_memories(&self, uids: &[Uuid], now: Time) -> Result<u64> {
        let uids = uids.to_vec();
        self.write(move |db| change::forget(db, &uids, now)).await
    }

    async fn forget_owned(&self, owner: OwnerMatch, limit: usize, now: Time) -> Result<u64> {
        self.write(move |db| {
            receipts::drop_of(db, &owner, now)?;
            change::forget_owned(db, &owner, limit, now)
        })
        .await
    }

    async fn memory_history(&self, uid: Uuid) -> Result<Vec<HistoryEntry>> {
        self.read(move |db| list::history(db, uid)).await
    }

    async fn known_owners(&self, offset: usize, limit: usize) -> Result<(u64, Vec<KnownOwner>)> {
        self.read(move |db| list::owners(db, offset, limit)).await
    }

    async fn note_feedback(
        &self,
        memory: Uuid,
        feedback: Option<Feedback>,
        reason: &str,
        now: Time,
    ) -> Result<Uuid> {
        let reason = reason.to_owned();
        self.write(move |db| change::note_feedback(db, memory, feedback, &reason, now)).await
    }
}

#[async_trait]
impl ReceiptStore for SqliteStore {
    async fn add_with_receipt(
        &self,
        receipt: NewReceipt,
        memories: Vec<NewMemory>,
    ) -> Result<StoredReceipt> {
        self.write(move |db| receipts::add(db, &receipt, &memories)).await
    }

    async fn open_receipt(
        &self,
        receipt: NewReceipt,
        request: Value,
        claimed: bool,
    ) -> Result<(StoredReceipt, bool)> {
        self.write(move |db| receipts::open(db, &receipt, &request, claimed)).await
    }

    async fn claim_receipt(&self, only: Option<Uuid>, now: Time) -> Result<Option<(Uuid, Value)>> {
        // Nearly always there is nothing to claim, and so nothing to wait for a disk for.
        if self.read(move |db| receipts::next(db, only, now)).await?.is_none() {
            return Ok(None);
        }
        self.write(move |db| receipts::claim(db, only, now)).await
    }

    async fn next_receipt_at(&self) -> Result<Option<Time>> {
        self.read(receipts::next_at).await
    }

    async fn release_receipts(&self) -> Result<u64> {
        self.write(receipts::release).await
    }

    async fn settle_receipt(&self, uid: Uuid, outcome: ReceiptOutcome, now: Time) -> Result<bool> {
        self.write(move |db| receipts::settle(db, uid, &outcome, now)).await
    }

    async fn receipt(&self, uid: Uuid) -> Result<Option<StoredReceipt>> {
        self.read(move |db| receipts::by_uid(db, uid)).await
    }

    async fn receipts(&self, offset: usize, limit: usize) -> Result<(u64, Vec<StoredReceipt>)> {
        self.read(move |db| receipts::list(db, offset, limit)).await
    }
}
