//! What every provider promises: one question, one answer, and what it cost.

use async_trait::async_trait;

use super::estimate::token_bound;
use super::refusal::Refusal;

/// Whatever a provider puts around a question: roles, formats, special tokens.
const ENVELOPE_TOKENS: u64 = 64;

/// Runs a language model.
///
/// An implementation asks exactly once a call: it neither retries nor splits, so that whoever
/// counts tokens can count calls. It sends what it is given and nothing else of this machine.
#[async_trait]
pub trait Provider: Send + Sync + std::fmt::Debug {
    /// `anthropic`, `openai`, `gemini` or `claude-cli`.
    fn name(&self) -> &str;

    /// The model that is asked for, as the provider spells it.
    fn model(&self) -> &str;

    /// The most input tokens that this question can cost now, for a reservation before it is asked:
    /// never lower than what is charged. A provider that sends more than the question counts that too.
    fn input_bound(&self, ask: &Ask) -> u64 {
        ENVELOPE_TOKENS + token_bound(&ask.system) + token_bound(&ask.prompt)
    }

    /// Asks once, within the provider's time limit.
    ///
    /// Errors say by their [kind](super::RefusalKind) what is to be done, and whether the call
    /// [may have cost](Refusal::may_cost) something. Dropping the future gives the call up.
    async fn complete(&self, ask: &Ask) -> Result<Answer, Refusal>;

    /// Lets go of what the provider holds, and returns when it is gone: a child process ends. A later
    /// question starts anew.
    async fn close(&self) {}
}

/// One question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// The role of the model; the same text every time is cheaper with most providers.
    pub system: String,
    /// What is asked.
    pub prompt: String,
    /// Where the answer is cut, in tokens; thinking counts too.
    pub max_output_tokens: u32,
}

/// What the model said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text, without thinking; never only white space.
    pub text: String,
    /// What the provider says it cost; none where it does not say.
    pub usage: Option<Usage>,
    /// The answer met its limit and is not whole.
    pub cut: bool,
}

/// Tokens of one call, each counted in one field only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Usage {
    /// Input that was neither read from nor written to a cache.
    pub input_tokens: u64,
    /// The answer, thinking included.
    pub output_tokens: u64,
    /// Input that the provider had in its cache.
    pub cache_read_tokens: u64,
    /// Input that the provider put into its cache.
    pub cache_write_tokens: u64,
}

impl Usage {
    /// Everything that went in.
    pub const fn input_total(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_read_tokens)
            .saturating_add(self.cache_write_tokens)
    }

    /// Everything.
    pub const fn total(&self) -> u64 {
        self.input_total().saturating_add(self.output_tokens)
    }
}
