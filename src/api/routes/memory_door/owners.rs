//! Names that own memories.

use std::sync::Arc;

use afterword_domain::owner::OwnerKind;
use afterword_engine::memories::{KnownOwner, MAX_PAGE, Page as Part};
use axum::extract::State;

use super::asked::Paging;
use super::shape::{Entities, OwnedBy, Page};
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// Most names of a list that comes in one piece.
const MOST: usize = 10_000;

/// The names, at most [`MOST`] of them, and how many there are.
async fn all(door: &Door) -> ApiResult<(u64, Vec<KnownOwner>)> {
    let mut names = Vec::new();
    loop {
        let part = Part { offset: names.len(), limit: MAX_PAGE };
        let listed = door.engine.owners(part).await?;
        let last = listed.rows.len() < MAX_PAGE;
        names.extend(listed.rows);
        if last || names.len() >= MOST {
            return Ok((listed.total, names));
        }
    }
}

/// `GET /v1/entities/`: all of them, and a page where one is asked for.
pub(super) async fn platform(
    State(door): State<Arc<Door>>,
    paging: Paging,
) -> ApiResult<Json<Entities>> {
    let (total, names) = all(&door).await?;
    let counts = OwnerKind::ALL
        .map(|kind| (kind, names.iter().filter(|name| name.kind == kind).count() as u64));
    let page = if paging.asked {
        let rows = door.engine.owners(paging.part()).await?.rows;
        Page::of(&paging, total, rows.into_iter().map(Into::into).collect())
    } else {
        Page::whole(total, names.into_iter().map(Into::into).collect())
    };
    let of_kind = |kind| counts.iter().find(|(known, _)| *known == kind).map_or(0, |(_, n)| *n);
    Ok(Json(Entities::of(page, of_kind)))
}

/// `GET /entities`.
pub(super) async fn bare(State(door): State<Arc<Door>>) -> ApiResult<Json<Vec<OwnedBy>>> {
    Ok(Json(all(&door).await?.1.into_iter().map(Into::into).collect()))
}
