//! Receipts as callers see them.

use std::collections::HashMap;

use afterword_domain::Time;
use afterword_domain::memory::Memory;
use afterword_store::contract::{Change, ReceiptStatus, StoredReceipt};
use uuid::Uuid;

use super::list::{Listed, Page};
use crate::{Engine, Error, Result};

/// What became of a request to add memories.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// Its id.
    pub id: Uuid,
    /// How far the request is.
    pub status: ReceiptStatus,
    /// What came of it, in the order in which it was said.
    pub results: Vec<Receipted>,
    /// Why it failed, or why it waits again, for people; empty else.
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

/// A memory of a receipt.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipted {
    /// Its uid.
    pub memory: Uuid,
    /// Its text as it is now; empty where it was forgotten since.
    pub text: String,
    /// What was done.
    pub change: Change,
    /// What the memory says whose place it has taken; empty where that was forgotten since.
    pub previous: Option<String>,
    /// The role of whoever said it.
    pub role: String,
    /// The name of whoever said it.
    pub actor: String,
}

impl Engine {
    /// A receipt; [`Error::NotFound`] where there is none, or no more.
    pub async fn receipt(&self, id: Uuid) -> Result<Receipt> {
        let Some(stored) = self.store.receipt(id).await? else {
            return Err(Error::NotFound(format!(
                "there is no event {id}: it was never made, or was more than 30 days ago"
            )));
        };
        self.told(stored).await
    }

    /// Receipts, newest first.
    pub async fn receipts(&self, page: Page) -> Result<Listed<Receipt>> {
        let Page { offset, limit } = page.checked()?;
        let (total, stored) = self.store.receipts(offset, limit).await?;
        let mut rows = Vec::with_capacity(stored.len());
        for receipt in stored {
            rows.push(self.told(receipt).await?);
        }
        Ok(Listed { total, rows })
    }

    /// A receipt with the texts that its memories have now.
    pub(super) async fn told(&self, stored: StoredReceipt) -> Result<Receipt> {
        let lines = &stored.lines;
        let mut uids: Vec<Uuid> = lines.iter().map(|line| line.memory).collect();
        uids.extend(lines.iter().filter_map(|line| line.superseded.first()));
        let memories = self.store.memories_by_uid(&uids).await?;
        let by_uid: HashMap<Uuid, &Memory> = memories.iter().map(|m| (m.uid, m)).collect();
        let text_of = |uid: &Uuid| by_uid.get(uid).map_or_else(String::new, |m| m.text.clone());
        let results = stored.lines.iter().map(|line| {
            let said = by_uid.get(&line.memory).map(|memory| &memory.attributes);
            Receipted {
                memory: line.memory,
                text: text_of(&line.memory),
                change: line.change,
                previous: line.superseded.first().map(text_of),
                role: said.map_or_else(String::new, |said| said.role.clone()),
                actor: said.map_or_else(String::new, |said| said.actor.clone()),
            }
        });
        Ok(Receipt {
            id: stored.uid,
            status: stored.status,
            results: results.collect(),
            error: stored.error,
            created_at: stored.created_at,
            updated_at: stored.updated_at,
            started_at: stored.started_at,
            completed_at: stored.completed_at,
        })
    }
}
