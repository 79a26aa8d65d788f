//! The observer door: bodies that integrations of the five-stage observer send, old spellings and
//! new, translated into the same intake.
//!
//! Every answer carries the keys of both spellings. Nothing here waits for distilling.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use afterword_domain::boundary;
use afterword_domain::event::{Event, EventBody, Subagent};
use afterword_domain::project::ProjectRef;
use afterword_domain::tools;
use afterword_domain::wire::events::Outcome;
use axum::Json;
use axum::extract::{Path as UrlPath, State};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// How long a caller waits for the spool to be drained; callers give up after 2 s.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// The agent that callers mean who do not say.
const DEFAULT_AGENT: &str = "claude-code";

/// Any body of this door: every spelling of every field, all optional.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Body {
    #[serde(alias = "claudeSessionId", alias = "contentSessionId", alias = "session_id")]
    #[serde(rename = "sessionId")]
    session_id: Option<String>,
    project: Option<String>,
    #[serde(rename = "userPrompt", alias = "prompt")]
    prompt: Option<String>,
    #[serde(rename = "promptNumber")]
    prompt_number: Option<i64>,
    #[serde(alias = "platformSource")]
    platform_source: Option<String>,
    cwd: Option<String>,
    tool_name: Option<String>,
    tool_input: Value,
    tool_response: Value,
    #[serde(alias = "toolUseId")]
    tool_use_id: Option<String>,
    #[serde(rename = "agentId")]
    agent_id: Option<String>,
    #[serde(rename = "agentType")]
    agent_type: Option<String>,
    last_assistant_message: Option<String>,
    reason: Option<String>,
    #[serde(rename = "isProcessing")]
    is_processing: Option<bool>,
}

impl Body {
    fn agent(&self) -> String {
        match self.platform_source.as_deref().map(str::trim) {
            None | Some("" | "claude") => DEFAULT_AGENT.to_owned(),
            Some(other) => boundary::agent_name(other),
        }
    }

    fn session(&self) -> ApiResult<String> {
        let id = self.session_id.as_deref().map(boundary::session_id).filter(|id| !id.is_empty());
        id.ok_or_else(|| {
            ApiError::invalid("the session id is missing: send it as contentSessionId")
        })
    }

    /// Where the work belongs. A known session keeps its project whatever this says.
    fn project(&self) -> ProjectRef {
        if let Some(name) = self.project.as_deref().filter(|name| !name.trim().is_empty()) {
            return ProjectRef::named(name);
        }
        let Some(cwd) = self.cwd.as_deref().filter(|cwd| !cwd.is_empty()) else {
            return ProjectRef::named("unknown");
        };
        let name = Path::new(cwd).file_name().map_or(cwd.into(), |n| n.to_string_lossy());
        ProjectRef {
            keys: vec![format!("dir:{cwd}")],
            root: Some(cwd.to_owned()),
            ..ProjectRef::named(&name)
        }
    }

    fn event(&self, door: &Door, body: EventBody) -> ApiResult<Event> {
        let subagent = self.agent_id.clone().filter(|id| !id.is_empty());
        Ok(Event {
            uid: Uuid::now_v7(),
            at: door.engine.clock().now(),
            agent: self.agent(),
            agent_session_id: self.session()?,
            project: self.project(),
            cwd: self.cwd.clone(),
            turn_id: None,
            subagent: subagent
                .map(|id| Subagent { id, kind: self.agent_type.clone().unwrap_or_default() }),
            model: None,
            transcript_path: None,
            body,
        })
    }
}

async fn take(door: &Door, event: Event) -> ApiResult<Outcome> {
    if !door.accepts(PATIENCE).await {
        return Err(ApiError::draining());
    }
    let mut outcomes = door.engine.intake(vec![event]).await?;
    Ok(outcomes.pop().expect("one event in, one out"))
}

/// `POST /sessions/init`, `POST /api/sessions/init`: a prompt of a session that may be new.
pub(super) async fn init(
    State(door): State<Arc<Door>>,
    Json(body): Json<Body>,
) -> ApiResult<Json<Value>> {
    let text = body.prompt.clone().unwrap_or_default();
    let event = body.event(&door, EventBody::Prompt { text, private: false })?;
    let (agent, session) = (event.agent.clone(), event.agent_session_id.clone());
    let outcome = take(&door, event).await?;
    let (id, number, skipped) = match outcome {
        Outcome::Stored { session_id, prompt_number }
        | Outcome::Duplicate { session_id, prompt_number } => (session_id, prompt_number, None),
        Outcome::Skipped { reason } => {
            let known = door.engine.store().find_session(&agent, &session).await?;
            let (id, number) = known.map_or((0, 0), |s| (s.id, s.prompt_counter));
            (id, number, Some(reason.word()))
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
    Json(mut body): Json<Body>,
) -> ApiResult<Json<Value>> {
    let session = door.engine.store().get_session(id).await?;
    if body.prompt_number.is_some_and(|n| n <= session.prompt_counter) {
        return Ok(Json(json!({
            "sessionDbId": session.id,
            "promptNumber": body.prompt_number,
            "skipped": false,
            "status": "initialized",
        })));
    }
    body.session_id = Some(session.agent_session_id);
    body.platform_source = Some(session.agent);
    init(State(door), Json(body)).await
}

/// `POST /api/sessions/observations`: one tool use.
pub(super) async fn observation(
    State(door): State<Arc<Door>>,
    Json(body): Json<Body>,
) -> ApiResult<Json<Value>> {
    let name = body.tool_name.clone().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| ApiError::invalid("tool_name is missing"))?;
    let mut tool =
        tools::describe(&name, embedded(&body.tool_input), embedded(&body.tool_response));
    tool.call_id = body.tool_use_id.clone();
    let outcome = take(&door, body.event(&door, EventBody::ToolUse { tool })?).await?;
    Ok(Json(queued(&outcome)))
}

/// Some callers send JSON inside a string.
fn embedded(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        other => other.clone(),
    }
}

/// `POST /api/sessions/summarize`: a turn ended with an answer.
pub(super) async fn summarize(
    State(door): State<Arc<Door>>,
    Json(body): Json<Body>,
) -> ApiResult<Json<Value>> {
    if body.agent_id.as_deref().is_some_and(|id| !id.is_empty()) {
        return Ok(Json(json!({ "status": "skipped", "reason": "subagent_context" })));
    }
    let answer = body.last_assistant_message.clone().filter(|a| !a.trim().is_empty());
    let outcome = take(&door, body.event(&door, EventBody::Stop { answer, error: None })?).await?;
    Ok(Json(queued(&outcome)))
}

fn queued(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Stored { .. } | Outcome::Duplicate { .. } => json!({ "status": "queued" }),
        Outcome::Skipped { reason } => json!({ "status": "skipped", "reason": reason.word() }),
    }
}

/// `POST /api/sessions/complete`, `POST /api/sessions/session-end`: the session ended. Nothing that
/// waits is dropped.
pub(super) async fn complete(
    State(door): State<Arc<Door>>,
    Json(body): Json<Body>,
) -> ApiResult<Json<Value>> {
    let known = door.engine.store().find_session(&body.agent(), &body.session()?).await?;
    let Some(session) = known else {
        return Ok(Json(json!({ "status": "unknown_session", "success": false })));
    };
    let reason = body.reason.clone().unwrap_or_else(|| "other".to_owned());
    take(&door, body.event(&door, EventBody::SessionEnd { reason })?).await?;
    Ok(Json(json!({ "status": "accepted", "success": true, "sessionDbId": session.id })))
}

/// `POST /api/processing`: a caller's own spinner; told to nobody, answered so that it goes on.
pub(super) async fn processing(Json(body): Json<Body>) -> Json<Value> {
    Json(json!({ "status": "ok", "isProcessing": body.is_processing.unwrap_or(false) }))
}

/// Whether turns wait to be distilled.
pub(super) async fn processing_status(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let status = door.engine.status().await?;
    Ok(Json(json!({ "isProcessing": status.waiting > 0, "queueDepth": status.waiting })))
}

/// Whether events are taken.
pub(super) async fn readiness(
    State(door): State<Arc<Door>>,
) -> (axum::http::StatusCode, Json<Value>) {
    if door.accepts(Duration::ZERO).await {
        (axum::http::StatusCode::OK, Json(json!({ "status": "ready", "mcpReady": true })))
    } else {
        let body =
            json!({ "status": "initializing", "message": "older events are taken in first" });
        (axum::http::StatusCode::SERVICE_UNAVAILABLE, Json(body))
    }
}

/// An answer without a version: clients of the observer take any server that names none.
pub(super) async fn version() -> Json<Value> {
    Json(json!({}))
}
