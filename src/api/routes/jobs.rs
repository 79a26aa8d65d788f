//! The queues: what waits, what failed, once more or given up.

use std::sync::Arc;

use afterword_domain::wire::jobs::{JobList, JobRequest, JobsDropped, JobsRetried};
use axum::extract::State;

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// Jobs that wait, are worked on or are parked.
pub(super) async fn list(State(door): State<Arc<Door>>) -> ApiResult<Json<JobList>> {
    Ok(Json(door.engine.jobs().await?))
}

/// Makes jobs wait again: those named, or all parked ones.
pub(super) async fn retry(
    State(door): State<Arc<Door>>,
    Json(request): Json<JobRequest>,
) -> ApiResult<Json<JobsRetried>> {
    let held = door.engine.held();
    let ids = door.engine.retry_jobs(&request.ids).await?;
    let was_held = held.filter(|_| door.engine.held().is_none());
    Ok(Json(JobsRetried { retried: ids.len() as u64, ids, was_held }))
}

/// Gives jobs up: those named, or all parked ones.
pub(super) async fn give_up(
    State(door): State<Arc<Door>>,
    Json(request): Json<JobRequest>,
) -> ApiResult<Json<JobsDropped>> {
    let ids = door.engine.drop_jobs(&request.ids).await?;
    Ok(Json(JobsDropped { dropped: ids.len() as u64, ids }))
}
