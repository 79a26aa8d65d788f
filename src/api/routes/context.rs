//! The context block, for hooks of others and for people.

use std::sync::Arc;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::context::ContextBlock;
use axum::Json;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::IntoResponse;
use serde::Deserialize;

use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// `project`, or `projects` with commas, the last being the most special.
#[derive(Debug, Deserialize)]
pub(super) struct Which {
    project: Option<String>,
    projects: Option<String>,
}

/// The block as plain text, as observers' hooks ask for it; empty when there is nothing to say.
pub(super) async fn inject(
    State(door): State<Arc<Door>>,
    Query(which): Query<Which>,
) -> ApiResult<impl IntoResponse> {
    let name = which
        .project
        .or_else(|| which.projects.and_then(|names| names.rsplit(',').next().map(str::to_owned)))
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .ok_or_else(|| ApiError::invalid("say which project: ?project=NAME"))?;
    let block = door.engine.context(&ProjectRef::named(&name)).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], block.text))
}

/// The block with the rows it shows, for a project known by its keys.
pub(super) async fn block(
    State(door): State<Arc<Door>>,
    Json(project): Json<ProjectRef>,
) -> ApiResult<Json<ContextBlock>> {
    Ok(Json(door.engine.context(&project).await?))
}
