//! What was asked of the model, and finding a text in it.

use serde_json::Value;

/// One request of the client to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Counted from 1 over the life of the stub.
    pub number: usize,
    /// Name of the script that answered it; `(none)` and `(compaction)` are the stub's own.
    pub script: String,
    /// Which turn of the script, counted from 0.
    pub step: usize,
    /// The body as it came.
    pub body: Value,
}

/// A place where a text reached the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The request, counted from 1.
    pub request: usize,
    /// `system[0]`, or `messages[1] role=system block[0] type=text`.
    pub place: String,
    /// The whole text of the block; JSON for blocks that are no text.
    pub text: String,
}

impl Request {
    /// Every text that this request carries, with its place.
    pub fn texts(&self) -> Vec<Sighting> {
        let mut found = Vec::new();
        let mut add = |place: String, text: String| {
            found.push(Sighting { request: self.number, place, text });
        };
        for (at, block) in blocks(&self.body["system"]).iter().enumerate() {
            add(format!("system[{at}]"), text_of(block));
        }
        let messages = self.body["messages"].as_array();
        for (number, message) in messages.into_iter().flatten().enumerate() {
            let role = message["role"].as_str().unwrap_or("?");
            for (at, block) in blocks(&message["content"]).iter().enumerate() {
                let kind = block["type"].as_str().unwrap_or("text");
                add(
                    format!("messages[{number}] role={role} block[{at}] type={kind}"),
                    text_of(block),
                );
            }
        }
        found
    }

    /// Where this request carries `needle`.
    pub fn find(&self, needle: &str) -> Vec<Sighting> {
        self.texts().into_iter().filter(|s| s.text.contains(needle)).collect()
    }

    /// How often this request carries `needle`.
    pub fn count(&self, needle: &str) -> usize {
        self.texts().iter().map(|s| s.text.matches(needle).count()).sum()
    }
}

/// A content as blocks: the API takes a plain string for a single text.
fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::Array(blocks) => blocks.clone(),
        Value::Null => Vec::new(),
        single => vec![single.clone()],
    }
}

fn text_of(block: &Value) -> String {
    let text = block.as_str().or_else(|| block["text"].as_str());
    text.map_or_else(|| block.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_found_wherever_it_stands() {
        let body = json!({
            "system": "needle in the system prompt",
            "messages": [
                {"role": "user", "content": "needle needle"},
                {"role": "user", "content": [
                    {"type": "text", "text": "nothing"},
                    {"type": "tool_result", "content": "a needle", "is_error": true},
                ]},
            ],
        });
        let request = Request { number: 7, script: String::new(), step: 0, body };
        let places: Vec<String> = request.find("needle").into_iter().map(|s| s.place).collect();
        assert_eq!(
            places,
            [
                "system[0]",
                "messages[0] role=user block[0] type=text",
                "messages[1] role=user block[1] type=tool_result",
            ]
        );
        assert_eq!(request.count("needle"), 4);
    }
}
