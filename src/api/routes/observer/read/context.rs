//! Context: what a session is given, and what it would be given.

use std::collections::HashSet;
use std::sync::Arc;

use afterword_domain::Kind;
use afterword_domain::project::ProjectRef;
use afterword_domain::wire::context::{ContextBlock, ContextQuestion};
use afterword_domain::wire::observer::ObserverSummary;
use afterword_engine::observer::{ObserverRow, PageRequest};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Value, json};

use super::super::call::Call;
use super::text;
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Names of one question that are looked up.
const MOST_NAMES: usize = 16;

/// Sessions that are told of where no number is asked for, and most of them.
const SESSIONS: usize = 3;
const MOST_SESSIONS: usize = 50;

/// Summaries that are looked through for them.
const SUMMARIES: usize = 100;

/// A text of fewer characters is no question to answer from memory.
const QUESTION_CHARS: usize = 20;

/// `GET /api/context/inject?project=` or `projects=` with commas, the last being the most special: the
/// block as plain text, that of the most special project of which something is remembered; empty
/// when there is nothing to say. With `colors=true` as a person reads it on a terminal.
pub(super) async fn inject(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<impl IntoResponse> {
    let names = names(&call);
    if names.is_empty() {
        return Err(ApiError::invalid("say which project: ?project=NAME"));
    }
    let for_people = call.says(&["colors"]);
    let mut said = String::new();
    for name in names {
        let project = ProjectRef::named(&name);
        said = if for_people {
            // Whoever is given the block is given it by the other call.
            block(&door, project).await?
        } else {
            door.engine.inject(&project).await?.text
        };
        if !said.is_empty() {
            break;
        }
    }
    Ok(plain(if for_people { text::for_people(&said) } else { said }))
}

/// `GET /api/context/preview?project=`: what the next session would be given, as a person reads it.
pub(super) async fn preview(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<impl IntoResponse> {
    let Some(project) = call.named_project() else {
        return Err(ApiError::invalid("say which project: ?project=NAME"));
    };
    Ok(plain(text::for_people(&block(&door, project).await?)))
}

/// `GET /api/context/recent?project=&limit=`: the last summaries and observations, of every project
/// unless one is named.
pub(super) async fn recent(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let limit = call.count(&["limit"])?.unwrap_or(SESSIONS).clamp(1, MOST_SESSIONS);
    let project = call.text(&["project"]);
    let page = |limit: usize| PageRequest {
        limit: Some(limit),
        project: call.named_project(),
        platform: call.platform(),
        ..PageRequest::default()
    };
    let (mut summaries, _) = door.engine.observer_page(Kind::Summary, &page(SUMMARIES)).await?;
    // A session's own summary stands for those of its turns.
    let whole: HashSet<String> =
        summaries.iter().filter_map(summary).filter(|row| row.prompt_number == 0).map(of).collect();
    summaries.retain(|row| {
        summary(row).is_some_and(|row| row.prompt_number == 0 || !whole.contains(&of(row)))
    });
    summaries.truncate(limit);
    let (observations, _) = door.engine.observer_page(Kind::Observation, &page(limit)).await?;
    let content = text::content(&text::recent(project.as_deref(), &summaries));
    Ok(Json(json!({
        "content": content,
        "session_summaries": summaries,
        "recent_observations": observations,
    })))
}

/// `POST /api/context/semantic {q, project}`: the few rows that answer a prompt, or nothing; at most
/// three, whatever `limit` says.
pub(super) async fn semantic(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let question = call.text(&["q", "query"]).unwrap_or_default();
    let project = call.named_project();
    let block = match project {
        Some(project) if question.trim().chars().count() >= QUESTION_CHARS => {
            door.engine.observer_answer(&project, &question).await?
        }
        _ => ContextBlock::default(),
    };
    Ok(Json(json!({ "context": block.text, "count": block.shown.len() })))
}

fn summary(row: &ObserverRow) -> Option<&ObserverSummary> {
    match row {
        ObserverRow::Summary(row) => Some(row),
        _ => None,
    }
}

/// Which session a summary is of.
fn of(row: &ObserverSummary) -> String {
    format!("{} {}", row.platform_source, row.session_id)
}

/// The names of projects that a caller gives, the most special first.
fn names(call: &Call) -> Vec<String> {
    let mut names: Vec<String> = call.text(&["project"]).into_iter().collect();
    names.extend(call.list(&["projects"]).into_iter().rev());
    names.truncate(MOST_NAMES);
    names
}

async fn block(door: &Door, project: ProjectRef) -> ApiResult<String> {
    let question = ContextQuestion { project, ..ContextQuestion::default() };
    Ok(door.engine.context(&question).await?.text)
}

fn plain(text: String) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text)
}
