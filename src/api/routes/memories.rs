//! Remember and forget.

use std::sync::Arc;

use afterword_domain::memory::Origin;
use afterword_domain::wire::memory::{ForgetRequest, Forgotten, RememberRequest, Remembered};
use afterword_domain::{Kind, PublicId};
use axum::Extension;
use axum::extract::State;

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::ApiResult;
use crate::api::shared::Deed;

/// Stores what was said on purpose.
pub(super) async fn remember(
    State(door): State<Arc<Door>>,
    Json(request): Json<RememberRequest>,
) -> ApiResult<(Extension<Deed>, Json<Remembered>)> {
    let memory = door.engine.remember(request, Origin::Told).await?;
    let id = PublicId::new(Kind::Memory, memory.id);
    Ok((Extension(Deed::to(&[id])), Json(Remembered { id, uid: memory.uid })))
}

/// Deletes rows for good.
pub(super) async fn forget(
    State(door): State<Arc<Door>>,
    Json(request): Json<ForgetRequest>,
) -> ApiResult<(Extension<Deed>, Json<Forgotten>)> {
    let forgotten = door.engine.forget(&request.ids).await?;
    let deed = Deed::to(&forgotten);
    let unknown = request.ids.into_iter().filter(|id| !forgotten.contains(id)).collect();
    Ok((Extension(deed), Json(Forgotten { forgotten, unknown })))
}
