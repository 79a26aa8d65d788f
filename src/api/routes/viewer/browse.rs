//! What the viewer looks at.

use std::sync::Arc;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::context::ContextQuestion;
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::wire::viewer::{
    ContextExplained, Conversations, EvidenceAnswer, Feed, FeedRequest, Found, Growth, Story,
};
use afterword_domain::{Kind, PublicId, Time};
use axum::extract::State;
use serde::Deserialize;

use crate::api::body::{Json, Query};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Days of growth where no number is asked for.
const DAYS: u32 = 90;

/// The query string of the feed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FeedQuery {
    project_id: Option<i64>,
    kinds: String,
    before: String,
    until: String,
    limit: Option<usize>,
}

/// `GET /api/viewer/feed?project_id=&kinds=&before=&until=&limit=`: `kinds` with commas; a day named
/// by `until` counts itself.
pub(super) async fn feed(
    State(door): State<Arc<Door>>,
    Query(query): Query<FeedQuery>,
) -> ApiResult<Json<Feed>> {
    let bad = |error: &dyn std::fmt::Display| ApiError::invalid(error.to_string());
    let given = |text: String| Some(text).filter(|text| !text.trim().is_empty());
    let kinds = query.kinds.split(',').map(str::trim).filter(|word| !word.is_empty());
    let kinds: Result<Vec<Kind>, _> = kinds.map(str::parse).collect();
    let request = FeedRequest {
        project_id: query.project_id,
        kinds: kinds.map_err(|e| bad(&e))?,
        before: given(query.before).map(|t| t.parse()).transpose().map_err(|e| bad(&e))?,
        until: given(query.until).map(|t| Time::end_of(&t)).transpose().map_err(|e| bad(&e))?,
        limit: query.limit,
    };
    Ok(Json(door.engine.feed(&request).await?))
}

/// `POST /api/viewer/search`: as `POST /api/search`, answered for a list.
pub(super) async fn search(
    State(door): State<Arc<Door>>,
    Json(request): Json<SearchRequest>,
) -> ApiResult<Json<Found>> {
    if request.limit == Some(0) {
        return Err(ApiError::invalid("limit must be at least 1"));
    }
    Ok(Json(door.engine.find(&request).await?))
}

/// Which sessions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SessionsQuery {
    project_id: Option<i64>,
    sessions: Option<usize>,
}

/// `GET /api/viewer/conversations?project_id=&sessions=`
pub(super) async fn conversations(
    State(door): State<Arc<Door>>,
    Query(query): Query<SessionsQuery>,
) -> ApiResult<Json<Conversations>> {
    Ok(Json(door.engine.conversations(query.project_id, query.sessions).await?))
}

/// Which session.
#[derive(Debug, Deserialize)]
pub(super) struct StoryQuery {
    session: i64,
}

/// `GET /api/viewer/story?session=`
pub(super) async fn story(
    State(door): State<Arc<Door>>,
    Query(query): Query<StoryQuery>,
) -> ApiResult<Json<Story>> {
    Ok(Json(door.engine.story(query.session).await?))
}

/// Which row.
#[derive(Debug, Deserialize)]
pub(super) struct RowQuery {
    pub(super) id: PublicId,
}

/// `GET /api/viewer/evidence?id=`
pub(super) async fn evidence(
    State(door): State<Arc<Door>>,
    Query(query): Query<RowQuery>,
) -> ApiResult<Json<EvidenceAnswer>> {
    Ok(Json(door.engine.whole_evidence(query.id).await?))
}

/// Which project.
#[derive(Debug, Deserialize)]
pub(super) struct ProjectQuery {
    project_id: i64,
}

/// `GET /api/viewer/context?project_id=`: what a session that starts in the project's folder now
/// would be given.
pub(super) async fn context(
    State(door): State<Arc<Door>>,
    Query(query): Query<ProjectQuery>,
) -> ApiResult<Json<ContextExplained>> {
    let project = project(&door, query.project_id).await?;
    let Some(machine) = door.machine.clone() else {
        let question = ContextQuestion { project, ..ContextQuestion::default() };
        return Ok(Json(door.engine.explain_context(&question).await?));
    };
    let looked = tokio::task::spawn_blocking(move || {
        (machine.question(&project), machine.is_paused(Some(&project)))
    });
    let (question, paused) = looked.await.map_err(|_| ApiError::timeout())?;
    let mut explained = door.engine.explain_context(&question).await?;
    explained.switched_off |= paused;
    Ok(Json(explained))
}

/// A project by its key, as hooks would name it.
pub(super) async fn project(door: &Door, id: i64) -> ApiResult<ProjectRef> {
    let store = door.engine.store();
    let found = store.list_projects().await?.into_iter().find(|project| project.id == id);
    let found = found.ok_or_else(|| ApiError::not_found("there is no such project"))?;
    let keys = store.project_keys(id).await?;
    Ok(ProjectRef { keys, root: found.root, ..ProjectRef::named(&found.name) })
}

/// Which days of which project.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GrowthQuery {
    project_id: Option<i64>,
    days: Option<u32>,
}

/// `GET /api/viewer/growth?project_id=&days=`
pub(super) async fn growth(
    State(door): State<Arc<Door>>,
    Query(query): Query<GrowthQuery>,
) -> ApiResult<Json<Growth>> {
    Ok(Json(door.engine.growth(query.project_id, query.days.unwrap_or(DAYS)).await?))
}
