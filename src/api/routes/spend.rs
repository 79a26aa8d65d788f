//! What was spent with models, and what sessions were handed for it.

use std::sync::Arc;

use afterword_domain::wire::spend::{SpendBy, SpendReport};
use axum::extract::State;
use serde::Deserialize;

use crate::api::body::{Json, Query};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// The query string of a report.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Which {
    days: String,
    by: String,
}

/// `GET /api/spend?days=&by=`: the last days, today counted; 30 by day unless said otherwise.
pub(super) async fn report(
    State(door): State<Arc<Door>>,
    Query(which): Query<Which>,
) -> ApiResult<Json<SpendReport>> {
    let days = match which.days.trim() {
        "" => 30,
        days => days
            .parse()
            .ok()
            .filter(|n| *n > 0)
            .ok_or_else(|| ApiError::invalid("days must be a whole number of at least 1"))?,
    };
    let by = match which.by.trim() {
        "" => SpendBy::Day,
        by => by.parse().map_err(ApiError::invalid)?,
    };
    Ok(Json(door.engine.ledger().report(by, days).await?))
}
