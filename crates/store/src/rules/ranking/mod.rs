//! How words weigh, and which of them a ranking is driven by.

pub(crate) mod bm25;
pub(crate) mod terms;
