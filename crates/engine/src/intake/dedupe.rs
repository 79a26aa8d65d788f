//! One happening, one key, whoever reports it and however often.

use std::fmt::Write as _;

use afterword_domain::event::{Event, EventBody};
use sha2::{Digest as _, Sha256};

/// Reports of one happening that carries no id of its own come within this time.
const BUCKET_MS: i64 = 10_000;

/// The key of an event and the other keys under which it may be known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) key: String,
    pub(super) near: Vec<String>,
}

/// Makes the keys from what the agent says; the time counts only where the agent sends no id.
pub(super) fn keys(event: &Event) -> Keys {
    let turn = event.turn_id.as_deref();
    let subagent = event.subagent.as_ref().map_or("", |s| s.id.as_str());
    let (parts, timed): (Vec<String>, bool) = match &event.body {
        EventBody::ToolUse { tool } => match &tool.call_id {
            Some(id) => (vec![id.clone()], false),
            None => {
                (vec![tool.name.clone(), tool.input.to_string(), tool.output.to_string()], true)
            }
        },
        EventBody::Prompt { text, .. } => (vec![text.clone()], turn.is_none()),
        EventBody::Stop { answer, error } => {
            (vec![text_of(answer.as_ref()), text_of(error.as_ref())], turn.is_none())
        }
        EventBody::SubagentStop { answer } => (vec![text_of(answer.as_ref())], subagent.is_empty()),
        EventBody::PostCompact { summary } => (vec![summary.clone()], false),
        EventBody::SessionStart { source } => (vec![source.word().to_owned()], true),
        EventBody::PreCompact { trigger, .. } => (vec![trigger.clone()], true),
        EventBody::SessionEnd { reason } => (vec![reason.clone()], true),
    };
    let mut hash = Sha256::new();
    let head = [
        event.agent.as_str(),
        &event.agent_session_id,
        event.body.kind(),
        subagent,
        turn.filter(|_| !timed).unwrap_or(""),
    ];
    for part in head.into_iter().chain(parts.iter().map(String::as_str)) {
        // The length in front keeps ("ab", "c") and ("a", "bc") apart.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let base = digest[..16].iter().fold(String::with_capacity(48), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes all");
        hex
    });
    if !timed {
        return Keys { key: base, near: Vec::new() };
    }
    let bucket = event.at.millis().div_euclid(BUCKET_MS);
    let at = |bucket: i64| format!("{base}:{bucket}");
    Keys { key: at(bucket), near: vec![at(bucket - 1), at(bucket + 1)] }
}

fn text_of(text: Option<&String>) -> String {
    text.cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use afterword_domain::Time;
    use afterword_domain::event::{StartSource, ToolUse};
    use afterword_domain::project::ProjectRef;
    use uuid::Uuid;

    use super::*;

    fn event(body: EventBody, at: i64) -> Event {
        Event {
            uid: Uuid::new_v4(),
            at: Time::from_millis(at),
            agent: "claude-code".into(),
            agent_session_id: "s".into(),
            project: ProjectRef::named("demo"),
            cwd: None,
            turn_id: None,
            subagent: None,
            model: None,
            transcript_path: None,
            body,
        }
    }

    #[test]
    fn g1_a_call_id_is_the_whole_identity() {
        let tool = |output: &str| EventBody::ToolUse {
            tool: ToolUse {
                call_id: Some("toolu_1".into()),
                output: output.into(),
                ..ToolUse::default()
            },
        };
        assert_eq!(keys(&event(tool("a"), 0)), keys(&event(tool("b"), 999_999)));
    }

    #[test]
    fn o5_a_start_reported_twice_is_known_across_a_bucket_border() {
        let start = || EventBody::SessionStart { source: StartSource::Resume };
        let first = keys(&event(start(), 9_999));
        let second = keys(&event(start(), 10_001));
        assert_ne!(first.key, second.key);
        assert!(second.near.contains(&first.key));
        let later = keys(&event(start(), 40_000));
        assert!(!later.near.contains(&first.key) && later.key != first.key);
    }

    #[test]
    fn different_texts_differ() {
        let stop = |answer: &str| EventBody::Stop { answer: Some(answer.into()), error: None };
        assert_ne!(keys(&event(stop("a"), 0)).key, keys(&event(stop("b"), 0)).key);
    }
}
