//! What the model says, and which part of it is due.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

/// The summary that a compaction gets.
pub(super) const SUMMARY: &str = "<analysis>Nothing to weigh.</analysis>\n\
    <summary>STUB-SUMMARY: the conversation so far.</summary>";

/// The answer to a prompt that names no script.
const PLAIN: &str = "STUB-ANSWER.";

/// Parts of the client's own prompt for a compaction.
const COMPACTION: [&str; 2] = ["create a detailed summary", "detailed summary of the conversation"];

/// One answer of the model: blocks in order.
#[derive(Clone, Default)]
pub struct Turn {
    pub(super) blocks: Vec<Block>,
    before: Option<Arc<dyn Fn() + Send + Sync>>,
}

/// A block of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    Text(String),
    Thinking(String),
    Tool { name: String, input: Value },
}

impl Turn {
    /// A turn that says something.
    pub fn text(text: &str) -> Self {
        Self::default().and_text(text)
    }

    /// A turn that uses a tool.
    pub fn tool(name: &str, input: &Value) -> Self {
        Self::default().and_tool(name, input)
    }

    /// Adds text.
    #[must_use]
    pub fn and_text(mut self, text: &str) -> Self {
        self.blocks.push(Block::Text(text.to_owned()));
        self
    }

    /// Adds thinking.
    #[must_use]
    pub fn and_thinking(mut self, text: &str) -> Self {
        self.blocks.push(Block::Thinking(text.to_owned()));
        self
    }

    /// Adds the use of a tool.
    #[must_use]
    pub fn and_tool(mut self, name: &str, input: &Value) -> Self {
        self.blocks.push(Block::Tool { name: name.to_owned(), input: input.clone() });
        self
    }

    /// Does something when this turn is due, before it is answered: the client waits meanwhile,
    /// so a test can change the world at an exact point of a conversation.
    #[must_use]
    pub fn after(mut self, act: impl Fn() + Send + Sync + 'static) -> Self {
        self.before = Some(Arc::new(act));
        self
    }

    /// Runs what was set with [`Self::after`].
    pub(super) fn prepare(&self) {
        if let Some(act) = &self.before {
            act();
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blocks, before } = self;
        f.debug_struct("Turn").field("blocks", blocks).field("acts", &before.is_some()).finish()
    }
}

/// What is due for a request: the name of the script, the step, and the turn.
pub(super) fn choose(
    scripts: &HashMap<String, Vec<Turn>>,
    request: &Value,
) -> (String, usize, Turn) {
    let empty = Vec::new();
    let messages = request["messages"].as_array().unwrap_or(&empty);
    let newest = messages
        .iter()
        .rev()
        .filter(|m| m["role"] == "user")
        .find_map(|m| typed(&m["content"]).into_iter().next_back());
    if newest.is_some_and(|text| is_compaction(&text)) {
        return ("(compaction)".to_owned(), 0, Turn::text(SUMMARY));
    }
    let marked = messages
        .iter()
        .enumerate()
        .filter(|(_, m)| m["role"] == "user")
        .flat_map(|(at, m)| typed(&m["content"]).into_iter().map(move |text| (at, text)))
        .filter_map(|(at, text)| Some((at, last_marker(&text)?)))
        .next_back();
    let Some((at, name)) = marked else {
        return ("(none)".to_owned(), 0, Turn::text(PLAIN));
    };
    let step = messages[at + 1..].iter().filter(|m| m["role"] == "assistant").count();
    let turn = match scripts.get(&name) {
        Some(turns) => turns.get(step).cloned().unwrap_or_else(|| Turn::text("STUB-DONE.")),
        None => Turn::text(&format!("STUB-ERROR: there is no script {name}.")),
    };
    (name, step, turn)
}

/// The texts of a message that somebody typed: what the client adds to it is left out, because it
/// may quote prompts, and markers, of earlier sessions.
fn typed(content: &Value) -> Vec<String> {
    let texts = match content {
        Value::String(text) => vec![text.as_str()],
        Value::Array(blocks) => blocks.iter().filter_map(|b| b["text"].as_str()).collect(),
        _ => Vec::new(),
    };
    texts
        .into_iter()
        .filter(|text| !text.trim_start().starts_with("<system-reminder>"))
        .map(str::to_owned)
        .collect()
}

fn is_compaction(text: &str) -> bool {
    let text = text.to_lowercase();
    COMPACTION.iter().any(|part| text.contains(part))
}

fn last_marker(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once("[[script:")?;
    Some(rest.split_once("]]")?.0.to_owned())
}

impl Block {
    /// The block as the API gives it whole; `number` makes the ids of tool uses unique.
    pub(super) fn json(&self, number: usize) -> Value {
        match self {
            Self::Text(text) => json!({"type": "text", "text": text}),
            Self::Thinking(text) => {
                json!({"type": "thinking", "thinking": text, "signature": "c3R1Yg=="})
            }
            Self::Tool { name, input } => {
                json!({"type": "tool_use", "id": format!("toolu_{number:024x}"), "name": name,
                       "input": input})
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts() -> HashMap<String, Vec<Turn>> {
        let turns = vec![Turn::text("one"), Turn::text("two")];
        HashMap::from([("work".to_owned(), turns)])
    }

    fn due(messages: &Value) -> (String, usize, Vec<Block>) {
        let (name, step, turn) = choose(&scripts(), &json!({"messages": messages}));
        (name, step, turn.blocks)
    }

    #[test]
    fn the_step_counts_answers_since_the_marker() {
        let start = json!([
            {"role": "user", "content": "earlier"},
            {"role": "assistant", "content": "hm"},
            {"role": "user", "content": [{"type": "text", "text": "go [[script:work]]"}]},
        ]);
        assert_eq!(due(&start), ("work".into(), 0, vec![Block::Text("one".into())]));
        let mut later = start;
        later.as_array_mut().unwrap().extend([
            json!({"role": "assistant", "content": [{"type": "tool_use"}]}),
            json!({"role": "user", "content": [{"type": "tool_result"}]}),
        ]);
        assert_eq!(due(&later), ("work".into(), 1, vec![Block::Text("two".into())]));
    }

    #[test]
    fn markers_that_the_client_quotes_do_not_count() {
        let quoted = json!([{"role": "user", "content": [
            {"type": "text", "text": "<system-reminder>\nonce: [[script:work]]</system-reminder>"},
            {"type": "text", "text": "hello"},
        ]}, {"role": "system", "content": "once: [[script:work]]"}]);
        assert_eq!(due(&quoted), ("(none)".into(), 0, vec![Block::Text(PLAIN.into())]));
    }

    #[test]
    fn a_compaction_gets_the_summary_whatever_was_scripted() {
        let asked = json!([
            {"role": "user", "content": "go [[script:work]]"},
            {"role": "assistant", "content": "one"},
            {"role": "user", "content": "Your task is to create a detailed summary of it."},
        ]);
        assert_eq!(due(&asked), ("(compaction)".into(), 0, vec![Block::Text(SUMMARY.into())]));
    }

    #[test]
    fn a_name_without_a_script_says_so() {
        let (_, _, blocks) = due(&json!([{"role": "user", "content": "[[script:nope]]"}]));
        assert_eq!(blocks, [Block::Text("STUB-ERROR: there is no script nope.".into())]);
    }
}
