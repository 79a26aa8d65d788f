//! The one function that every event passes.
//!
//! It takes events apart without `..`, so a new field does not compile until it is treated here.
//! Cleaning comes before cutting: a cut could separate a private text from its mark. Only what is too
//! large to be looked through is cut before, in a way that hides rather than shows.

use super::bound::{self, FIELD, Share, TOO_LARGE};
use super::cut::{cut, cut_text};
use super::key_files::hide_key_files;
use super::names::{PATH, WORD, agent_name, clean_changed, clean_project, session_id, tidy};
use crate::event::{Event, EventBody, Subagent, ToolUse};
use crate::privacy::{clean, clean_prompt, clean_value};
use crate::text::head_and_tail;
use crate::wire::spool;
use serde_json::Value;

/// Most bytes of one text.
pub const TEXT: usize = 32 * 1024;

/// Most bytes of a whole encoded event.
pub const EVENT: usize = 256 * 1024;

/// Most files of one tool use.
const PATHS: usize = 200;

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
        agent,
        agent_session_id,
        project,
        cwd,
        turn_id,
        subagent,
        model,
        transcript_path,
        body,
    } = event;
    *agent = agent_name(agent);
    *agent_session_id = session_id(agent_session_id);
    clean_project(project);
    [cwd, transcript_path].into_iter().flatten().for_each(|path| tidy(path, PATH));
    [turn_id, model].into_iter().flatten().for_each(word);
    if let Some(Subagent { id, kind }) = subagent {
        word(id);
        word(kind);
    }
    match body {
        EventBody::SessionStart { source: _, changed_files } => clean_changed(changed_files),
        EventBody::Prompt { text, private } => {
            bound::text(text, FIELD);
            let cleaned = clean_prompt(text);
            *private |= cleaned.private;
            *text = if *private { String::new() } else { cleaned.text };
            cut_text(text, TEXT);
        }
        EventBody::ToolUse { tool } => treat_tool(tool),
        EventBody::PreCompact { trigger, instructions } => {
            word(trigger);
            optional(instructions);
        }
        EventBody::PostCompact { summary } => text(summary),
        EventBody::Stop { answer, error } => {
            optional(answer);
            optional(error);
        }
        EventBody::SubagentStop { answer } => optional(answer),
        EventBody::SessionEnd { reason } => word(reason),
    }
}

fn treat_tool(tool: &mut ToolUse) {
    let mut share = Share::new();
    for value in [&mut tool.input, &mut tool.output] {
        share.cut(value);
    }
    for value in tool.command.iter_mut().chain(&mut tool.error) {
        bound::text(value, FIELD);
    }
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
        tidy(path, PATH);
    }
    optional(command);
}

fn word(value: &mut String) {
    tidy(value, WORD);
}

fn text(value: &mut String) {
    bound::text(value, FIELD);
    *value = clean(value);
    cut_text(value, TEXT);
}

fn optional(value: &mut Option<String>) {
    if let Some(value) = value {
        text(value);
    }
}

fn shrink(body: &mut EventBody, text: usize, items: usize) {
    let shorten = |value: &mut String| *value = head_and_tail(value, text);
    match body {
        EventBody::ToolUse { tool } => {
            cut(&mut tool.input, text, items);
            cut(&mut tool.output, text, items);
            tool.paths.truncate(items);
            tool.error.iter_mut().chain(&mut tool.command).for_each(shorten);
        }
        EventBody::Prompt { text: value, .. } | EventBody::PostCompact { summary: value } => {
            shorten(value);
        }
        EventBody::Stop { answer, error } => answer.iter_mut().chain(error).for_each(shorten),
        EventBody::SubagentStop { answer } => answer.iter_mut().for_each(shorten),
        EventBody::PreCompact { instructions, .. } => instructions.iter_mut().for_each(shorten),
        EventBody::SessionStart { source: _, changed_files } => changed_files.truncate(items),
        EventBody::SessionEnd { .. } => {}
    }
}
