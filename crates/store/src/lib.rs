//! Persistence: one contract, one folder a backend.
//!
//! `contract/` says what every backend promises, in traits by noun, without a type of any database
//! driver. `sqlite/` keeps it on one machine, `postgres/` on a server for many. All SQL of afterword is in this crate.

#![warn(missing_docs)]

pub mod contract;
mod error;
pub mod postgres;
mod rules;
pub mod sqlite;

pub use contract::Store;
pub use error::{Error, Result};
