//! Providers: whoever runs a language model for us.
//!
//! [`Provider`] is the contract, [`Refusal`] everything that can come instead of an answer.
//! Nothing here retries, counts or remembers: one call of [`Provider::complete`] is one question.

mod contract;
mod estimate;
mod refusal;

pub use contract::{Answer, Ask, Provider, Usage};
pub use estimate::{estimate_tokens, token_bound};
pub use refusal::{Refusal, RefusalKind};
