//! Memories on purpose: told by people and models, and kept for owners who add, find, list, change
//! and delete them.
//!
//! `remember` is what people and models say. The others are the memory door's: `add` takes messages
//! and gives a receipt, `background` works off what is to be inferred, `find` and `list` read,
//! `change` changes and deletes. Whose memories are meant is said by an
//! [`Owner`](afterword_domain::owner::Owner) where they are made and by a
//! [`Filter`](afterword_domain::filter::Filter) where they are looked for.

mod add;
mod background;
mod change;
mod find;
mod list;
mod receipt;
mod remember;
#[cfg(test)]
mod tests;
mod whose;

pub use add::{AddMemories, receipt_id};
pub use afterword_store::contract::{Change, Feedback, HistoryEntry, ReceiptStatus};
pub use change::{MemoryChange, OwnerPattern};
pub use find::{FindMemories, FoundMemory, MAX_FOUND};
pub use list::{KnownOwner, ListMemories, Listed, MAX_PAGE, Page};
pub use receipt::{Receipt, Receipted};

pub(crate) use background::Adding;
pub(crate) use change::refuse_immutable;
pub(crate) use remember::{TITLE_CHARS, told_text};
pub(crate) use whose::{owner_in, text_key};
