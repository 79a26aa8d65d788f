//! The log of changes, and rows that a person changes.

mod live;
mod revise;

use afterword_domain::PublicId;
use async_trait::async_trait;

use super::SqliteStore;
use crate::Result;
use crate::contract::{LiveChanges, LiveStore, Revised, Revision, RevisionStore, Row};

#[async_trait]
impl LiveStore for SqliteStore {
    async fn live_changes(&self, after: Option<i64>, limit: usize) -> Result<LiveChanges> {
        self.read(move |db| live::changes(db, after, limit)).await
    }
}

#[async_trait]
impl RevisionStore for SqliteStore {
    async fn revise(&self, revised: Revised) -> Result<Row> {
        self.write(move |db| revise::revise(db, &revised)).await
    }

    async fn revisions(&self, id: PublicId) -> Result<Vec<Revision>> {
        self.read(move |db| revise::revisions(db, id)).await
    }
}
