//! Pages, single rows and batches.

use std::sync::Arc;

use afterword_domain::project::Project;
use afterword_domain::wire::observer::{ObserverProjects, ObserverSession};
use afterword_domain::{Kind, PublicId};
use afterword_engine::observer::{ObserverRow, Order, PageRequest};
use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::call::Call;
use super::asked;
use crate::api::body::{Json, UrlPath};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Observations of a file where no number is asked for, and most of them.
const OF_FILE: usize = 50;
const MOST_OF_FILE: usize = 100;

/// `GET /api/observations?offset=&limit=&project=&platformSource=`: newest first.
pub(super) async fn observations(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<Json<Value>> {
    page(&door, &call, Kind::Observation).await
}

/// `GET /api/summaries`: as observations.
pub(super) async fn summaries(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    page(&door, &call, Kind::Summary).await
}

/// `GET /api/prompts`: as observations.
pub(super) async fn prompts(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    page(&door, &call, Kind::Prompt).await
}

async fn page(door: &Door, call: &Call, kind: Kind) -> ApiResult<Json<Value>> {
    let request = PageRequest {
        offset: call.count(&["offset"])?.unwrap_or(0),
        limit: call.count(&["limit"])?,
        project: call.named_project(),
        platform: call.platform(),
    };
    let (items, more) = door.engine.observer_page(kind, &request).await?;
    Ok(Json(json!({
        "items": items,
        "hasMore": more,
        "offset": request.offset,
        "limit": request.most(),
    })))
}

/// `GET /api/observation/{id}`
pub(super) async fn observation(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<i64>,
) -> ApiResult<Json<ObserverRow>> {
    one(&door, Kind::Observation, id).await
}

/// `GET /api/summary/{id}` and `GET /api/session/{id}`: a summary by its key, under its older name
/// too.
pub(super) async fn summary(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<i64>,
) -> ApiResult<Json<ObserverRow>> {
    one(&door, Kind::Summary, id).await
}

/// `GET /api/prompt/{id}`
pub(super) async fn prompt(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<i64>,
) -> ApiResult<Json<ObserverRow>> {
    one(&door, Kind::Prompt, id).await
}

async fn one(door: &Door, kind: Kind, id: i64) -> ApiResult<Json<ObserverRow>> {
    let found = door.engine.observer_rows(&[PublicId::new(kind, id)], None).await?;
    found.into_iter().next().map(Json).ok_or_else(|| gone(kind, id))
}

fn gone(kind: Kind, id: i64) -> ApiError {
    ApiError::not_found(format!("{kind} #{id} not found"))
}

/// `DELETE /api/observation/{id}`: forgets it for good.
pub(super) async fn forget_observation(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<i64>,
) -> ApiResult<Json<Value>> {
    forget(&door, Kind::Observation, id).await
}

/// `DELETE /api/summary/{id}`
pub(super) async fn forget_summary(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<i64>,
) -> ApiResult<Json<Value>> {
    forget(&door, Kind::Summary, id).await
}

/// `DELETE /api/prompt/{id}`
pub(super) async fn forget_prompt(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<i64>,
) -> ApiResult<Json<Value>> {
    forget(&door, Kind::Prompt, id).await
}

async fn forget(door: &Door, kind: Kind, id: i64) -> ApiResult<Json<Value>> {
    if door.engine.forget(&[PublicId::new(kind, id)]).await?.is_empty() {
        return Err(gone(kind, id));
    }
    // The observer gives the id as a text here, and a revision of its cloud.
    Ok(Json(json!({ "success": true, "id": id.to_string(), "kind": kind, "entity_rev": null })))
}

/// `GET /api/observations/by-file?path=&path=&projects=&limit=`: newest first.
pub(super) async fn by_file(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let files = call.texts("path");
    if files.is_empty() {
        return Err(ApiError::invalid("path is missing: say which file, ?path=src/main.rs"));
    }
    let limit = call.count(&["limit"])?.unwrap_or(OF_FILE).clamp(1, MOST_OF_FILE);
    let projects = call.list(&["projects", "project"]);
    let found = door.engine.observer_by_file(&files, &projects, limit).await?;
    Ok(Json(json!({ "count": found.len(), "observations": found })))
}

/// `POST /api/observations/batch {ids, orderBy, limit, project}`: newest first unless said; with
/// public ids rows of other kinds too.
pub(super) async fn batch(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<Json<Vec<ObserverRow>>> {
    let ids = asked::ids(&call, Kind::Observation)?;
    let project = call.named_project();
    let mut rows = door.engine.observer_rows(&ids, project.as_ref()).await?;
    let order = asked::order(&call)?.unwrap_or(Order::NewestFirst);
    rows.sort_by_key(ObserverRow::created_at_epoch);
    if order == Order::NewestFirst {
        rows.reverse();
    }
    rows.truncate(call.count(&["limit"])?.unwrap_or(usize::MAX));
    Ok(Json(rows))
}

/// `POST /api/sdk-sessions/batch {memorySessionIds}`: sessions by agents' ids of them.
pub(super) async fn sessions(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<Json<Vec<ObserverSession>>> {
    const NAMES: [&str; 3] = ["memorySessionIds", "sdkSessionIds", "contentSessionIds"];
    if !call.names(&NAMES) {
        return Err(ApiError::invalid("memorySessionIds is missing: send a list of session ids"));
    }
    Ok(Json(door.engine.observer_sessions(&call.list(&NAMES)).await?))
}

/// A project with every key it goes by.
#[derive(Debug, Serialize)]
struct Listed {
    #[serde(flatten)]
    project: Project,
    keys: Vec<String>,
}

/// What `GET /api/projects` answers, in the words of both doors.
#[derive(Debug, Serialize)]
pub(super) struct Projects {
    #[serde(flatten)]
    observer: ObserverProjects,
    items: Vec<Listed>,
}

/// `GET /api/projects?platformSource=`: every project, last seen first.
pub(super) async fn projects(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<Json<Projects>> {
    let platform = call.platform();
    let observer = door.engine.observer_projects(platform.as_deref()).await?;
    let store = door.engine.store();
    let mut items = Vec::new();
    for project in store.list_projects().await? {
        if observer.projects.contains(&project.name) {
            let keys = store.project_keys(project.id).await?;
            items.push(Listed { project, keys });
        }
    }
    Ok(Json(Projects { observer, items }))
}
