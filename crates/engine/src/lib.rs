//! The rules of afterword: what is taken in, how it is distilled, what is given back.
//!
//! Knows the store by its contract and the nouns of `domain`; knows nothing of HTTP, of agents or
//! of the environment. [`Engine`] is the one door; the folders behind it are the three verbs.

#![warn(missing_docs)]

pub mod analyze;
mod browse;
mod damage;
pub mod distill;
pub mod embed;
mod engine;
mod error;
pub mod eval;
pub mod health;
mod http;
pub mod infer;
mod intake;
pub mod ledger;
mod live;
pub mod memories;
mod model_worker;
pub mod observer;
mod portable;
pub mod provider;
pub mod recall;
mod retention;
#[cfg(test)]
mod testing;
mod timeline;
pub mod vectors;
mod worker;

pub use engine::{Engine, Extras, NoModel, Program, Settings};
pub use error::{Error, Result};
pub use intake::Asked;
pub use live::{Follower, LiveEvent, Place};
pub use retention::Retention;
