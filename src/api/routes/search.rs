//! Finding rows again.

use std::sync::Arc;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use axum::extract::State;
use serde_json::{Value, json};

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// `POST /api/search` with a project known by its keys.
pub(super) async fn by_body(
    State(door): State<Arc<Door>>,
    Json(request): Json<SearchRequest>,
) -> ApiResult<Json<SearchAnswer>> {
    Ok(Json(door.engine.search(&request).await?))
}

/// The project that a reference means; `null` when none is known.
pub(super) async fn find_project(
    State(door): State<Arc<Door>>,
    Json(project): Json<ProjectRef>,
) -> ApiResult<Json<Value>> {
    let found = door.engine.find_project(&project).await?;
    Ok(Json(json!({ "project": found })))
}
