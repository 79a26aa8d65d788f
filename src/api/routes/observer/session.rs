//! The stages of a session.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::event::{Event, EventBody, StartSource};
use afterword_domain::memory::Origin;
use afterword_domain::wire::events::{Outcome, SkipReason};
use afterword_domain::wire::memory::RememberRequest;
use afterword_domain::{Kind, PublicId, tools};
use axum::extract::State;
use serde_json::{Value, json};

use super::call::Call;
use crate::api::body::{Json, UrlPath};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// How long a caller waits for the spool to be drained; callers give up after 2 s.
const PATIENCE: Duration = Duration::from_millis(1_500);

async fn take(door: &Door, event: Event) -> ApiResult<Outcome> {
    if !door.accepts(PATIENCE).await {
        return Err(ApiError::draining());
    }
    let mut outcomes = door.engine.intake(vec![event]).await?;
    Ok(outcomes.pop().expect("one event in, one out"))
}

/// `POST /sessions/init`, `POST /api/sessions/init`: a prompt of a session that may be new. Without a
/// prompt the session begins, and nothing more.
pub(super) async fn init(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let text = call.text(&["userPrompt", "prompt", "user_prompt"]).unwrap_or_default();
    let body = if text.is_empty() {
        EventBody::SessionStart { source: StartSource::Startup, changed_files: Vec::new() }
    } else {
        EventBody::Prompt { text, private: false }
    };
    let event = call.event(door.engine.clock(), body)?;
    let (agent, session) = (event.agent.clone(), event.agent_session_id.clone());
    let outcome = take(&door, event).await?;
    let (id, number, skipped) = match outcome {
        Outcome::Stored { session_id, prompt_number, .. } => (session_id, prompt_number, None),
        Outcome::Duplicate { session_id, prompt_number } => {
            (session_id, prompt_number, Some("duplicate"))
        }
        Outcome::Skipped { reason } => {
            let known = door.engine.store().find_session(&agent, &session).await?;
            let (id, number) = known.map_or((0, 0), |s| (s.id, s.prompt_counter));
            (id, number, Some(word(reason)))
        }
    };
    Ok(Json(json!({
        "sessionDbId": id,
        "promptNumber": number,
        "skipped": skipped.is_some(),
        "reason": skipped,
        "contextInjected": false,
        "status": "initialized",
    })))
}

/// `POST /sessions/{sessionDbId}/init`: idempotent with [`init`] for the same prompt number.
pub(super) async fn init_by_id(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<i64>,
    mut call: Call,
) -> ApiResult<Json<Value>> {
    let session = door.engine.store().get_session(id).await?;
    let number = call.number(&["promptNumber", "prompt_number"]);
    if number.is_some_and(|n| n <= session.prompt_counter) {
        return Ok(Json(json!({
            "sessionDbId": session.id,
            "promptNumber": number,
            "skipped": false,
            "status": "initialized",
        })));
    }
    call.belongs_to(session.agent, session.agent_session_id);
    init(State(door), call).await
}

/// `POST /api/sessions/observations`: one tool use.
pub(super) async fn observation(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<Json<Value>> {
    let name = call.text(&["tool_name", "toolName"]);
    let name = name.ok_or_else(|| ApiError::invalid("tool_name is missing"))?;
    let input = call.value(&["tool_input", "toolInput"]);
    let output = call.value(&["tool_response", "toolResponse", "tool_output"]);
    let mut tool = tools::describe(&name, input, output);
    tool.call_id = call.text(&["tool_use_id", "toolUseId"]);
    let event = call.event(door.engine.clock(), EventBody::ToolUse { tool })?;
    Ok(Json(queued(&take(&door, event).await?)))
}

/// `POST /api/sessions/summarize`: a turn ended with an answer.
pub(super) async fn summarize(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    if call.subagent().is_some() {
        return Ok(Json(json!({ "status": "skipped", "reason": "subagent_context" })));
    }
    let answer = call.text(&["last_assistant_message", "lastAssistantMessage"]);
    let stop = call.event(door.engine.clock(), EventBody::Stop { answer, error: None })?;
    if let Some(text) = call.text(&["last_user_message", "lastUserMessage"])
        && !has_prompts(&door, &stop).await?
    {
        // The only word of a caller that reports no prompts about what was asked.
        let body = EventBody::Prompt { text, private: false };
        take(&door, Event { uid: uuid::Uuid::now_v7(), body, ..stop.clone() }).await?;
    }
    Ok(Json(queued(&take(&door, stop).await?)))
}

async fn has_prompts(door: &Door, event: &Event) -> ApiResult<bool> {
    let store = door.engine.store();
    let session = store.find_session(&event.agent, &event.agent_session_id).await?;
    Ok(session.is_some_and(|session| session.prompt_counter > 0))
}

fn queued(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Stored { .. } | Outcome::Duplicate { .. } => json!({ "status": "queued" }),
        Outcome::Skipped { reason } => json!({ "status": "skipped", "reason": word(*reason) }),
    }
}

/// Why an event was not stored, in the observer's words.
const fn word(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Machine => "internal_protocol",
        other => other.word(),
    }
}

/// `POST /api/sessions/complete`, `POST /api/sessions/session-end`: the session ended. Nothing that
/// waits is dropped.
pub(super) async fn complete(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let known = door.engine.store().find_session(&call.agent(), &call.session()?).await?;
    let Some(session) = known else {
        return Ok(Json(json!({ "status": "unknown_session", "success": false })));
    };
    let reason = call.text(&["reason"]).unwrap_or_else(|| "other".to_owned());
    take(&door, call.event(door.engine.clock(), EventBody::SessionEnd { reason })?).await?;
    Ok(Json(json!({ "status": "accepted", "success": true, "sessionDbId": session.id })))
}

/// `POST /api/memory/save {text, title, project, metadata}`: what was said on purpose. The id is that
/// of a memory.
pub(super) async fn remember(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let text = call.text(&["text"]).ok_or_else(|| ApiError::invalid("text is missing"))?;
    let project = call.project(None);
    let request = RememberRequest {
        text,
        title: call.text(&["title"]).unwrap_or_default(),
        project: project.clone(),
        metadata: call.value(&["metadata"]),
        ..RememberRequest::default()
    };
    let memory = door.engine.remember(request, Origin::Told).await?;
    let id = PublicId::new(Kind::Memory, memory.id);
    Ok(Json(json!({
        "success": true,
        "id": memory.id,
        "publicId": id,
        "title": memory.title,
        "project": project.name,
        "message": format!("Kept as memory {id}"),
    })))
}
