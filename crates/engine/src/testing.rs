//! What tests of the whole engine begin with.

use std::collections::HashSet;

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody};
use afterword_domain::project::ProjectRef;
use uuid::Uuid;

use crate::{Retention, Settings};

/// Everything switched on, nothing skipped.
pub(crate) fn settings() -> Settings {
    Settings {
        skip_tools: HashSet::new(),
        session_context: true,
        prompt_recall: true,
        file_recall: true,
        retention: Retention::default(),
    }
}

/// An event of a session of Claude Code in the project "shop".
pub(crate) fn event(session: &str, at: Time, body: EventBody) -> Event {
    Event {
        uid: Uuid::now_v7(),
        at,
        agent: "claude-code".into(),
        agent_session_id: session.into(),
        project: ProjectRef::named("shop"),
        cwd: None,
        turn_id: None,
        subagent: None,
        model: None,
        transcript_path: None,
        body,
    }
}
