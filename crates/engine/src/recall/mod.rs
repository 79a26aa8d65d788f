//! Finding rows again, and the block a session starts with.
//!
//! [`search`] answers a question with rows and one documented score; [`context`] makes the block
//! that a session starts with; [`prompt_recall`] adds the few rows that answer a prompt, or nothing;
//! [`file_recall`] tells what is known of a file before it is touched. What ranks and what renders is
//! pure: only these doors read the store. [`highlight`] marks what matched.

mod context;
mod file;
mod given;
mod highlight;
mod index;
mod narrow;
mod newest;
mod owned;
mod prompt;
mod rank;
mod row_text;
mod search;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use context::Claim;
pub(crate) use context::PROGRAM;
pub(crate) use context::explained;
pub use context::{ContextRequest, context};
pub use file::{FileAsked, file_recall};
pub use highlight::highlight;
pub(crate) use owned::{OwnedQuestion, owned_memories};
pub use prompt::prompt_recall;
pub use row_text::RowText;
pub use search::{DEFAULT_LIMIT, MAX_LIMIT, MEANT_BYTES, NEAREST, search};
pub(crate) use search::{by_meaning, memories_like, names_a_date};
