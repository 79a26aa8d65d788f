//! The log of changes, and rows that a person changes.

mod live;
mod revise;

use afterword_domain::PublicId;
use async_trait::async_trait;

use super::PostgresStore;
use crate::Result;
use crate::contract::{LiveChanges, LiveStore, Revised, Revision, RevisionStore, Row};

#[async_trait]
impl LiveStore for PostgresStore {
    async fn live_changes(&self, after: Option<i64>, limit: usize) -> Result<LiveChanges> {
        self.follow(|tx| async move { live::changes(&tx, after, limit).await }).await
    }
}

#[async_trait]
impl RevisionStore for PostgresStore {
    async fn revise(&self, revised: Revised) -> Result<Row> {
        let revised = &revised;
        self.write(|tx| async move { revise::revise(&tx, revised).await }).await
    }

    async fn revisions(&self, id: PublicId) -> Result<Vec<Revision>> {
        self.read(|tx| async move { revise::revisions(&tx, id).await }).await
    }
}
