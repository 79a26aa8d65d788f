//! Providers: whoever runs a language model for us.
//!
//! [`Provider`] is the contract, [`Refusal`] everything that can come instead of an answer, [`open()`]
//! makes a provider of [`ProviderSettings`], and [`Prices`] says what tokens cost. Nothing here
//! retries, counts or remembers: one call of [`Provider::complete`] is one question.

mod claude_cli;
mod contract;
mod estimate;
mod http;
mod open;
mod prices;
mod refusal;
mod settings;

pub use contract::{Answer, Ask, Provider, Usage};
pub use estimate::{estimate_tokens, token_bound};
pub use open::open;
pub use prices::{Price, Prices};
pub use refusal::{Refusal, RefusalKind};
pub use settings::{ClaudeSettings, ProviderKind, ProviderSettings};

#[cfg(test)]
mod tests;
