//! Turns texts into vectors in this process, and finds the nearest of many. No network, no runtime,
//! no database.
//!
//! [`Model`] runs the multilingual model that `afterword model pull` installed: `container` reads
//! its file, `tokenizer` cuts texts, `network` (with `math`) computes, `language` brings languages
//! together. [`Kept`] is how a vector is kept, [`Quantised`] how it is held in memory, and
//! [`VectorIndex`] finds the nearest of those. How it is done and what it costs is written down in
//! `docs/design/embeddings.md`.
//!
//! A crate of its own, because it is compiled with optimisation even in tests: without, its loops
//! take minutes instead of seconds.

mod container;
mod error;
mod index;
mod language;
mod math;
mod model;
mod network;
#[cfg(any(test, feature = "tiny"))]
pub mod tiny;
mod tokenizer;
mod vector;

#[cfg(test)]
mod tests;

pub use error::{Error, Result};
pub use index::{Near, VectorIndex};
pub use math::unit;
pub use model::{CARD_FILE, Model};
pub use vector::{Kept, Quantised};
