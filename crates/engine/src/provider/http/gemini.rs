//! Gemini `generateContent`. Protocol: `ai.google.dev/api/generate-content`.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::call::Caller;
use super::{answer, count, declined, model, need_key, no_api, unusable};
use crate::provider::contract::{Answer, Ask, Provider, Usage};
use crate::provider::refusal::Refusal;
use crate::provider::settings::ProviderSettings;

/// The API of Gemini.
#[derive(Debug)]
pub(in crate::provider) struct Gemini {
    caller: Caller,
    model: String,
}

impl Gemini {
    pub(in crate::provider) fn open(settings: &ProviderSettings) -> Result<Self, Refusal> {
        need_key(settings)?;
        // In a header: addresses end up in logs.
        let caller = Caller::open(settings, "x-goog-api-key", "")?;
        let model = model(settings)?;
        Ok(Self { caller, model: model.trim_start_matches("models/").to_owned() })
    }
}

#[async_trait]
impl Provider for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn model(&self) -> &str {
        &self.model
    }

    async fn complete(&self, ask: &Ask) -> Result<Answer, Refusal> {
        let mut body = json!({
            "contents": [{"role": "user", "parts": [{"text": ask.prompt}]}],
            "generationConfig": {"maxOutputTokens": ask.max_output_tokens},
        });
        if !ask.system.is_empty() {
            body["systemInstruction"] = json!({"parts": [{"text": ask.system}]});
        }
        let endpoint = format!("models/{}:generateContent", self.model);
        let url = self.caller.address.endpoint("v1beta", &endpoint);
        read(&self.caller.post(url, &self.model, &body).await?)
    }
}

fn read(body: &Value) -> Result<Answer, Refusal> {
    let usage = usage(&body["usageMetadata"]);
    no_api(body, usage, &["candidates", "promptFeedback"])?;
    if let Some(why) = body["promptFeedback"]["blockReason"].as_str() {
        return Err(declined(why, usage));
    }
    let candidate = &body["candidates"][0];
    if !candidate.is_object() {
        return Err(unusable("the answer has no candidates", usage));
    }
    let parts = candidate["content"]["parts"].as_array();
    let text: String = parts
        .into_iter()
        .flatten()
        .filter(|part| part["thought"] != true)
        .filter_map(|part| part["text"].as_str())
        .collect();
    match candidate["finishReason"].as_str().unwrap_or("STOP") {
        why @ ("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "LANGUAGE") => Err(declined(why, usage)),
        why => answer(&text, usage, why == "MAX_TOKENS"),
    }
}

fn usage(block: &Value) -> Option<Usage> {
    let prompt = count(&block["promptTokenCount"]);
    let cached = count(&block["cachedContentTokenCount"]).min(prompt);
    let said = count(&block["candidatesTokenCount"]);
    let usage = Usage {
        input_tokens: prompt - cached,
        output_tokens: said.saturating_add(count(&block["thoughtsTokenCount"])),
        cache_read_tokens: cached,
        cache_write_tokens: 0,
    };
    (prompt > 0).then_some(usage)
}
