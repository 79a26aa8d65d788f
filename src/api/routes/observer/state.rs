//! What callers ask about the server.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::call::Call;
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// `POST /api/processing`: a caller's own spinner; told to nobody, answered so that it goes on.
pub(in crate::api::routes) async fn processing(call: Call) -> Json<Value> {
    Json(json!({ "status": "ok", "isProcessing": call.says(&["isProcessing", "is_processing"]) }))
}

/// Whether turns wait to be distilled.
pub(in crate::api::routes) async fn processing_status(
    State(door): State<Arc<Door>>,
) -> ApiResult<Json<Value>> {
    let status = door.engine.status().await?;
    Ok(Json(json!({ "isProcessing": status.waiting > 0, "queueDepth": status.waiting })))
}

/// Whether events are taken.
pub(in crate::api::routes) async fn readiness(
    State(door): State<Arc<Door>>,
) -> (StatusCode, Json<Value>) {
    if door.accepts(Duration::ZERO).await {
        (StatusCode::OK, Json(json!({ "status": "ready", "mcpReady": true })))
    } else {
        let body =
            json!({ "status": "initializing", "message": "older events are taken in first" });
        (StatusCode::SERVICE_UNAVAILABLE, Json(body))
    }
}

/// An answer without a version: clients of the observer take any server that names none.
pub(in crate::api::routes) async fn version() -> Json<Value> {
    Json(json!({}))
}
