//! The server itself: is it there, how does it stand, leave.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::proof;
use afterword_domain::wire::PROTOCOL;
use afterword_domain::wire::daemon::Ping;
use afterword_domain::wire::status::Status;
use afterword_engine::health::{self, Signs};
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// How long a question for the counts waits for the spool to be taken in.
const SPOOL_PATIENCE: Duration = Duration::from_secs(2);

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
pub(super) async fn alive() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// Counts per stage, after the spool has been taken in.
///
/// What is counted as spooled has been looked at and could not be taken: the store refuses it, its
/// file cannot be read now, or there is more than [`SPOOL_PATIENCE`] takes in. So an event whose
/// file only repeats what is stored (its hook had gone before the answer came) is never counted as
/// received, and the number never runs backwards, but where such a file could not be taken.
pub(super) async fn stages(door: &Door) -> ApiResult<Status> {
    let looked_at = door.look_through_spool(SPOOL_PATIENCE).await;
    let moving = door.spool_gate().await;
    // Rather a file too many than one overlooked.
    let spooled = if looked_at { door.spool_waiting() } else { door.spool_files() };
    let mut status = door.engine.status().await?;
    drop(moving);
    status.spooled = spooled;
    status.received += spooled;
    status.spool_bad = door.spool_bad();
    Ok(status)
}

/// What has failed for longer than it may, the gravest first; an empty list when all is well.
pub(super) async fn troubles(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let status = as_it_stands(&door).await?;
    let troubles = with_signs(&door, &status, status.model_stopped(), health::troubles).await?;
    Ok(Json(json!({ "troubles": troubles })))
}

/// The one line for a person whose session starts; none when all is well. That no model is asked
/// is told once a day and reason: rules serve meanwhile.
pub(super) async fn health_line(door: &Door) -> ApiResult<Option<String>> {
    let status = as_it_stands(door).await?;
    let stopped = match status.model_stopped() {
        Some(why) if door.engine.ledger().tell(why).await? => Some(why),
        _ => None,
    };
    with_signs(door, &status, stopped, health::line).await
}

/// The counts at once: whoever starts a session does not wait for the spool.
async fn as_it_stands(door: &Door) -> ApiResult<Status> {
    let mut status = door.engine.status().await?;
    status.spooled = door.spool_waiting();
    status.spool_bad = door.spool_bad();
    Ok(status)
}

async fn with_signs<T>(
    door: &Door,
    status: &Status,
    stopped: Option<&str>,
    rule: impl Fn(&Signs<'_>) -> T,
) -> ApiResult<T> {
    let due = door.engine.next_due().await?;
    let now = door.engine.clock().now();
    Ok(rule(&Signs { status, due, lost: door.lost(), stopped, now }))
}

/// What is wrong with the store; an empty list when all is well.
pub(super) async fn check(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let problems = door.engine.store().check().await?;
    Ok(Json(json!({ "problems": problems })))
}

/// Puts a new token in force, in the data folder and here.
pub(super) async fn rotate_token(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    door.rotate_token().map_err(|error| ApiError::token_not_kept(&error))?;
    Ok(Json(json!({ "status": "rotated" })))
}

/// A question whose answer takes the token to know; see [`proof`].
#[derive(Debug, Deserialize)]
pub(super) struct Question {
    #[serde(default)]
    nonce: String,
}

/// Proves to a caller that this is the server whose token it has.
pub(super) async fn prove(
    State(door): State<Arc<Door>>,
    Query(question): Query<Question>,
) -> ApiResult<String> {
    let Question { nonce } = question;
    if nonce.is_empty() || nonce.len() > proof::NONCE_CHARS {
        return Err(ApiError::invalid("a nonce has 1 to 128 characters"));
    }
    Ok(proof::answer(&door.token(), &nonce, door.port))
}

/// Whom a request to leave is meant for.
#[derive(Debug, Deserialize)]
pub(super) struct Addressee {
    pid: Option<u32>,
}

/// Asks the server to leave; what is in flight is finished.
///
/// A caller that names a process means that one: a daemon that has just taken its place stays.
pub(super) async fn shutdown(
    State(door): State<Arc<Door>>,
    Query(addressee): Query<Addressee>,
) -> ApiResult<Json<Value>> {
    if addressee.pid.is_some_and(|pid| pid != std::process::id()) {
        return Err(ApiError::conflict("another process was meant"));
    }
    tracing::info!("asked to leave");
    door.stop();
    Ok(Json(json!({ "status": "shutting_down" })))
}
