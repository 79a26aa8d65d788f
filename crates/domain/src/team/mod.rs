//! The people of a team server: what they may do, and what they are called.

mod name;
mod role;

pub use name::{NAME_CHARS, account_name};
pub use role::{BadRole, Role};
