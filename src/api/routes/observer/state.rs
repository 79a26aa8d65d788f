//! What callers ask about the server.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::scope::Scope;
use afterword_domain::session::SessionStatus;
use afterword_domain::wire::status::Status;
use afterword_domain::{Kind, Time};
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::admin;
use super::call::Call;
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Sessions that are looked through for those that are open.
const SESSIONS: usize = 200;

/// Rows that are looked through for the first observation.
const FIRST_ROWS: usize = 50;

/// `POST /api/processing`: a caller's own spinner; told to nobody, answered so that it goes on.
pub(super) async fn processing(call: Call) -> Json<Value> {
    Json(json!({ "status": "ok", "isProcessing": call.says(&["isProcessing", "is_processing"]) }))
}

/// `GET /api/health`: proof of life. It names no version: clients of the observer take any server
/// that names none.
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok", "initialized": true, "mcpReady": true }))
}

/// Whether turns wait to be distilled.
pub(super) async fn processing_status(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let status = door.engine.status().await?;
    Ok(Json(json!({
        "isProcessing": status.waiting > 0,
        "queueDepth": status.waiting,
        "parkedSessions": status.parked,
    })))
}

/// Whether events are taken.
pub(super) async fn readiness(State(door): State<Arc<Door>>) -> (StatusCode, Json<Value>) {
    if door.accepts(Duration::ZERO).await {
        (StatusCode::OK, Json(json!({ "status": "ready", "mcpReady": true })))
    } else {
        let body =
            json!({ "status": "initializing", "message": "older events are taken in first" });
        (StatusCode::SERVICE_UNAVAILABLE, Json(body))
    }
}

/// An answer without a version: clients of the observer take any server that names none.
pub(super) async fn version() -> Json<Value> {
    Json(json!({}))
}

/// The counts of every stage, and in the observer's words.
#[derive(Debug, Serialize)]
pub(super) struct Stats {
    #[serde(flatten)]
    status: Status,
    worker: Value,
    database: Value,
}

/// `GET /api/stats`: counts per stage, after the spool has been taken in.
pub(super) async fn stats(State(door): State<Arc<Door>>) -> ApiResult<Json<Stats>> {
    let status = admin::stages(&door).await?;
    let store = door.engine.store();
    let sessions = store.list_sessions(Scope::All, SESSIONS).await?;
    let open = sessions.iter().filter(|session| session.status == SessionStatus::Active).count();
    let earliest = store.around(Scope::All, Time::from_millis(0), None, 0, FIRST_ROWS).await?.after;
    let first = earliest.iter().find(|row| row.id.kind == Kind::Observation);
    let up_ms = door.engine.clock().now().millis() - door.started_ms;
    let rows = |kind: Kind| status.rows.get(kind.word()).copied().unwrap_or(0);
    let worker = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "uptime": up_ms / 1000,
        "activeSessions": open,
        "sseClients": door.watching(),
        "port": door.port,
    });
    let database = json!({
        "path": null,
        "size": status.database_bytes,
        "observations": rows(Kind::Observation),
        "sessions": status.sessions,
        "summaries": rows(Kind::Summary),
        "firstObservationAt": first.map(|row| row.created_at),
    });
    Ok(Json(Stats { status, worker, database }))
}

/// `GET /api/settings/dependency-health`: what is missing for all to work. Nothing is needed but a
/// provider where one is set.
pub(super) async fn dependencies(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let status = door.engine.status().await?;
    let stopped: Vec<Value> = status
        .model_stopped()
        .map(|why| {
            json!({
                "dependency": "provider",
                "kind": "setup_required",
                "message": why,
                "remediation": "run 'afterword doctor'",
            })
        })
        .into_iter()
        .collect();
    Ok(Json(json!({ "degraded": !stopped.is_empty(), "statuses": stopped })))
}

/// `GET /api/chroma/status`: how rows are found by meaning. There is no process beside this one for it.
pub(super) async fn vectors(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let status = door.engine.status().await?.embeddings;
    let (word, details) = match (&status.model, &status.problem) {
        (None, _) => {
            ("disabled", "no embedding model is installed: rows are found by words".into())
        }
        (Some(_), Some(problem)) => ("degraded", problem.clone()),
        (Some(model), None) => ("healthy", format!("{model}: {} rows", status.embedded)),
    };
    Ok(Json(json!({
        "status": word,
        "connected": word == "healthy",
        "timestamp": door.engine.clock().now(),
        "details": details,
        "deep": false,
    })))
}

/// `GET /api/sync/status`: nothing is sent to a cloud.
pub(super) async fn sync() -> Json<Value> {
    Json(json!({ "configured": false }))
}

/// `GET /api/mcp/status`: the tools are there as long as the server is.
pub(super) async fn mcp() -> Json<Value> {
    Json(json!({ "enabled": true }))
}

/// `POST /api/mcp/toggle {enabled}`: the tools cannot be switched off here.
pub(super) async fn toggle_mcp(call: Call) -> ApiResult<Json<Value>> {
    if !call.names(&["enabled"]) {
        return Err(ApiError::invalid("enabled is missing: send true or false"));
    }
    if !call.says(&["enabled"]) {
        return Err(ApiError::invalid(
            "the tools are taken out of an agent's settings by 'afterword uninstall'",
        ));
    }
    Ok(Json(json!({ "success": true, "enabled": true })))
}
