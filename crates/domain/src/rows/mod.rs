//! What is remembered: one file a kind of row.

pub mod filter;
pub mod memory;
pub mod observation;
pub mod owner;
pub mod prompt;
pub mod snapshot;
pub mod summary;
