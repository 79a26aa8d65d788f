//! Who turns rows into vectors, and how a row is cut for that.
//!
//! [`Embedder`] is whoever makes vectors: the installed model, which runs in `afterword-embed`, or
//! a [service](RemoteEmbedder). [`parts`] says what the passages of a row are, and [`Cut`] how they become its vectors. How it is done and what it
//! costs is written down in `docs/design/embeddings.md`.

mod cut;
mod embedder;
mod error;
pub mod parts;
mod remote;

#[cfg(test)]
mod tests;

pub use afterword_embed::{CARD_FILE, Kept, Model, Near, Quantised, VectorIndex};
pub use cut::Cut;
pub use embedder::{Embedder, LocalEmbedder};
pub use error::{Error, Result};
pub use remote::RemoteEmbedder;
