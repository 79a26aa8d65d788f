//! Searches: one answer with the keys of this door and of the people's.

use std::sync::Arc;

use afterword_domain::Kind;
use afterword_domain::wire::observer;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use afterword_engine::observer::{ObserverFound, ObserverQuestion, ObserverRow};
use axum::extract::State;
use serde::Serialize;
use serde_json::Value;

use super::super::call::Call;
use super::{asked, text};
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// What to do with what was found, for a model.
const THEN: &str = "\nget_observations with ids gives observations whole; #S, #P and #M are a summary, a prompt and a memory.";

/// The answer of a search. `results`, `total` and `hint` are those of every search; the others are
/// the observer's.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    #[serde(flatten)]
    answer: SearchAnswer,
    /// For a tool of an MCP server.
    content: Value,
    /// The observations, where only these were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<ObserverRow>>,
    #[serde(flatten)]
    by_kind: Option<ByKind>,
}

/// The rows by kind, with `format=json`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ByKind {
    observations: Vec<ObserverRow>,
    sessions: Vec<ObserverRow>,
    prompts: Vec<ObserverRow>,
    memories: Vec<ObserverRow>,
    total_results: usize,
    query: String,
}

/// `GET /api/search?query=&project=&kind=&since=&until=&file=&agent=&limit=&highlight=&explain=1`; a
/// day named by `until` counts itself. The observer's spellings: `type`, `obs_type`, `concepts`,
/// `files`, `platformSource`, `dateStart`, `dateEnd`, `offset`, `orderBy`, `format=json`.
pub(super) async fn search(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Found>> {
    let question = question(&call)?;
    let found = door.engine.observer_search(&question).await?;
    let json = call.text(&["format"]).is_some_and(|format| format.trim() == "json");
    let by_kind = json.then(|| by_kind(&question.request.query, &found));
    Ok(Json(answer(&call, &question, found, by_kind, None)))
}

/// `GET /api/search/observations?query=…`: observations only.
pub(super) async fn observations(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<Json<Found>> {
    let question = ObserverQuestion { kinds: vec![Kind::Observation], ..question(&call)? };
    let found = door.engine.observer_search(&question).await?;
    let items = Some(found.rows.clone());
    Ok(Json(answer(&call, &question, found, None, items)))
}

/// `GET /api/search/by-file?filePath=`: observations and summaries that concern a file, newest first.
pub(super) async fn by_file(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Found>> {
    const FILE: [&str; 4] = ["filePath", "file_path", "path", "files"];
    let mut question = question(&call)?;
    question.files = call.list(&FILE);
    if question.files.is_empty() {
        return Err(ApiError::invalid("filePath is missing: say which file"));
    }
    question.request.query = String::new();
    question.kinds = vec![Kind::Observation, Kind::Summary];
    let found = door.engine.observer_search(&question).await?;
    let items = Some(found.rows.clone());
    Ok(Json(answer(&call, &question, found, None, items)))
}

fn answer(
    call: &Call,
    question: &ObserverQuestion,
    found: ObserverFound,
    by_kind: Option<ByKind>,
    items: Option<Vec<ObserverRow>>,
) -> Found {
    let project = call.text(&["project"]);
    let query = match question.files.as_slice() {
        [file] if question.request.query.is_empty() => file,
        _ => &question.request.query,
    };
    let told = text::found(query, project.as_deref(), &found.rows, THEN);
    Found { answer: found.answer, content: text::content(&told), items, by_kind }
}

fn by_kind(query: &str, found: &ObserverFound) -> ByKind {
    let mut kinds =
        ByKind { total_results: found.answer.total, query: query.to_owned(), ..ByKind::default() };
    for row in &found.rows {
        let list = match row {
            ObserverRow::Observation(_) => &mut kinds.observations,
            ObserverRow::Summary(_) => &mut kinds.sessions,
            ObserverRow::Prompt(_) => &mut kinds.prompts,
            ObserverRow::Memory(_) => &mut kinds.memories,
        };
        list.push(row.clone());
    }
    kinds
}

/// What a caller asks, in either door's words.
fn question(call: &Call) -> ApiResult<ObserverQuestion> {
    let yes =
        |name: &str| call.text(&[name]).is_some_and(|word| !matches!(word.trim(), "0" | "false"));
    let kind = call.text(&["kind"]).map(|kind| kind.parse()).transpose();
    let agent =
        call.text(&["agent"]).or_else(|| call.platform().map(|name| observer::agent(&name)));
    let mut types = call.list(&["obs_type", "obsType"]);
    let kinds = match call.text(&["type"]).as_deref().map(str::trim) {
        None => Vec::new(),
        Some("observations") => vec![Kind::Observation],
        Some("sessions") => vec![Kind::Summary],
        Some("prompts") => vec![Kind::Prompt],
        // The observer's other name for a type of observations.
        Some(_) => {
            types.extend(call.list(&["type"]));
            vec![Kind::Observation]
        }
    };
    Ok(ObserverQuestion {
        request: SearchRequest {
            query: call.text(&["query", "q"]).unwrap_or_default(),
            project: call.named_project(),
            kind: kind.map_err(asked::invalid)?,
            since: asked::since(call)?,
            until: asked::until(call)?,
            file: call.text(&["file"]),
            agent,
            limit: call.count(&["limit"])?,
            highlight: yes("highlight"),
            explain: yes("explain"),
        },
        kinds,
        types,
        concepts: call.list(&["concepts"]),
        files: call.list(&["files"]),
        offset: call.count(&["offset"])?.unwrap_or(0),
        order: asked::order(call)?,
    })
}
