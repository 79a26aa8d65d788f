//! The nouns of afterword: plain data and pure rules, no I/O of any kind.
//!
//! Everything here may be used by the hook (which has no runtime and no database) and by the team
//! server alike. What reads a clock, a file or a socket lives elsewhere and hands its values in.

#![warn(missing_docs)]

pub mod boundary;
#[cfg(any(test, feature = "cost"))]
pub mod cost;
pub mod event;
pub mod ids;
mod ledger;
pub mod privacy;
pub mod project;
pub mod quote;
pub mod repair;
pub mod reply;
pub mod rows;
#[cfg(feature = "schema")]
mod schema;
pub mod scope;
mod secret;
pub mod session;
pub mod team;
pub mod text;
pub mod time;
pub mod tools;
pub mod wire;

pub use ids::{Kind, PublicId};
pub use ledger::{amounts, day};
pub use rows::{filter, memory, observation, owner, prompt, snapshot, summary};
pub use secret::{Secret, proof};
pub use time::{Clock, Time};

#[cfg(test)]
mod trial;
