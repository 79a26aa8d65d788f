//! A session as Claude Code writes it down, read back into the hook payloads that it came with.

use std::collections::HashMap;
use std::path::Path;

use afterword_domain::Time;
use serde_json::{Value, json};

/// One call of a hook.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) at: Time,
    pub(crate) payload: Value,
}

/// A recorded session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) calls: Vec<Call>,
    tools: HashMap<String, (Value, Value)>,
    said: Option<String>,
    in_turn: bool,
}

impl Recorded {
    /// Reads a transcript; what sub-agents did is in files of their own and left out.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut recorded = Self::default();
        let mut last = Time::default();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let aside = |name: &str| line[name].as_bool().unwrap_or(false);
            if aside("isSidechain") || aside("isMeta") {
                continue;
            }
            if let Some(at) = line["timestamp"].as_str().and_then(|text| text.parse().ok()) {
                last = at;
            }
            recorded.line(&line, last);
        }
        recorded.stop(last);
        recorded.add(last, json!({ "hook_event_name": "SessionEnd", "reason": "other" }));
        if recorded.tool_calls() == 0 { Err("no tool calls".to_owned()) } else { Ok(recorded) }
    }

    pub(crate) fn tool_calls(&self) -> u64 {
        self.of("PostToolUse").count() as u64
    }

    pub(crate) fn turns(&self) -> usize {
        self.of("UserPromptSubmit").count()
    }

    /// Payloads whose event's name begins so.
    pub(crate) fn of<'a>(&'a self, event: &'a str) -> impl Iterator<Item = &'a Value> {
        let named = move |payload: &&Value| {
            payload["hook_event_name"].as_str().is_some_and(|name| name.starts_with(event))
        };
        self.calls.iter().map(|call| &call.payload).filter(named)
    }

    fn line(&mut self, line: &Value, at: Time) {
        let content = &line["message"]["content"];
        if line["type"] == "user"
            && let Some(prompt) = content.as_str()
        {
            self.prompt(prompt, line, at);
        }
        for block in content.as_array().into_iter().flatten() {
            match (line["type"].as_str(), block["type"].as_str()) {
                (Some("assistant"), Some("tool_use")) => {
                    let id = block["id"].as_str().unwrap_or_default().to_owned();
                    self.tools.insert(id, (block["name"].clone(), block["input"].clone()));
                }
                (Some("assistant"), Some("text")) => {
                    self.said = block["text"].as_str().map(str::to_owned);
                }
                (Some("user"), Some("text")) => {
                    self.prompt(block["text"].as_str().unwrap_or_default(), line, at);
                }
                (Some("user"), Some("tool_result")) => self.result(line, block, at),
                _ => {}
            }
        }
    }

    fn prompt(&mut self, prompt: &str, line: &Value, at: Time) {
        // What the program itself puts in stands in angle brackets or is a notice of a compaction.
        if prompt.trim().is_empty()
            || prompt.starts_with('<')
            || line["isCompactSummary"].as_bool().unwrap_or(false)
        {
            return;
        }
        self.stop(at);
        self.in_turn = true;
        self.add(at, json!({ "hook_event_name": "UserPromptSubmit", "prompt": prompt }));
    }

    fn result(&mut self, line: &Value, block: &Value, at: Time) {
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        let Some((name, input)) = self.tools.remove(id) else { return };
        let mut payload = json!({ "tool_name": name, "tool_input": input, "tool_use_id": id });
        if block["is_error"].as_bool().unwrap_or(false) {
            payload["hook_event_name"] = "PostToolUseFailure".into();
            payload["error"] = text_of(&block["content"]).into();
        } else {
            payload["hook_event_name"] = "PostToolUse".into();
            let full = &line["toolUseResult"];
            payload["tool_response"] =
                if full.is_null() { text_of(&block["content"]).into() } else { full.clone() };
        }
        self.add(at, payload);
    }

    fn stop(&mut self, at: Time) {
        if std::mem::take(&mut self.in_turn) {
            let said = self.said.take();
            self.add(at, json!({ "hook_event_name": "Stop", "last_assistant_message": said }));
        }
    }

    fn add(&mut self, at: Time, mut payload: Value) {
        payload["session_id"] = "recorded".into();
        payload["cwd"] = "/home/dev/recorded".into();
        self.calls.push(Call { at, payload });
    }
}

fn text_of(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    content.as_str().map_or_else(|| texts.join("\n"), str::to_owned)
}
