//! What stood around a row, and whole rows.

use std::sync::Arc;

use afterword_domain::wire::timeline::{RowsAnswer, RowsRequest, Timeline, TimelineRequest};
use axum::extract::State;

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// `POST /api/timeline` with a project known by its keys.
pub(super) async fn by_body(
    State(door): State<Arc<Door>>,
    Json(request): Json<TimelineRequest>,
) -> ApiResult<Json<Timeline>> {
    Ok(Json(door.engine.timeline(&request).await?))
}

/// `POST /api/rows`: whole rows by their ids.
pub(super) async fn rows(
    State(door): State<Arc<Door>>,
    Json(request): Json<RowsRequest>,
) -> ApiResult<Json<RowsAnswer>> {
    Ok(Json(door.engine.whole_rows(&request).await?))
}
