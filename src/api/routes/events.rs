//! The hook door: one canonical event in, the reply to print out.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::event::{Event, EventBody};
use afterword_domain::reply::Reply;
use afterword_domain::wire::events::{EventAnswer, Outcome, SkipReason};
use afterword_domain::wire::recall::{FileAnswer, FileQuestion};
use afterword_engine::Asked;
use axum::extract::State;
use serde::Deserialize;

use super::admin;
use crate::api::body::{Json, Query};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// How long a capture waits for the spool to be drained; hooks give the whole call 150 ms.
const CAPTURE_PATIENCE: Duration = Duration::from_millis(100);

/// How long a session start waits; its hook gives the whole call 2 s.
const START_PATIENCE: Duration = Duration::from_millis(1_200);

/// Parts of the work that a hook registered for one role leaves out.
#[derive(Debug, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the query string")]
pub(super) struct Roles {
    #[serde(default = "yes")]
    store: bool,
    #[serde(default = "yes")]
    reply: bool,
    /// Whether a session's first prompt is answered with the block of its start.
    #[serde(default)]
    block: bool,
    /// Whether prompts are answered with memories.
    #[serde(default = "yes")]
    memories: bool,
}

fn yes() -> bool {
    true
}

/// Takes one event. It is durable when this answers.
pub(super) async fn take(
    State(door): State<Arc<Door>>,
    Query(roles): Query<Roles>,
    Json(event): Json<Event>,
) -> ApiResult<Json<EventAnswer>> {
    if event.agent_session_id.is_empty() || event.agent.is_empty() {
        return Err(ApiError::invalid("an event needs its agent and the agent's session id"));
    }
    let patience = match event.body {
        EventBody::SessionStart { .. } => {
            // The last words of an earlier session may have been spooled a moment ago.
            door.look_through_spool(START_PATIENCE).await;
            START_PATIENCE
        }
        _ => CAPTURE_PATIENCE,
    };
    if !door.accepts(patience).await {
        return Err(ApiError::draining());
    }
    let begins = begins_for_the_person(&event);
    let asked = Asked { block: roles.block, memories: roles.memories };
    let mut answer = if !roles.store {
        let outcome = Outcome::Skipped { reason: SkipReason::Machine };
        EventAnswer { outcome, reply: door.engine.reply_only(&event, asked).await? }
    } else if roles.reply {
        door.engine.hook_event(event, asked).await?
    } else {
        let mut outcomes = door.engine.intake(vec![event]).await?;
        let outcome = outcomes.pop().expect("one event in, one out");
        EventAnswer { outcome, reply: Reply::None }
    };
    // Once a session: at its start, or at its first prompt where starts are not reported. A hook
    // that wants no memories may still speak to the person.
    let tells = match (&begins, &answer.outcome) {
        (Begins::No, _) | (Begins::AtStart, Outcome::Duplicate { .. }) => false,
        (Begins::AtStart, _) | (Begins::WithPrompt, Outcome::Stored { new_session: true, .. }) => {
            true
        }
        (Begins::WithPrompt, _) => false,
    };
    if tells {
        let notice = admin::health_line(&door).await.unwrap_or_default();
        answer.reply = with_notice(answer.reply, notice);
    }
    // Another hook may have spooled while the server was busy or frozen.
    door.hint_spool();
    Ok(Json(answer))
}

/// What is known of a file that is about to be read or changed. Nothing of it is stored.
pub(super) async fn before_file(
    State(door): State<Arc<Door>>,
    Json(question): Json<FileQuestion>,
) -> ApiResult<Json<FileAnswer>> {
    if question.agent_session_id.is_empty() || question.agent.is_empty() {
        return Err(ApiError::invalid("a question needs its agent and the agent's session id"));
    }
    Ok(Json(FileAnswer { reply: door.engine.file_recall(&question).await? }))
}

/// How the person sees a session begin with an event, if it does.
enum Begins {
    No,
    /// It is reported as a start.
    AtStart,
    /// It does if nothing is known of its session.
    WithPrompt,
}

fn begins_for_the_person(event: &Event) -> Begins {
    match &event.body {
        _ if event.subagent.is_some() => Begins::No,
        EventBody::SessionStart { source, .. } if source.begins() => Begins::AtStart,
        EventBody::Prompt { .. } => Begins::WithPrompt,
        _ => Begins::No,
    }
}

/// The reply with a line for the person beside it.
fn with_notice(reply: Reply, notice: Option<String>) -> Reply {
    match (reply, notice) {
        (Reply::None, Some(notice)) => Reply::Context { text: String::new(), notice: Some(notice) },
        (Reply::Context { text, notice: None }, notice) => Reply::Context { text, notice },
        (reply, _) => reply,
    }
}
