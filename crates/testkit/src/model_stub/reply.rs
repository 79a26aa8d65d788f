//! An answer in the two forms of the Messages API: whole, or as a stream of events.

use serde_json::{Value, json};

use super::script::Turn;

/// The whole message; `number` makes its ids unique.
pub(super) fn message(model: &Value, turn: &Turn, number: usize) -> Value {
    let blocks: Vec<Value> =
        turn.blocks.iter().enumerate().map(|(at, b)| b.json(number * 100 + at)).collect();
    let uses_tool = blocks.iter().any(|block| block["type"] == "tool_use");
    json!({
        "id": format!("msg_{number:024x}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": if uses_tool { "tool_use" } else { "end_turn" },
        "stop_sequence": null,
        "usage": {"input_tokens": 100, "cache_creation_input_tokens": 0,
                  "cache_read_input_tokens": 0, "output_tokens": 20},
    })
}

/// The same message as server-sent events.
pub(crate) fn stream(message: &Value) -> String {
    let mut begun = message.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    let mut out = String::new();
    let mut send = |event: &Value| {
        let name = event["type"].as_str().expect("every event has a type");
        for part in ["event: ", name, "\ndata: ", &event.to_string(), "\n\n"] {
            out.push_str(part);
        }
    };
    send(&json!({"type": "message_start", "message": begun}));
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let (opened, deltas) = opened_and_deltas(block);
        send(&json!({"type": "content_block_start", "index": index, "content_block": opened}));
        for delta in deltas {
            send(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        send(&json!({"type": "content_block_stop", "index": index}));
    }
    send(&json!({
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": null},
        "usage": {"output_tokens": message["usage"]["output_tokens"]},
    }));
    send(&json!({"type": "message_stop"}));
    out
}

/// A block before anything of it was sent, and what is then sent of it.
fn opened_and_deltas(block: &Value) -> (Value, Vec<Value>) {
    let mut opened = block.clone();
    let deltas = match block["type"].as_str() {
        Some("text") => {
            opened["text"] = json!("");
            vec![json!({"type": "text_delta", "text": block["text"]})]
        }
        Some("thinking") => {
            opened["thinking"] = json!("");
            opened["signature"] = json!("");
            vec![
                json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                json!({"type": "signature_delta", "signature": block["signature"]}),
            ]
        }
        _ => {
            opened["input"] = json!({});
            let input = block["input"].to_string();
            vec![json!({"type": "input_json_delta", "partial_json": input})]
        }
    };
    (opened, deltas)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_says_the_same_as_the_whole_message() {
        let turn = Turn::text("hello")
            .and_thinking("hm")
            .and_tool("Bash", &json!({"command": "echo \"x\""}));
        let whole = message(&json!("m"), &turn, 3);
        assert_eq!(whole["stop_reason"], "tool_use");
        let events: Vec<Value> = stream(&whole)
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        let delta = |field: &str| {
            events.iter().filter_map(|e| e["delta"][field].as_str()).collect::<String>()
        };
        assert_eq!(delta("text"), "hello");
        assert_eq!(delta("thinking"), "hm");
        let input: Value = serde_json::from_str(&delta("partial_json")).unwrap();
        assert_eq!(input, whole["content"][2]["input"]);
        assert_eq!(events.first().unwrap()["type"], "message_start");
        assert_eq!(events.last().unwrap()["type"], "message_stop");
    }
}
