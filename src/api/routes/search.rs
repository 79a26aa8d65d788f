//! Finding rows again.

use std::sync::Arc;

use afterword_domain::Time;
use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::body::{Json, Query};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// The query string of a search.
#[derive(Debug, Deserialize)]
pub(super) struct SearchQuery {
    #[serde(default)]
    query: String,
    project: Option<String>,
    kind: Option<String>,
    since: Option<String>,
    until: Option<String>,
    highlight: Option<String>,
    file: Option<String>,
    agent: Option<String>,
    limit: Option<String>,
    explain: Option<String>,
}

/// `GET /api/search?query=&project=&kind=&since=&until=&file=&agent=&limit=&highlight=&explain=1`; a
/// day named by `until` counts itself.
pub(super) async fn by_query(
    State(door): State<Arc<Door>>,
    Query(query): Query<SearchQuery>,
) -> ApiResult<Json<SearchAnswer>> {
    let given = |text: Option<String>| text.filter(|t| !t.trim().is_empty());
    let bad = |e: &dyn std::fmt::Display| ApiError::invalid(e.to_string());
    let request = SearchRequest {
        query: query.query,
        project: given(query.project).map(|name| ProjectRef::named(&name)),
        kind: given(query.kind).map(|k| k.parse()).transpose().map_err(|e| bad(&e))?,
        since: given(query.since).map(|t| t.parse()).transpose().map_err(|e| bad(&e))?,
        until: given(query.until).map(|t| Time::end_of(&t)).transpose().map_err(|e| bad(&e))?,
        highlight: given(query.highlight).is_some_and(|word| word != "false" && word != "0"),
        limit: given(query.limit)
            .map(|n| n.parse())
            .transpose()
            .map_err(|_| ApiError::invalid("limit must be a whole number"))?,
        file: given(query.file),
        agent: given(query.agent),
        explain: given(query.explain).is_some_and(|word| !matches!(word.trim(), "0" | "false")),
    };
    Ok(Json(door.engine.search(&request).await?))
}

/// `POST /api/search` with a project known by its keys.
pub(super) async fn by_body(
    State(door): State<Arc<Door>>,
    Json(request): Json<SearchRequest>,
) -> ApiResult<Json<SearchAnswer>> {
    Ok(Json(door.engine.search(&request).await?))
}

/// A project with every key it goes by.
#[derive(Debug, Serialize)]
struct Listed {
    #[serde(flatten)]
    project: Project,
    keys: Vec<String>,
}

/// Every project, last seen first.
pub(super) async fn projects(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let store = door.engine.store();
    let mut items = Vec::new();
    for project in store.list_projects().await? {
        let keys = store.project_keys(project.id).await?;
        items.push(Listed { project, keys });
    }
    let names: Vec<&str> = items.iter().map(|item| item.project.name.as_str()).collect();
    Ok(Json(json!({ "projects": names, "items": items })))
}

/// The project that a reference means; `null` when none is known.
pub(super) async fn find_project(
    State(door): State<Arc<Door>>,
    Json(project): Json<ProjectRef>,
) -> ApiResult<Json<Value>> {
    let found = door.engine.find_project(&project).await?;
    Ok(Json(json!({ "project": found })))
}
