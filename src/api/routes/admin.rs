//! The server itself: is it there, how does it stand, leave.

use std::sync::Arc;

use afterword_domain::wire::PROTOCOL;
use afterword_domain::wire::daemon::Ping;
use afterword_domain::wire::status::Status;
use axum::extract::State;
use serde_json::{Value, json};

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Proof of life for whoever has the token.
pub(super) async fn ping(State(door): State<Arc<Door>>) -> Json<Ping> {
    let up_ms = door.engine.clock().now().millis() - door.started_ms;
    Json(Ping {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: PROTOCOL,
        pid: std::process::id(),
        uptime_s: u64::try_from(up_ms / 1000).unwrap_or(0),
    })
}

/// Proof of life for everybody, and nothing else.
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// Counts per stage.
pub(super) async fn stats(State(door): State<Arc<Door>>) -> ApiResult<Json<Status>> {
    let mut status = door.engine.status().await?;
    let spool = door.spool_count();
    status.spooled = spool.waiting;
    status.received += spool.waiting;
    status.spool_bad = spool.bad;
    Ok(Json(status))
}

/// What is wrong with the store; an empty list when all is well.
pub(super) async fn check(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let problems = door.engine.store().check().await?;
    Ok(Json(json!({ "problems": problems })))
}

/// Makes parked turns wait again.
pub(super) async fn retry_jobs(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let retried = door.engine.retry_parked().await?;
    Ok(Json(json!({ "retried": retried })))
}

/// Puts a new token in force, in the data folder and here.
pub(super) async fn rotate_token(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    door.rotate_token().map_err(|error| ApiError::token_not_kept(&error))?;
    Ok(Json(json!({ "status": "rotated" })))
}

/// Asks the server to leave; what is in flight is finished.
pub(super) async fn shutdown(State(door): State<Arc<Door>>) -> Json<Value> {
    door.stop();
    Json(json!({ "status": "shutting_down" }))
}
