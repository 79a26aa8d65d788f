//! Turns texts into vectors, in process and offline, and finds the nearest of many.
//!
//! [`Model`] runs the multilingual model that `afterword model pull` installed: `container` reads
//! its file, `tokenizer` cuts texts, `network` (with `math`) computes,
//! `language` brings languages together. [`Embedder`] is whoever makes vectors, the model or a
//! [service](RemoteEmbedder). [`Kept`] is how a vector is kept,
//! [`Quantised`] how it is held in memory, and [`VectorIndex`] finds the nearest of those. How it is done and what it costs is
//! written down in `docs/design/embeddings.md`.

mod container;
mod embedder;
mod error;
mod index;
mod language;
mod math;
mod model;
mod network;
pub mod parts;
mod remote;
mod tokenizer;
mod vector;

#[cfg(test)]
mod tests;

pub use embedder::{Embedder, LocalEmbedder};
pub use error::{Error, Result};
pub use index::{Near, VectorIndex};
pub use model::{CARD_FILE, Model};
pub use remote::RemoteEmbedder;
pub use vector::{Kept, Quantised};
