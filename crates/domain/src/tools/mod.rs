//! Tools as agents and the observer's callers name them: their kinds, the files and commands they
//! name, and what of their answers is worth keeping.
//!
//! `class` knows tools by families of names, `paths` finds the files of a call, `describe` puts a
//! tool use together.

mod class;
mod describe;
mod paths;
#[cfg(test)]
mod tests;

pub use class::class_of;
pub use describe::{describe, files_of, is_our_own};
