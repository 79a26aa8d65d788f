//! What stood around a row, and whole rows.

use std::sync::Arc;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::timeline::{
    Anchor, RowsAnswer, RowsRequest, Timeline, TimelineRequest,
};
use axum::extract::State;
use serde::Deserialize;

use crate::api::body::{Json, Query};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// The query string of a timeline.
#[derive(Debug, Deserialize)]
pub(super) struct TimelineQuery {
    anchor: Option<String>,
    #[serde(default)]
    query: String,
    project: Option<String>,
    before: Option<String>,
    after: Option<String>,
}

/// `GET /api/timeline?anchor=&query=&before=&after=&project=`; the anchor is an id or a date.
pub(super) async fn by_query(
    State(door): State<Arc<Door>>,
    Query(query): Query<TimelineQuery>,
) -> ApiResult<Json<Timeline>> {
    let given = |text: Option<String>| text.filter(|t| !t.trim().is_empty());
    let number = |name: &str, text: Option<String>| {
        let parsed = given(text).map(|n| n.trim().parse()).transpose();
        parsed.map_err(|_| ApiError::invalid(format!("{name} must be a whole number")))
    };
    let anchor = given(query.anchor).map(|text| text.parse::<Anchor>()).transpose();
    let request = TimelineRequest {
        anchor: anchor.map_err(|e| ApiError::invalid(e.to_string()))?,
        query: query.query,
        project: given(query.project).map(|name| ProjectRef::named(&name)),
        before: number("before", query.before)?,
        after: number("after", query.after)?,
    };
    Ok(Json(door.engine.timeline(&request).await?))
}

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
