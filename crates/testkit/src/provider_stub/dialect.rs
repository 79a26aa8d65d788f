//! The same answer in three dialects.

use serde_json::{Value, json};

use super::reply::{End, Tokens};
use crate::model_stub::reply as messages;

/// A way to ask for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Anthropic,
    OpenAi,
    Gemini,
}

impl Dialect {
    /// The dialect that a path belongs to.
    pub(super) fn of(path: &str) -> Option<Self> {
        if path.ends_with("/v1/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/chat/completions") {
            Some(Self::OpenAi)
        } else if path.ends_with(":generateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    /// A message of the model: content type and body.
    pub(super) fn message(
        self,
        asked: &Value,
        said: (&str, &str, End),
        tokens: Option<Tokens>,
        number: usize,
    ) -> (&'static str, String) {
        let body = match self {
            Self::Anthropic => anthropic(asked, said, tokens, number),
            Self::OpenAi => openai(asked, said, tokens, number),
            Self::Gemini => gemini(said, tokens),
        };
        if self == Self::Anthropic && asked["stream"] == true {
            return ("text/event-stream", messages::stream(&body));
        }
        ("application/json", body.to_string())
    }

    /// An error body.
    pub(super) fn error(self, status: u16, code: &str, message: &str) -> String {
        let body = match self {
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": code, "message": message}})
            }
            Self::OpenAi => json!({"error": {"message": message, "type": code, "code": code}}),
            Self::Gemini => {
                json!({"error": {"code": status, "message": message, "status": code}})
            }
        };
        body.to_string()
    }
}

fn anthropic(
    asked: &Value,
    (text, thinking, end): (&str, &str, End),
    tokens: Option<Tokens>,
    number: usize,
) -> Value {
    let mut content = Vec::new();
    if !thinking.is_empty() {
        content.push(json!({"type": "thinking", "thinking": thinking, "signature": "s"}));
    }
    if !text.is_empty() {
        content.push(json!({"type": "text", "text": text}));
    }
    let mut body = json!({
        "id": format!("msg_{number:024x}"), "type": "message", "role": "assistant",
        "model": asked["model"], "content": content, "stop_sequence": null,
        "stop_reason": match end {
            End::Whole => "end_turn",
            End::Cut => "max_tokens",
            End::Refused => "refusal",
        },
    });
    if let Some(tokens) = tokens {
        body["usage"] = json!({
            "input_tokens": tokens.input - tokens.cached, "output_tokens": tokens.output,
            "cache_read_input_tokens": tokens.cached, "cache_creation_input_tokens": 0,
        });
    }
    body
}

fn openai(
    asked: &Value,
    (text, thinking, end): (&str, &str, End),
    tokens: Option<Tokens>,
    number: usize,
) -> Value {
    let mut message = json!({"role": "assistant", "content": text});
    if !thinking.is_empty() {
        message["reasoning_content"] = thinking.into();
    }
    if end == End::Refused {
        message["content"] = Value::Null;
        message["refusal"] = "I cannot help with that.".into();
    }
    let mut body = json!({
        "id": format!("chatcmpl-{number}"), "object": "chat.completion", "model": asked["model"],
        "choices": [{"index": 0, "message": message,
                     "finish_reason": if end == End::Cut { "length" } else { "stop" }}],
    });
    if let Some(tokens) = tokens {
        body["usage"] = json!({
            "prompt_tokens": tokens.input, "completion_tokens": tokens.output,
            "total_tokens": tokens.input + tokens.output,
            "prompt_tokens_details": {"cached_tokens": tokens.cached},
        });
    }
    body
}

fn gemini((text, thinking, end): (&str, &str, End), tokens: Option<Tokens>) -> Value {
    let mut parts = vec![json!({"text": text})];
    if !thinking.is_empty() {
        parts.insert(0, json!({"text": thinking, "thought": true}));
    }
    let finish = match end {
        End::Whole => "STOP",
        End::Cut => "MAX_TOKENS",
        End::Refused => "SAFETY",
    };
    let mut candidate = json!({"finishReason": finish, "index": 0});
    if end != End::Refused {
        candidate["content"] = json!({"role": "model", "parts": parts});
    }
    let mut body = json!({"candidates": [candidate]});
    if let Some(tokens) = tokens {
        body["usageMetadata"] = json!({
            "promptTokenCount": tokens.input, "candidatesTokenCount": tokens.output,
            "cachedContentTokenCount": tokens.cached,
            "totalTokenCount": tokens.input + tokens.output,
        });
    }
    body
}
