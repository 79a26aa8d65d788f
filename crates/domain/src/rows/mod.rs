//! What is remembered: one file a kind of row.

pub mod memory;
pub mod observation;
pub mod prompt;
pub mod snapshot;
pub mod summary;
