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

use super::PostgresStore;
use crate::Result;
use crate::contract::{
    ChangedMemory, Feedback, HistoryEntry, KnownOwner, NewMemory, NewReceipt, OwnedPage,
    OwnedQuery, OwnedStore, ReceiptOutcome, ReceiptStore, StoredReceipt,
};

pub(super) use change::forget_texts;
pub(super) use ways::Ways;

#[async_trait]
impl OwnedStore for PostgresStore {
    async fn memories_by_uid(&self, uids: &[Uuid]) -> Result<Vec<Memory>> {
        self.read(|tx| async move { list::by_uids(&tx, uids).await }).await
    }

    async fn list_owned(&self, query: OwnedQuery) -> Result<OwnedPage> {
        let query = &query;
        self.read(|tx| async move { list::page(&tx, query).await }).await
    }

    async fn change_memories(&self, changes: Vec<ChangedMemory>) -> Result<Vec<Memory>> {
        let changes = &changes;
        self.write(|tx| async move { change::all(&tx, changes).await }).await
    }

    async fn forget_memories(&self, uids: &[Uuid], now: Time) -> Result<u64> {
        self.write(|tx| async move { change::forget(&tx, uids, now).await }).await
    }

    async fn forget_owned(&self, owner: OwnerMatch, limit: usize, now: Time) -> Result<u64> {
        let owner = &owner;
        self.write(|tx| async move {
            receipts::drop_of(&tx, owner, now).await?;
            change::forget_owned(&tx, owner, limit, now).await
        })
        .await
    }

    async fn memory_history(&self, uid: Uuid) -> Result<Vec<HistoryEntry>> {
        self.read(|tx| async move { list::history(&tx, uid).await }).await
    }

    async fn known_owners(&self, offset: usize, limit: usize) -> Result<(u64, Vec<KnownOwner>)> {
        self.read(|tx| async move { list::owners(&tx, offset, limit).await }).await
    }

    async fn note_feedback(
        &self,
        memory: Uuid,
        feedback: Option<Feedback>,
        reason: &str,
        now: Time,
    ) -> Result<Uuid> {
        self.write(
            |tx| async move { change::note_feedback(&tx, memory, feedback, reason, now).await },
        )
        .await
    }
}

#[async_trait]
impl ReceiptStore for PostgresStore {
    async fn add_with_receipt(
        &self,
        receipt: NewReceipt,
        memories: Vec<NewMemory>,
    ) -> Result<StoredReceipt> {
        let (receipt, memories) = (&receipt, &memories);
        self.write(|tx| async move { receipts::add(&tx, receipt, memories).await }).await
    }

    async fn open_receipt(
        &self,
        receipt: NewReceipt,
        request: Value,
        claimed: bool,
    ) -> Result<(StoredReceipt, bool)> {
        let (receipt, request) = (&receipt, &request);
        let key = if claimed { Some(self.pool.presence().hold().await?) } else { None };
        self.write(|tx| async move { receipts::open(&tx, receipt, request, key).await }).await
    }

    async fn claim_receipt(&self, only: Option<Uuid>, now: Time) -> Result<Option<(Uuid, Value)>> {
        // Nearly always there is nothing to claim, and so nothing to write.
        if only.is_none() && self.next_receipt_at().await?.is_none_or(|at| at > now) {
            return Ok(None);
        }
        let key = self.pool.presence().hold().await?;
        self.write(|tx| async move { receipts::claim(&tx, only, now, key).await }).await
    }

    async fn next_receipt_at(&self) -> Result<Option<Time>> {
        let key = self.pool.presence().key();
        self.read(|tx| async move { receipts::next_at(&tx, key).await }).await
    }

    async fn release_receipts(&self) -> Result<u64> {
        let key = self.pool.presence().key();
        self.write(|tx| async move { receipts::release(&tx, key).await }).await
    }

    async fn settle_receipt(&self, uid: Uuid, outcome: ReceiptOutcome, now: Time) -> Result<bool> {
        let outcome = &outcome;
        self.write(|tx| async move { receipts::settle(&tx, uid, outcome, now).await }).await
    }

    async fn receipt(&self, uid: Uuid) -> Result<Option<StoredReceipt>> {
        self.read(|tx| async move { receipts::by_uid(&tx, uid).await }).await
    }

    async fn receipts(&self, offset: usize, limit: usize) -> Result<(u64, Vec<StoredReceipt>)> {
        self.read(|tx| async move { receipts::list(&tx, offset, limit).await }).await
    }
}
