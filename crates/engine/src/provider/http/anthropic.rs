//! Anthropic Messages, not streamed. Protocol: `docs.anthropic.com/en/api/messages`.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::call::Caller;
use super::{answer, count, declined, model, need_key, no_api, unusable};
use crate::provider::contract::{Answer, Ask, Provider, Usage};
use crate::provider::refusal::Refusal;
use crate::provider::settings::ProviderSettings;

/// The version of the protocol that is spoken.
const VERSION: &str = "2023-06-01";

/// The API of Anthropic, or of whoever speaks it.
#[derive(Debug)]
pub(in crate::provider) struct Anthropic {
    caller: Caller,
    model: String,
}

impl Anthropic {
    pub(in crate::provider) fn open(settings: &ProviderSettings) -> Result<Self, Refusal> {
        need_key(settings)?;
        let caller = Caller::open(settings, "x-api-key", "")?;
        let caller = caller.with_header("anthropic-version", VERSION);
        Ok(Self { caller, model: model(settings)? })
    }
}

#[async_trait]
impl Provider for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn model(&self) -> &str {
        &self.model
    }

    async fn complete(&self, ask: &Ask) -> Result<Answer, Refusal> {
        let mut body = json!({
            "model": self.model,
            "max_tokens": ask.max_output_tokens,
            "messages": [{"role": "user", "content": ask.prompt}],
        });
        if !ask.system.is_empty() {
            body["system"] = ask.system.as_str().into();
        }
        let url = self.caller.address.endpoint("v1", "messages");
        read(&self.caller.post(url, &self.model, &body).await?)
    }
}

fn read(body: &Value) -> Result<Answer, Refusal> {
    let usage = usage(&body["usage"]);
    no_api(body, usage, &["content", "stop_reason"])?;
    let Some(blocks) = body["content"].as_array() else {
        return Err(unusable("the answer is no message of the Messages API", usage));
    };
    let text: String = blocks
        .iter()
        .filter(|block| block["type"] == "text")
        .filter_map(|block| block["text"].as_str())
        .collect();
    let stop = body["stop_reason"].as_str().unwrap_or_default();
    if stop == "refusal" {
        return Err(declined("refusal", usage));
    }
    answer(&text, usage, matches!(stop, "max_tokens" | "model_context_window_exceeded"))
}

/// The usage block that the Messages API and Claude Code share. Nothing is asked with no input at
/// all, so a block of zeros says nothing.
pub(in crate::provider) fn usage(block: &Value) -> Option<Usage> {
    let usage = Usage {
        input_tokens: count(&block["input_tokens"]),
        output_tokens: count(&block["output_tokens"]),
        cache_read_tokens: count(&block["cache_read_input_tokens"]),
        cache_write_tokens: count(&block["cache_creation_input_tokens"]),
    };
    (usage.input_total() > 0).then_some(usage)
}
