//! From settings to a provider.

use std::sync::Arc;

use super::claude_cli::ClaudeCli;
use super::contract::Provider;
use super::http::{Anthropic, Gemini, OpenAi};
use super::refusal::Refusal;
use super::settings::{ProviderKind, ProviderSettings};

/// The provider that the settings describe. Sends nothing and starts nothing.
///
/// Errors are what can be seen without asking: no key, no such program, an address that is none.
pub fn open(settings: &ProviderSettings) -> Result<Arc<dyn Provider>, Refusal> {
    Ok(match settings.kind {
        ProviderKind::Anthropic => Arc::new(Anthropic::open(settings)?),
        ProviderKind::OpenAi => Arc::new(OpenAi::open(settings)?),
        ProviderKind::Gemini => Arc::new(Gemini::open(settings)?),
        ProviderKind::ClaudeCli => Arc::new(ClaudeCli::open(settings)?),
    })
}
