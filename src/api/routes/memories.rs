//! Remember and forget.

use std::sync::Arc;

use afterword_domain::memory::Origin;
use afterword_domain::wire::memory::{ForgetRequest, Forgotten, RememberRequest, Remembered};
use afterword_domain::{Kind, PublicId};
use axum::extract::State;

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// Stores what was said on purpose.
pub(super) async fn remember(
    State(door): State<Arc<Door>>,
    Json(request): Json<RememberRequest>,
) -> ApiResult<Json<Remembered>> {
    let memory = door.engine.remember(request, Origin::Told).await?;
    Ok(Json(Remembered { id: PublicId::new(Kind::Memory, memory.id), uid: memory.uid }))
}

/// Deletes rows for good.
pub(super) async fn forget(
    State(door): State<Arc<Door>>,
    Json(request): Json<ForgetRequest>,
) -> ApiResult<Json<Forgotten>> {
    let forgotten = door.engine.forget(&request.ids).await?;
    let unknown = request.ids.into_iter().filter(|id| !forgotten.contains(id)).collect();
    Ok(Json(Forgotten { forgotten, unknown }))
}
