//! Memories by their owners, and receipts.

use afterword_domain::Time;
use afterword_domain::filter::OwnerMatch;
use afterword_domain::memory::Memory;
use async_trait::async_trait;
use serde_json::Value;
use uuid::Uuid;

use super::PostgresStore;
use crate::contract::{
    ChangedMemory, Feedback, HistoryEntry, KnownOwner, NewMemory, NewReceipt, OwnedPage,
    OwnedQuery, OwnedStore, ReceiptOutcome, ReceiptStore, StoredReceipt,
};
use crate::{Error, Result};

fn absent() -> Error {
    Error::Setup("memories by their owners are not on this backend".to_owned())
}

#[async_trait]
impl OwnedStore for PostgresStore {
    async fn memories_by_uid(&self, _uids: &[Uuid]) -> Result<Vec<Memory>> {
        Err(absent())
    }

    async fn list_owned(&self, _query: OwnedQuery) -> Result<OwnedPage> {
        Err(absent())
    }

    async fn change_memories(&self, _changes: Vec<ChangedMemory>) -> Result<Vec<Memory>> {
        Err(absent())
    }

    async fn forget_memories(&self, _uids: &[Uuid], _now: Time) -> Result<u64> {
        Err(absent())
    }

    async fn forget_owned(&self, _owner: OwnerMatch, _limit: usize, _now: Time) -> Result<u64> {
        Err(absent())
    }

    async fn memory_history(&self, _uid: Uuid) -> Result<Vec<HistoryEntry>> {
        Err(absent())
    }

    async fn known_owners(&self, _offset: usize, _limit: usize) -> Result<(u64, Vec<KnownOwner>)> {
        Err(absent())
    }

    async fn note_feedback(
        &self,
        _memory: Uuid,
        _feedback: Option<Feedback>,
        _reason: &str,
        _now: Time,
    ) -> Result<Uuid> {
        Err(absent())
    }
}

#[async_trait]
impl ReceiptStore for PostgresStore {
    async fn add_with_receipt(
        &self,
        _receipt: NewReceipt,
        _memories: Vec<NewMemory>,
    ) -> Result<StoredReceipt> {
        Err(absent())
    }

    async fn open_receipt(
        &self,
        _receipt: NewReceipt,
        _request: Value,
        _claimed: bool,
    ) -> Result<(StoredReceipt, bool)> {
        Err(absent())
    }

    async fn claim_receipt(
        &self,
        _only: Option<Uuid>,
        _now: Time,
    ) -> Result<Option<(Uuid, Value)>> {
        Err(absent())
    }

    async fn next_receipt_at(&self) -> Result<Option<Time>> {
        Ok(None)
    }

    async fn release_receipts(&self) -> Result<u64> {
        Ok(0)
    }

    async fn settle_receipt(
        &self,
        _uid: Uuid,
        _outcome: ReceiptOutcome,
        _now: Time,
    ) -> Result<bool> {
        Err(absent())
    }

    async fn receipt(&self, _uid: Uuid) -> Result<Option<StoredReceipt>> {
        Err(absent())
    }

    async fn receipts(&self, _offset: usize, _limit: usize) -> Result<(u64, Vec<StoredReceipt>)> {
        Err(absent())
    }
}
