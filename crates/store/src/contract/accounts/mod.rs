//! Accounts of a team server: organisations, members, tokens, and who did what.

mod keep;
mod nouns;

pub use keep::AccountStore;
pub use nouns::{Admission, IssuedToken, Organisation, TenantId};
