//! The one function that every event passes.
//!
//! It takes events apart without `..`, so a new field does not compile until it is treated here.
//! Cleaning comes before cutting: a cut could separate a private text from its mark.

use super::cut::cut;
use super::key_files::hide_key_files;
use crate::event::{Event, EventBody, Subagent, ToolUse};
use crate::privacy::{clean, clean_prompt, clean_value};
use crate::project::ProjectRef;
use crate::text::{head_and_tail, prefix};
use crate::wire::spool;
use serde_json::Value;

/// Most bytes of one text.
pub const TEXT: usize = 32 * 1024;

/// Most bytes of a whole encoded event.
pub const EVENT: usize = 256 * 1024;

/// Most bytes of a path.
const PATH: usize = 4 * 1024;

/// Most bytes of an id or a name.
pub(super) const WORD: usize = 512;

/// Most files of one tool use.
const PATHS: usize = 200;

/// Stands where a result was that no cutting made small enough.
const TOO_LARGE: &str = "[left out: too large]";

/// Sizes tried one after the other on an event that is too large: bytes of a text, items of a list.
const STEPS: [(usize, usize); 5] =
    [(8 * 1024, 2_000), (2 * 1024, 500), (512, 200), (128, 50), (32, 10)];

/// An event that may leave, and its bytes as sent and spooled.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// The event.
    pub event: Event,
    /// The event as JSON.
    pub bytes: Vec<u8>,
}

/// Cleans and cuts an event; none when nothing is left that says which session it is of, or when a
/// prompt held nothing but what a machine put there.
pub fn seal(mut event: Event) -> Option<Sealed> {
    treat(&mut event);
    let empty_prompt = matches!(&event.body, EventBody::Prompt { text, private: false }
        if text.trim().is_empty());
    if event.agent_session_id.is_empty() || empty_prompt {
        return None;
    }
    let mut bytes = spool::encode(&event).ok()?;
    for (text, items) in STEPS {
        if bytes.len() <= EVENT {
            break;
        }
        shrink(&mut event.body, text, items);
        bytes = spool::encode(&event).ok()?;
    }
    if bytes.len() > EVENT
        && let EventBody::ToolUse { tool } = &mut event.body
    {
        // Many small members on many levels: that the tool ran still counts.
        tool.input = Value::Null;
        tool.output = TOO_LARGE.into();
        bytes = spool::encode(&event).ok()?;
    }
    Some(Sealed { event, bytes })
}

fn treat(event: &mut Event) {
    let Event {
        uid: _,
        at: _,
        agent: _,
        agent_session_id,
        project,
        cwd,
        turn_id,
        subagent,
        model,
        transcript_path,
        body,
    } = event;
    // A masked id would join sessions that have nothing in common; a UUID cannot be a secret.
    if uuid::Uuid::try_parse(agent_session_id).is_err() {
        word(agent_session_id);
    }
    let ProjectRef { keys, name, root, worktree, branch } = project;
    for key in keys {
        text(key, PATH);
    }
    word(name);
    [root, cwd, transcript_path].into_iter().flatten().for_each(|path| text(path, PATH));
    [worktree, branch, turn_id, model].into_iter().flatten().for_each(word);
    if let Some(Subagent { id, kind }) = subagent {
        word(id);
        word(kind);
    }
    match body {
        EventBody::SessionStart { source: _ } => {}
        EventBody::Prompt { text, private } => {
            let cleaned = clean_prompt(text);
            *private |= cleaned.private;
            *text = if *private { String::new() } else { head_and_tail(&cleaned.text, TEXT) };
        }
        EventBody::ToolUse { tool } => treat_tool(tool),
        EventBody::PreCompact { trigger, instructions } => {
            word(trigger);
            optional(instructions);
        }
        EventBody::PostCompact { summary } => text(summary, TEXT),
        EventBody::Stop { answer, error } => {
            optional(answer);
            optional(error);
        }
        EventBody::SubagentStop { answer } => optional(answer),
        EventBody::SessionEnd { reason } => word(reason),
    }
}

fn treat_tool(tool: &mut ToolUse) {
    hide_key_files(tool);
    let ToolUse { name, class: _, call_id, input, output, error, paths, command, duration_ms: _ } =
        tool;
    word(name);
    call_id.iter_mut().for_each(word);
    for value in [input, output] {
        clean_value(value);
        cut(value, TEXT, usize::MAX);
    }
    optional(error);
    paths.truncate(PATHS);
    for path in paths {
        text(path, PATH);
    }
    optional(command);
}

fn word(value: &mut String) {
    text(value, WORD);
}

fn text(value: &mut String, limit: usize) {
    *value = clean(value);
    if value.len() > limit {
        *value = if limit == TEXT {
            head_and_tail(value, limit)
        } else {
            prefix(value, limit).to_owned()
        };
    }
}

fn optional(value: &mut Option<String>) {
    if let Some(value) = value {
        text(value, TEXT);
    }
}

fn shrink(body: &mut EventBody, text: usize, items: usize) {
    let cut_text = |value: &mut String| *value = head_and_tail(value, text);
    match body {
        EventBody::ToolUse { tool } => {
            cut(&mut tool.input, text, items);
            cut(&mut tool.output, text, items);
            tool.paths.truncate(items);
            tool.error.iter_mut().chain(&mut tool.command).for_each(cut_text);
        }
        EventBody::Prompt { text: value, .. } | EventBody::PostCompact { summary: value } => {
            cut_text(value);
        }
        EventBody::Stop { answer, error } => answer.iter_mut().chain(error).for_each(cut_text),
        EventBody::SubagentStop { answer } => answer.iter_mut().for_each(cut_text),
        EventBody::PreCompact { instructions, .. } => instructions.iter_mut().for_each(cut_text),
        EventBody::SessionStart { .. } | EventBody::SessionEnd { .. } => {}
    }
}
