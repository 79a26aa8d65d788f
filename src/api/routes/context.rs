//! The context block, for hooks of others and for people.

use std::sync::Arc;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::context::{ContextBlock, ContextQuestion};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Deserialize;

use crate::api::body::{Json, Query};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Names of one question that are looked up.
const MOST_NAMES: usize = 16;

/// `project`, or `projects` with commas, the last being the most special.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Which {
    project: String,
    projects: String,
}

impl Which {
    /// The names, the most special first.
    fn names(&self) -> impl Iterator<Item = &str> {
        let listed = self.projects.rsplit(',');
        std::iter::once(self.project.as_str())
            .chain(listed)
            .map(str::trim)
            .filter(|n| !n.is_empty())
    }
}

/// The block as plain text, as observers' hooks ask for it: that of the most special project of
/// which something is remembered; empty when there is nothing to say.
pub(super) async fn inject(
    State(door): State<Arc<Door>>,
    Query(which): Query<Which>,
) -> ApiResult<impl IntoResponse> {
    if which.names().next().is_none() {
        return Err(ApiError::invalid("say which project: ?project=NAME"));
    }
    let mut text = String::new();
    for name in which.names().take(MOST_NAMES) {
        text = door.engine.inject(&ProjectRef::named(name)).await?.text;
        if !text.is_empty() {
            break;
        }
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text))
}

/// The block with the rows it shows, for a project known by its keys.
pub(super) async fn block(
    State(door): State<Arc<Door>>,
    Json(question): Json<ContextQuestion>,
) -> ApiResult<Json<ContextBlock>> {
    Ok(Json(door.engine.context(&question).await?))
}
