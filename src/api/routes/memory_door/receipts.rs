//! How far adds are.

use std::sync::Arc;

use axum::extract::State;

use super::asked::{Paging, uuid};
use super::shape::{Event, Page, event};
use crate::api::body::{Json, UrlPath};
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// `GET /v1/events/`, newest first.
pub(super) async fn list(
    State(door): State<Arc<Door>>,
    paging: Paging,
) -> ApiResult<Json<Page<Event>>> {
    let listed = door.engine.receipts(paging.part()).await?;
    let events = listed.rows.into_iter().map(event).collect();
    Ok(Json(Page::of(&paging, listed.total, events)))
}

/// `GET /v1/event/{id}/`.
pub(super) async fn one(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<String>,
) -> ApiResult<Json<Event>> {
    Ok(Json(event(door.engine.receipt(uuid("event_id", &id)?).await?)))
}
