//! Vectors in a table: bytes by row, space and part.

mod read;
mod save;

use async_trait::async_trait;

pub(super) use read::counts;

use super::SqliteStore;
use crate::Result;
use crate::contract::{
    EmbeddedRow, RowVectors, SpaceId, VectorChanges, VectorCounts, VectorStore, WaitingRow,
};

#[async_trait]
impl VectorStore for SqliteStore {
    async fn open_space(&self, name: &str, dimension: usize) -> Result<SpaceId> {
        let name = name.to_owned();
        self.write(move |db| save::open_space(db, &name, dimension)).await
    }

    async fn rows_without_vectors(&self, space: SpaceId, limit: usize) -> Result<Vec<WaitingRow>> {
        self.read(move |db| read::waiting(db, space, limit)).await
    }

    async fn save_vectors(&self, space: SpaceId, rows: Vec<RowVectors>) -> Result<usize> {
        self.write(move |db| save::save(db, space, &rows)).await
    }

    async fn vectors(&self, space: SpaceId, after: i64, limit: usize) -> Result<Vec<EmbeddedRow>> {
        self.read(move |db| read::page(db, space, after, limit)).await
    }

    async fn vectors_of(
        &self,
        space: SpaceId,
        parts: &[(i64, u8)],
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let parts = parts.to_vec();
        self.read(move |db| read::of_parts(db, space, &parts)).await
    }

    async fn vector_changes(&self, space: SpaceId, after: i64) -> Result<VectorChanges> {
        self.read(move |db| read::changes(db, space, after)).await
    }

    async fn drop_other_spaces(&self, space: SpaceId, after: i64) -> Result<Option<i64>> {
        self.write(move |db| save::drop_others(db, space, after)).await
    }

    async fn vector_counts(&self) -> Result<Option<VectorCounts>> {
        self.read(read::counts).await
    }
}
