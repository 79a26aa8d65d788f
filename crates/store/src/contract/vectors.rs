//! Vectors of the passages of remembered rows.

use afterword_domain::filter::OwnerMatch;
use afterword_domain::owner::Owner;
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId, Time};
use async_trait::async_trait;

use super::Row;
use crate::Result;

/// Vectors, in spaces that are never mixed. A vector is bytes to the store.
///
/// Only a store that [finds what is near](Self::finds_nearest) looks into them: four bytes say what
/// one step is worth (a float), and two bytes for each number of the space how many steps it is away
/// from the middle of the space (an integer), little-endian all. Bytes of another shape are kept
/// and given back like any others, and are near to nothing.
///
/// A row loses its vectors with itself, and as soon as its tokens, or those of what stands
/// [before](WaitingRow::before) it, change or go; it then waits for new ones. Whoever keeps vectors
/// in memory reads them all once and then what has changed since.
#[async_trait]
pub trait VectorStore {
    /// The space of this name, made where it is new, from now on the one that
    /// [`vector_counts`](Self::vector_counts) tells of. The same name with another dimension is
    /// another space.
    async fn open_space(&self, name: &str, dimension: usize) -> Result<SpaceId>;

    /// Rows that wait for vectors of a space: first those without any, then those of other spaces;
    /// newest first each.
    async fn rows_without_vectors(&self, space: SpaceId, limit: usize) -> Result<Vec<WaitingRow>>;

    /// Saves all vectors of some rows, in place of older ones of the same space. A row that went or
    /// changed since it was read is left out; returns how many were not.
    async fn save_vectors(&self, space: SpaceId, rows: Vec<RowVectors>) -> Result<usize>;

    /// The rows of a space with keys above `after`, in order of their keys; at most `limit`.
    async fn vectors(&self, space: SpaceId, after: i64, limit: usize) -> Result<Vec<EmbeddedRow>>;

    /// Vectors by row key and part, in the order asked; none where there is no such vector.
    async fn vectors_of(&self, space: SpaceId, parts: &[(i64, u8)])
    -> Result<Vec<Option<Vec<u8>>>>;

    /// What became of the vectors of a space after the change `after`.
    async fn vector_changes(&self, space: SpaceId, after: i64) -> Result<VectorChanges>;

    /// Deletes vectors of other spaces, a part of them with each call: those of rows with keys
    /// above `after`. Returns the key to go on with; none when all are gone, and the other spaces
    /// with them. For when no row waits any more.
    async fn drop_other_spaces(&self, space: SpaceId, after: i64) -> Result<Option<i64>>;

    /// How far the space that was opened last reaches; none before the first.
    async fn vector_counts(&self) -> Result<Option<VectorCounts>>;

    /// Whether [`nearest`](Self::nearest) answers. Where it does, nobody has to keep vectors in
    /// memory.
    fn finds_nearest(&self) -> bool {
        false
    }

    /// The passages that are nearest to a vector of the same space, nearest first as far as their
    /// order is known; what is exactly nearest may be missed now and then in large spaces (less
    /// than one of a hundred). None where the store does not look into vectors.
    async fn nearest(&self, _query: NearQuery) -> Result<Option<Vec<NearPassage>>> {
        Ok(None)
    }
}

/// What passages are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearQuery {
    /// The space to look in.
    pub space: SpaceId,
    /// The vector, as those of rows are kept.
    pub vector: Vec<u8>,
    /// Where to look.
    pub scope: Scope,
    /// Only rows of this kind.
    pub kind: Option<Kind>,
    /// As [`KeywordQuery::owners`](super::KeywordQuery::owners).
    pub owners: Option<Vec<OwnerMatch>>,
    /// Only rows made at or after this time.
    pub since: Option<Time>,
    /// Only rows made before this time.
    pub until: Option<Time>,
    /// Most passages.
    pub limit: usize,
}

/// A passage that is near.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearPassage {
    /// As [`WaitingRow::key`].
    pub key: i64,
    /// Which passage of the row.
    pub part: u8,
    /// The row's public id.
    pub id: PublicId,
    /// Its vector, as it was saved.
    pub vector: Vec<u8>,
}

/// Names a space in calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpaceId(pub i64);

/// A row that waits for vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingRow {
    /// The row's key among all rows; never used a second time.
    pub key: i64,
    /// Tells one state of its text, and of what stands before it, from the next.
    pub version: i64,
    /// The row.
    pub row: Row,
    /// What stands before it: the row of the same kind with the number before, where it is of the
    /// same session.
    pub before: Option<Row>,
}

/// All vectors of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowVectors {
    /// As [`WaitingRow::key`].
    pub key: i64,
    /// As [`WaitingRow::version`].
    pub version: i64,
    /// One for each passage, at most 256; none for a row that cannot be embedded.
    pub vectors: Vec<Vec<u8>>,
}

/// A row with its vectors, and what filters ask of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedRow {
    /// As [`WaitingRow::key`].
    pub key: i64,
    /// Its public id.
    pub id: PublicId,
    /// Its project.
    pub project_id: i64,
    /// Whose it is, where it is a memory.
    pub owner: Owner,
    /// When it was made.
    pub created_at: Time,
    /// Part and vector of each passage.
    pub vectors: Vec<(u8, Vec<u8>)>,
}

/// What became of vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorChanges {
    /// The newest change that is in this answer.
    pub seq: i64,
    /// Rows that changed, as they are now; not more than 1,000, so ask again while there are any.
    pub rows: Vec<EmbeddedRow>,
    /// Keys of rows that have no vectors any more.
    pub gone: Vec<i64>,
    /// What was asked for is not known any more: everything is to be read again.
    pub lost: bool,
}

/// How far a space reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorCounts {
    /// The name it was opened by.
    pub space: String,
    /// Numbers of a vector.
    pub dimension: usize,
    /// Rows that are embedded.
    pub embedded: u64,
    /// Rows that wait.
    pub waiting: u64,
}
