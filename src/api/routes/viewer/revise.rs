//! What a person changes.

use std::sync::Arc;

use afterword_domain::wire::timeline::WholeRow;
use afterword_domain::wire::viewer::{MergeRequest, ReviseRequest, Revisions};
use axum::extract::State;

use super::browse::RowQuery;
use crate::api::body::{Json, Query};
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// `POST /api/viewer/revise`
pub(super) async fn revise(
    State(door): State<Arc<Door>>,
    Json(request): Json<ReviseRequest>,
) -> ApiResult<Json<WholeRow>> {
    Ok(Json(door.engine.revise(request).await?))
}

/// `POST /api/viewer/merge`
pub(super) async fn merge(
    State(door): State<Arc<Door>>,
    Json(request): Json<MergeRequest>,
) -> ApiResult<Json<WholeRow>> {
    Ok(Json(door.engine.merge(request).await?))
}

/// `GET /api/viewer/revisions?id=`
pub(super) async fn revisions(
    State(door): State<Arc<Door>>,
    Query(query): Query<RowQuery>,
) -> ApiResult<Json<Revisions>> {
    Ok(Json(door.engine.revisions(query.id).await?))
}
