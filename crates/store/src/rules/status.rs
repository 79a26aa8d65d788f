//! What a status says of counts.

use afterword_domain::wire::status::Embeddings;

use crate::contract::VectorCounts;

/// How far embedding is; before the first space everything indexed waits.
pub(crate) fn embeddings(counts: Option<VectorCounts>, indexed: u64) -> Embeddings {
    let (space, embedded, waiting) =
        counts.map_or_else(|| (String::new(), 0, indexed), |c| (c.space, c.embedded, c.waiting));
    Embeddings { space, embedded, waiting, ..Embeddings::default() }
}
