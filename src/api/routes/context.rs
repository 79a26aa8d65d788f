//! The context block, for people.

use std::sync::Arc;

use afterword_domain::wire::context::{ContextBlock, ContextQuestion};
use axum::extract::State;

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// The block with the rows it shows, for a project known by its keys.
pub(super) async fn block(
    State(door): State<Arc<Door>>,
    Json(question): Json<ContextQuestion>,
) -> ApiResult<Json<ContextBlock>> {
    Ok(Json(door.engine.context(&question).await?))
}
