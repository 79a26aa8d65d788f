//! Of two statements about the same thing the newer one holds.
//!
//! A statement is taken apart by its verb: whose it is, what is used or is so, what for. Two are
//! about the same only when these parts agree and something says that the value changed: a cue in
//! the newer one (`now`, `no longer`, `改用`), the old value named as given up (`instead of npm`),
//! the two values being well known for excluding each other, or the same words with the opposite
//! sense. Anything less sure leaves both.

mod amount;
mod claim;
mod words;

pub(crate) use claim::{Claim, superseded};
