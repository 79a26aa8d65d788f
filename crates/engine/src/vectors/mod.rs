//! Finding rows by meaning: rows are embedded in the background, and what is near is found in
//! memory.
//!
//! Keyword search waits for none of this. `source` says where an embedder comes from, `background`
//! embeds what waits, `table` holds the vectors of a space in memory, `state` is what is loaded at
//! the moment, and `near` answers. The database holds the truth: the table is read from it, catches
//! up with it before each answer, and is given up together with the embedder when nobody has asked
//! for a while. Where the store finds what is near by itself there is no table.

mod background;
mod near;
mod source;
mod state;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use background::fill;
pub use near::NearFilter;
pub(crate) use near::nearest_in_store;
pub use source::{ApiKey, EmbedderSource, Embeddings, InstalledModel, RemoteModel};
pub(crate) use state::Vectors;
