//! What an event gives to remember, into the outbox.

use std::path::Path;

use afterword_domain::event::{Event, EventBody};
use afterword_domain::text::cut_chars;

use super::digest::{Part, digest};
use super::outbox::{self, Kind, Waiting};
use super::sent::Sent;
use super::{Call, deliver};

/// Most characters of what the person asked a compaction to keep.
const INSTRUCTIONS: usize = 500;

pub(super) fn keep(call: &Call<'_>, event: &Event, transcript: Option<&Path>) {
    let session = event.agent_session_id.as_str();
    let told = match (&event.body, transcript) {
        (EventBody::PreCompact { instructions, .. }, Some(path)) => {
            let text = digest(path, session, Part::SinceCompaction, None);
            text.map(|text| {
                (Kind::CompactSummary, with_instructions(text, instructions.as_deref()))
            })
        }
        (EventBody::Stop { answer, .. }, Some(path)) => {
            let text = digest(path, session, Part::Session, answer.as_deref());
            text.map(|text| (Kind::SessionSummary, text))
        }
        // An interrupted turn sends no stop.
        (EventBody::SessionEnd { .. }, Some(path)) => {
            digest(path, session, Part::Session, None).map(|text| (Kind::SessionSummary, text))
        }
        // Called after every tool: what waits is looked at by the others.
        (EventBody::ToolUse { .. } | EventBody::SubagentStop { .. }, _) => return,
        _ => None,
    };
    if let Some((kind, text)) = told {
        put(call, event, kind, text);
    }
    send(call);
}

fn with_instructions(text: String, instructions: Option<&str>) -> String {
    match instructions.map(str::trim).filter(|asked| !asked.is_empty()) {
        Some(asked) => format!("Asked to keep: {}\n\n{text}", cut_chars(asked, INSTRUCTIONS)),
        None => text,
    }
}

fn put(call: &Call<'_>, event: &Event, kind: Kind, text: String) {
    let (home, remote) = (&call.config.home, &call.remote);
    let waiting = Waiting {
        url: remote.url.clone(),
        user_id: remote.user_id.clone(),
        agent: event.agent.clone(),
        session_id: event.agent_session_id.clone(),
        project: event.project.name.clone(),
        folder: call.folder.clone(),
        kind,
        text,
    };
    // With something else of the session under way this may be a change again.
    if outbox::count(home) == 0 && Sent::of(home, &waiting).has(&waiting) {
        return;
    }
    if let Err(error) = outbox::write(home, &waiting, event.at) {
        let lost = afterword_domain::wire::spool::LOST;
        call.note(&format!("{lost}, the spool cannot be written: {}", error.kind()));
    }
}

/// Starts the sender where something waits and the last try does not forbid it.
fn send(call: &Call<'_>) {
    let home = &call.config.home;
    if outbox::count(home) == 0 || outbox::brake(home).due_ms > call.clock.now().millis() {
        return;
    }
    if let Err(error) = deliver::start(home) {
        call.note(&format!("the sender cannot be started: {}", error.kind()));
    }
}
