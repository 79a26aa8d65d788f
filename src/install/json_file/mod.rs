//! Lossless edits of JSON with comments: only the bytes of the changed member are touched.
//!
//! A text is read into a tree of places ([`tree`]); an edit ([`edit`]) puts in or takes out bytes
//! at such a place and reads the text again. Comments, key order, indentation, line ends, trailing
//! commas and a byte order mark of everything else stay as they are.

pub mod edit;
pub mod tree;
pub mod value;

pub use tree::{Broken, Document, Kind, Node, Property};
pub use value::Json;

#[cfg(test)]
pub(super) mod sample;
#[cfg(test)]
mod tests;
