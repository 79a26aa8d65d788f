//! Chat completions, of OpenAI and of every server that speaks as it does, by its address. Protocol: `platform.openai.com/docs/api-reference/chat`.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::call::Caller;
use super::{answer, count, declined, model, need_key, no_api, unusable};
use crate::provider::contract::{Answer, Ask, Provider, Usage};
use crate::provider::refusal::Refusal;
use crate::provider::settings::ProviderSettings;

/// The host that names the limit of an answer in a way of its own, and always wants a key.
const OPENAI: &str = "api.openai.com";

/// Any server of chat completions.
#[derive(Debug)]
pub(in crate::provider) struct OpenAi {
    caller: Caller,
    model: String,
    /// The limit is called `max_completion_tokens`, not `max_tokens`.
    new_limit: AtomicBool,
    /// The model thinks first unless it is told not to.
    thinks: AtomicBool,
}

/// The names of models that think first, and whose thinking would take the room of the answer.
const THINKERS: [&str; 2] = ["gpt-6", "gpt-5."];

/// The field that tells a model not to think.
const EFFORT: &str = "reasoning_effort";

impl OpenAi {
    pub(in crate::provider) fn open(settings: &ProviderSettings) -> Result<Self, Refusal> {
        let caller = Caller::open(settings, "authorization", "Bearer ")?;
        let at_home = caller.address.host_is(OPENAI);
        if at_home {
            need_key(settings)?;
        }
        let model = model(settings)?;
        let short = model.rsplit('/').next().unwrap_or_default();
        let thinks = THINKERS.iter().any(|name| short.starts_with(name));
        let (new_limit, thinks) = (AtomicBool::new(at_home), AtomicBool::new(thinks));
        Ok(Self { caller, model, new_limit, thinks })
    }

    async fn ask(&self, ask: &Ask, new_limit: bool) -> Result<Value, Refusal> {
        let mut messages = vec![json!({"role": "user", "content": ask.prompt})];
        if !ask.system.is_empty() {
            messages.insert(0, json!({"role": "system", "content": ask.system}));
        }
        let mut body = json!({"model": self.model, "messages": messages, "stream": false});
        body[limit_name(new_limit)] = ask.max_output_tokens.into();
        if self.thinks.load(Ordering::Relaxed) {
            body[EFFORT] = "none".into();
        }
        let url = self.caller.address.endpoint("v1", "chat/completions");
        self.caller.post(url, &self.model, &body).await
    }
}

const fn limit_name(new: bool) -> &'static str {
    if new { "max_completion_tokens" } else { "max_tokens" }
}

#[async_trait]
impl Provider for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn model(&self) -> &str {
        &self.model
    }

    /// A request that was turned away for the name of its limit, or for being told not to think, is sent
    /// once more without that, and without both where both were named: nothing ran, so nothing was
    /// spent. What helped is kept.
    async fn complete(&self, ask: &Ask) -> Result<Answer, Refusal> {
        let known = self.new_limit.load(Ordering::Relaxed);
        let mut new = known;
        let body = loop {
            let refusal = match self.ask(ask, new).await {
                Ok(body) => break body,
                Err(refusal) => refusal,
            };
            let names = |what: &str| {
                matches!(refusal.status, Some(400 | 422)) && refusal.message.contains(what)
            };
            let hushed = names(EFFORT) && self.thinks.swap(false, Ordering::Relaxed);
            if !hushed {
                if new != known || !names(limit_name(new)) {
                    return Err(refusal);
                }
                new = !new;
            }
        };
        self.new_limit.store(new, Ordering::Relaxed);
        read(&body)
    }
}

fn read(body: &Value) -> Result<Answer, Refusal> {
    let usage = usage(&body["usage"]);
    no_api(body, usage, &["choices"])?;
    let choice = &body["choices"][0];
    let message = &choice["message"];
    if !message.is_object() {
        return Err(unusable("the answer has no choices with a message", usage));
    }
    let finish = choice["finish_reason"].as_str().unwrap_or_default();
    if finish == "content_filter" {
        return Err(declined(finish, usage));
    }
    let text = match &message["content"] {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        content => content.as_str().unwrap_or_default().to_owned(),
    };
    if text.trim().is_empty() && message["refusal"].as_str().is_some_and(|r| !r.is_empty()) {
        return Err(declined("refusal", usage));
    }
    answer(without_thinking(&text), usage, finish == "length")
}

/// The text behind the thinking that local servers leave in it. Thinking that never ended is all
/// there is.
fn without_thinking(text: &str) -> &str {
    match text.trim_start().strip_prefix("<think>") {
        Some(rest) => rest.split_once("</think>").map_or("", |(_, said)| said.trim_start()),
        None => text,
    }
}

/// Servers differ in whether the answer's count holds its thinking; the total always does.
fn usage(block: &Value) -> Option<Usage> {
    let prompt = count(&block["prompt_tokens"]);
    let details = &block["prompt_tokens_details"];
    let cached =
        count(&details["cached_tokens"]).max(count(&block["prompt_cache_hit_tokens"])).min(prompt);
    let said = count(&block["completion_tokens"]);
    let usage = Usage {
        input_tokens: prompt - cached,
        output_tokens: said.max(count(&block["total_tokens"]).saturating_sub(prompt)),
        cache_read_tokens: cached,
        cache_write_tokens: 0,
    };
    (prompt > 0).then_some(usage)
}
