//! The rules of afterword: what is taken in, how it is distilled, what is given back.
//!
//! Knows the store by its contract and the nouns of `domain`; knows nothing of HTTP, of agents or
//! of the environment.

#![warn(missing_docs)]

pub mod analyze;
pub mod distill;
pub mod recall;
