//! One happening, one key, whoever reports it and however often.

use afterword_domain::event::{Event, EventBody};
use afterword_domain::text::hex;
use sha2::{Digest as _, Sha256};

/// The keys of an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Keys {
    /// Equal for one happening; for one without an id of its own, equal for one report of it.
    pub(super) key: String,
    /// Equal for what may be one happening without an id of its own.
    pub(super) near: Option<String>,
}

/// Makes the keys from what the agent says. Where it sends no id, the store decides by what came
/// between whether the same words are the same happening.
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
        EventBody::SessionStart { source, .. } => (vec![source.word().to_owned()], true),
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
    let base = hex(&digest[..16]);
    if timed {
        Keys { key: format!("u{}", event.uid), near: Some(base) }
    } else {
        Keys { key: base, near: None }
    }
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
    fn o5_a_start_reported_twice_is_near_itself_and_a_report_sent_twice_is_one() {
        let start = || {
            event(
                EventBody::SessionStart { source: StartSource::Resume, changed_files: Vec::new() },
                9_999,
            )
        };
        let (first, second) = (start(), start());
        let (one, two) = (keys(&first), keys(&second));
        assert_ne!(one.key, two.key);
        assert!(one.near.is_some() && one.near == two.near);
        assert_eq!(keys(&first), one);
    }

    #[test]
    fn different_texts_differ() {
        let stop = |answer: &str| EventBody::Stop { answer: Some(answer.into()), error: None };
        assert_ne!(keys(&event(stop("a"), 0)).near, keys(&event(stop("b"), 0)).near);
    }
}
