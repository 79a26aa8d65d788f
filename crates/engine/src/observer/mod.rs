//! What viewers and integrations of the five-stage observer ask for: pages of rows, rows by their
//! keys, searches with the observer's filters, tool uses, sessions, projects, corpora.
//!
//! Everything is found as it is found for other doors; here it is put into the observer's words.

mod corpora;
mod find;
mod pages;
mod rows;
mod tool_uses;

pub use find::{ObserverFound, ObserverQuestion, Order};
pub use pages::PageRequest;
pub use rows::ObserverRow;
pub use tool_uses::ToolUsesAsked;
