//! Vectors in a table: bytes by row, space and part, and the same for the database to compare.

mod index;
mod near;
mod read;
mod save;

use async_trait::async_trait;

pub(super) use read::counts;

use super::PostgresStore;
use crate::Result;
use crate::contract::{
    EmbeddedRow, NearPassage, NearQuery, RowVectors, SpaceId, VectorChanges, VectorCounts,
    VectorStore, WaitingRow,
};

#[async_trait]
impl VectorStore for PostgresStore {
    async fn open_space(&self, name: &str, dimension: usize) -> Result<SpaceId> {
        let space =
            self.write(|tx| async move { save::open_space(&tx, name, dimension).await }).await?;
        index::ensure(&self.pool, space, dimension).await?;
        Ok(space)
    }

    async fn rows_without_vectors(&self, space: SpaceId, limit: usize) -> Result<Vec<WaitingRow>> {
        self.read(|tx| async move { read::waiting(&tx, space, limit).await }).await
    }

    async fn save_vectors(&self, space: SpaceId, rows: Vec<RowVectors>) -> Result<usize> {
        let rows = &rows;
        self.write(|tx| async move { save::save(&tx, space, rows).await }).await
    }

    async fn vectors(&self, space: SpaceId, after: i64, limit: usize) -> Result<Vec<EmbeddedRow>> {
        self.read(|tx| async move { read::page(&tx, space, after, limit).await }).await
    }

    async fn vectors_of(
        &self,
        space: SpaceId,
        parts: &[(i64, u8)],
    ) -> Result<Vec<Option<Vec<u8>>>> {
        self.read(|tx| async move { read::of_parts(&tx, space, parts).await }).await
    }

    async fn vector_changes(&self, space: SpaceId, after: i64) -> Result<VectorChanges> {
        self.follow(|tx| async move { read::changes(&tx, space, after).await }).await
    }

    async fn drop_other_spaces(&self, space: SpaceId, after: i64) -> Result<Option<i64>> {
        self.write(|tx| async move { save::drop_others(&tx, space, after).await }).await
    }

    async fn vector_counts(&self) -> Result<Option<VectorCounts>> {
        self.read(|tx| async move { counts(&tx).await }).await
    }

    fn finds_nearest(&self) -> bool {
        true
    }

    async fn nearest(&self, query: NearQuery) -> Result<Option<Vec<NearPassage>>> {
        let query = NearQuery { scope: self.reachable(query.scope), ..query };
        let (query, iterative) = (&query, self.pool.identity().iterative_scans());
        let found =
            self.read(|tx| async move { near::nearest(&tx, query, iterative).await }).await?;
        Ok(Some(found))
    }
}
