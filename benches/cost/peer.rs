//! What the best-known peer (claude-mem 13.25.3) sends at least for a session.
//!
//! It asks a model once a tool use, and every call carries the whole conversation so far. Counted
//! here: its instructions, once a prompt; the input and the output of each tool use, cut as it cuts
//! them. Not counted: the model's own answers, which are sent again too, its calls for summaries,
//! and the marks around everything. A token is four characters, as the peer itself reckons.

use serde_json::Value;

use crate::Cost;
use crate::recorded::Recorded;

/// Characters of the instructions that go before each prompt.
const INSTRUCTIONS: usize = 7_200;

/// Characters that are kept of an input and of an output.
const FIELD: usize = 16_000;

/// A conversation of so many characters is begun anew.
const LONGEST: usize = 400_000;

/// Tools whose uses it does not send.
const SKIPPED: [&str; 5] =
    ["ListMcpResourcesTool", "SlashCommand", "Skill", "TodoWrite", "AskUserQuestion"];

pub(crate) fn at_least(session: &Recorded) -> Cost {
    let mut conversation = 0;
    let (mut calls, mut sent) = (0_u64, 0_u64);
    for payload in session.calls.iter().map(|call| &call.payload) {
        match payload["hook_event_name"].as_str() {
            Some("UserPromptSubmit") => {
                conversation += INSTRUCTIONS + length(&payload["prompt"]);
            }
            Some("PostToolUse") if !is_skipped(payload) => {
                let field = |name: &str| length(&payload[name]).min(FIELD);
                conversation += field("tool_input") + field("tool_response");
                if conversation > LONGEST {
                    conversation = INSTRUCTIONS;
                }
                calls += 1;
                sent += conversation as u64;
            }
            _ => {}
        }
    }
    Cost { calls, input: sent / 4, output: 0 }
}

fn is_skipped(payload: &Value) -> bool {
    payload["tool_name"].as_str().is_some_and(|name| SKIPPED.contains(&name))
}

fn length(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::String(text) => text.chars().count(),
        other => other.to_string().chars().count(),
    }
}
