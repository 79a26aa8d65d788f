//! An event made fit for the store: cleaned, cut, keyed, digested.

use afterword_domain::event::{Event, EventBody};
use afterword_domain::privacy;
use afterword_store::contract::{IndexDoc, NewEvent};

use super::{dedupe, limits};
use crate::{analyze, distill};

/// Cleans an event a second time and cuts it to size, whoever sent it.
pub(super) fn clean(mut event: Event) -> Event {
    match &mut event.body {
        EventBody::Prompt { text, private } => {
            let cleaned = privacy::clean_prompt(text);
            *private |= cleaned.private;
            *text = limits::text(&cleaned.text);
        }
        EventBody::ToolUse { tool } => {
            for value in [&mut tool.input, &mut tool.output] {
                privacy::clean_value(value);
                limits::value(value);
            }
            for text in tool.error.iter_mut().chain(tool.command.iter_mut()) {
                *text = limits::text(&privacy::clean(text));
            }
            for path in &mut tool.paths {
                *path = privacy::clean(path);
            }
        }
        EventBody::PreCompact { instructions, .. } => {
            if let Some(text) = instructions {
                *text = limits::text(&privacy::clean(text));
            }
        }
        EventBody::PostCompact { summary } => {
            *summary = limits::text(&privacy::clean(summary));
        }
        EventBody::Stop { answer, error } => {
            for text in answer.iter_mut().chain(error.iter_mut()) {
                *text = limits::text(&privacy::clean(text));
            }
        }
        EventBody::SubagentStop { answer } => {
            if let Some(text) = answer {
                *text = limits::text(&privacy::clean(text));
            }
        }
        EventBody::SessionStart { .. } | EventBody::SessionEnd { .. } => {}
    }
    event
}

/// What the store needs besides the event.
pub(super) fn new_event(event: &Event) -> NewEvent {
    let keys = dedupe::keys(event);
    let index: Option<IndexDoc> = match &event.body {
        EventBody::Prompt { text, private: false } => Some(analyze::index_doc("", text, &[])),
        _ => None,
    };
    NewEvent {
        dedupe_key: keys.key,
        dedupe_near: keys.near,
        digest: distill::digest(event),
        index,
        event: event.clone(),
    }
}
