//! From a payload of Claude Code to a draft of an event.

use std::path::Path;
use std::time::Instant;

use afterword_domain::event::{EventBody, StartSource, Subagent, ToolUse};
use afterword_domain::tools;
use serde_json::Value;

use super::wire::WireEvent;
use crate::hook::agents::{Draft, Moment, Question, Reading};
use crate::hook::transcript::{self, Wanted};

/// Beginnings of prompts that the CLI itself writes.
const MACHINE_PROMPTS: [&str; 12] = [
    "<task-notification",
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<command-contents>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<teammate-message",
    "[Request interrupted",
    "Stop hook feedback:\n",
];

/// Reads a payload.
pub fn read(moment: Moment, payload: Value, deadline: Instant) -> Reading {
    let Some(mut wire) = WireEvent::from_value(payload) else { return Reading::Ignore };
    if moment == Moment::PreTool {
        return question(wire);
    }
    // Ids are never made up: without one there is no session this could belong to.
    let Some(session_id) = wire.session_id.take().map(trimmed).filter(|s| !s.is_empty()) else {
        return Reading::Ignore;
    };
    let from_subagent = wire.agent_id.as_deref().is_some_and(|id| !id.is_empty());
    // Older versions let a sub-agent end like the session's own turn.
    let moment =
        if moment == Moment::Stop && from_subagent { Moment::SubagentStop } else { moment };
    let Some(body) = body(moment, &session_id, &mut wire, deadline) else {
        return Reading::Ignore;
    };
    Reading::Keep(Box::new(Draft {
        session_id,
        subagent: subagent(moment, &mut wire),
        cwd: wire.cwd.filter(|s| !s.is_empty()),
        turn_id: wire.prompt_id.filter(|s| !s.is_empty()),
        model: wire.model.filter(|s| !s.is_empty()),
        transcript_path: wire.transcript_path.filter(|s| !s.is_empty()),
        body,
    }))
}

fn trimmed(text: String) -> String {
    if text.trim().len() == text.len() { text } else { text.trim().to_owned() }
}

fn question(wire: WireEvent) -> Reading {
    match wire.tool_name {
        Some(tool_name) => Reading::Ask(Question {
            tool_name,
            tool_input: wire.tool_input,
            cwd: wire.cwd.filter(|cwd| !cwd.is_empty()),
            session_id: wire.session_id.map(trimmed).filter(|id| !id.is_empty()),
            in_subagent: wire.agent_id.is_some_and(|id| !id.is_empty()),
        }),
        None => Reading::Ignore,
    }
}

/// Under `--agent` the type comes alone and the call is the session's own.
fn subagent(moment: Moment, wire: &mut WireEvent) -> Option<Subagent> {
    // These never fire inside a sub-agent.
    if matches!(moment, Moment::SessionEnd | Moment::PreCompact | Moment::PostCompact) {
        return None;
    }
    let id = wire.agent_id.take().filter(|id| !id.is_empty())?;
    Some(Subagent { id, kind: wire.agent_type.take().unwrap_or_default() })
}

fn body(
    moment: Moment,
    session: &str,
    wire: &mut WireEvent,
    deadline: Instant,
) -> Option<EventBody> {
    Some(match moment {
        Moment::PreTool => return None,
        Moment::SessionStart => EventBody::SessionStart {
            source: StartSource::from_word(wire.source.as_deref().unwrap_or_default()),
            changed_files: Vec::new(),
        },
        Moment::Prompt => {
            let text = wire.prompt.take().filter(|text| !is_machine_prompt(text))?;
            EventBody::Prompt { text, private: false }
        }
        Moment::PostTool | Moment::PostToolFailure => {
            EventBody::ToolUse { tool: tool_use(wire, moment == Moment::PostToolFailure)? }
        }
        Moment::PreCompact => EventBody::PreCompact {
            trigger: wire.trigger.take().unwrap_or_else(|| "auto".to_owned()),
            instructions: wire.custom_instructions.take().filter(|t| !t.trim().is_empty()),
        },
        Moment::PostCompact => {
            let summary = wire.compact_summary.take().filter(|t| !t.trim().is_empty())?;
            EventBody::PostCompact { summary }
        }
        Moment::Stop => {
            let path = wire.transcript_path.as_deref();
            let wanted = Wanted { session, turn: wire.prompt_id.as_deref(), sidechain: false };
            let sent = wire.last_assistant_message.take();
            EventBody::Stop { answer: answer(sent, path, wanted, deadline), error: None }
        }
        Moment::StopFailure => {
            // What the CLI calls the last message is the error's own text here.
            let parts = [wire.error.take(), wire.last_assistant_message.take()];
            let parts: Vec<String> =
                parts.into_iter().flatten().filter(|t| !t.trim().is_empty()).collect();
            let error = if parts.is_empty() { "unknown".to_owned() } else { parts.join(": ") };
            EventBody::Stop { answer: None, error: Some(error) }
        }
        Moment::SubagentStop => {
            // A compaction runs as a sub-agent without a type; its summary comes by another event.
            if wire.agent_type.as_deref() == Some("") {
                return None;
            }
            let path = wire.agent_transcript_path.as_deref();
            let wanted = Wanted { session, turn: None, sidechain: true };
            let sent = wire.last_assistant_message.take();
            EventBody::SubagentStop { answer: answer(sent, path, wanted, Instant::now()) }
        }
        Moment::SessionEnd => {
            EventBody::SessionEnd { reason: wire.reason.take().unwrap_or_else(|| "other".into()) }
        }
    })
}

/// A tool use; none when the tool has no name.
fn tool_use(wire: &mut WireEvent, failed: bool) -> Option<ToolUse> {
    let name = wire.tool_name.take().filter(|n| !n.is_empty())?;
    let (input, output) =
        (std::mem::take(&mut wire.tool_input), std::mem::take(&mut wire.tool_response));
    let error = wire.error.take().filter(|e| !e.trim().is_empty());
    let error = match (error, failed, wire.is_interrupt) {
        (Some(error), _, _) => Some(error),
        (None, true, true) => Some("interrupted by the user".to_owned()),
        (None, true, false) => Some("failed".to_owned()),
        (None, false, _) => None,
    };
    Some(ToolUse {
        call_id: wire.tool_use_id.take().filter(|id| !id.is_empty()),
        duration_ms: wire.duration_ms,
        error,
        ..tools::describe(&name, input, output)
    })
}

/// The message as sent; from the log only where the CLI is too old to send it.
fn answer(
    sent: Option<String>,
    path: Option<&str>,
    wanted: Wanted<'_>,
    deadline: Instant,
) -> Option<String> {
    if let Some(sent) = sent {
        return Some(sent).filter(|t| !t.trim().is_empty());
    }
    let path = path.filter(|p| !p.is_empty())?;
    transcript::final_answer(Path::new(path), wanted, deadline)
}

fn is_machine_prompt(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || MACHINE_PROMPTS.iter().any(|start| text.starts_with(start))
}
