//! What Claude Code honours as an answer.
//!
//! Context goes into `hookSpecificOutput` under the event's own name, or it is ignored. On `Stop`
//! any answer would make the turn go on, and on compactions it would be shown: nothing is said
//! there, whatever the reply. There is no "allow".

use afterword_domain::reply::Reply;
use serde_json::{Value, json};

use super::wire;
use crate::hook::agents::Moment;

/// The reply as JSON; none where nothing must be said.
pub fn encode(moment: Moment, reply: &Reply) -> Option<Value> {
    match (moment, reply) {
        (
            Moment::SessionStart | Moment::Prompt | Moment::PreTool,
            Reply::Context { text, notice },
        ) => context(moment, text, notice.as_deref()),
        (Moment::PreTool, Reply::Deny { reason }) => Some(json!({
            "hookSpecificOutput": {
                "hookEventName": wire::name(moment),
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            },
            // For versions that do not know the above.
            "decision": "block",
            "reason": reason,
        })),
        _ => None,
    }
}

fn context(moment: Moment, text: &str, notice: Option<&str>) -> Option<Value> {
    let mut answer = serde_json::Map::new();
    if !text.is_empty() {
        let output = json!({ "hookEventName": wire::name(moment), "additionalContext": text });
        answer.insert("hookSpecificOutput".to_owned(), output);
    }
    if let Some(notice) = notice.filter(|n| !n.is_empty()) {
        answer.insert("systemMessage".to_owned(), notice.into());
    }
    (!answer.is_empty()).then_some(Value::Object(answer))
}
