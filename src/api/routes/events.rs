//! The hook door: one canonical event in, the reply to print out.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::event::{Event, EventBody};
use afterword_domain::reply::Reply;
use afterword_domain::wire::events::{EventAnswer, Outcome, SkipReason};
use axum::extract::State;
use serde::Deserialize;

use crate::api::body::{Json, Query};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// How long a capture waits for the spool to be drained; hooks give the whole call 150 ms.
const CAPTURE_PATIENCE: Duration = Duration::from_millis(100);

/// How long a session start waits; its hook gives the whole call 2 s.
const START_PATIENCE: Duration = Duration::from_millis(1_200);

/// Parts of the work that a hook registered for one role leaves out.
#[derive(Debug, Deserialize)]
pub(super) struct Roles {
    #[serde(default = "yes")]
    store: bool,
    #[serde(default = "yes")]
    reply: bool,
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
    let answer = if !roles.store {
        let outcome = Outcome::Skipped { reason: SkipReason::Machine };
        EventAnswer { outcome, reply: door.engine.reply_only(&event).await? }
    } else if roles.reply {
        door.engine.hook_event(event).await?
    } else {
        let mut outcomes = door.engine.intake(vec![event]).await?;
        let outcome = outcomes.pop().expect("one event in, one out");
        EventAnswer { outcome, reply: Reply::None }
    };
    // Another hook may have spooled while the server was busy or frozen.
    door.hint_spool();
    Ok(Json(answer))
}
