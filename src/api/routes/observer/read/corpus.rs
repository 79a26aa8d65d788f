//! Corpora: named choices of observations that questions are put to.

use std::sync::Arc;

use afterword_domain::wire::observer::{Corpus, CorpusFilter};
use axum::extract::State;
use serde_json::{Value, json};

use super::super::call::Call;
use super::text;
use crate::api::body::{Json, UrlPath};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// `GET /api/corpus`: every corpus, as a tool of an MCP server shows it.
pub(super) async fn list(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    let corpora = door.engine.corpora().await?;
    let short: Vec<Value> = corpora
        .iter()
        .map(|corpus| {
            json!({
                "name": corpus.name,
                "description": corpus.description,
                "stats": corpus.stats,
                "session_id": corpus.session_id,
            })
        })
        .collect();
    let told = serde_json::to_string_pretty(&short).unwrap_or_default();
    Ok(Json(json!({ "content": text::content(&told), "corpora": short })))
}

/// `POST /api/corpus {name, description, project, types, concepts, files, query, date_start, date_end,
/// limit}`
pub(super) async fn build(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Corpus>> {
    let Some(name) = call.text(&["name"]) else {
        return Err(ApiError::invalid("name is missing: say what the corpus is called"));
    };
    let filter = CorpusFilter {
        project: call.text(&["project"]),
        types: call.list(&["types"]),
        concepts: call.list(&["concepts"]),
        files: call.list(&["files"]),
        query: call.text(&["query"]),
        date_start: call.text(&["date_start", "dateStart"]),
        date_end: call.text(&["date_end", "dateEnd"]),
        limit: call.count(&["limit"])?,
    };
    let description = call.text(&["description"]).unwrap_or_default();
    Ok(Json(door.engine.build_corpus(&name, &description, filter).await?))
}

/// `GET /api/corpus/{name}`
pub(super) async fn show(
    State(door): State<Arc<Door>>,
    UrlPath(name): UrlPath<String>,
) -> ApiResult<Json<Corpus>> {
    Ok(Json(door.engine.corpus(&name).await?))
}

/// `DELETE /api/corpus/{name}`: its observations stay.
pub(super) async fn forget(
    State(door): State<Arc<Door>>,
    UrlPath(name): UrlPath<String>,
) -> ApiResult<Json<Value>> {
    door.engine.drop_corpus(&name).await?;
    Ok(Json(json!({ "success": true })))
}

/// `POST /api/corpus/{name}/rebuild`: chooses its observations again.
pub(super) async fn rebuild(
    State(door): State<Arc<Door>>,
    UrlPath(name): UrlPath<String>,
) -> ApiResult<Json<Corpus>> {
    Ok(Json(door.engine.rebuild_corpus(&name).await?))
}

/// `POST /api/corpus/{name}/prime`
pub(super) async fn prime(
    State(door): State<Arc<Door>>,
    UrlPath(name): UrlPath<String>,
) -> ApiResult<Json<Value>> {
    let id = door.engine.prime_corpus(&name, false).await?;
    Ok(Json(json!({ "session_id": id, "name": name })))
}

/// `POST /api/corpus/{name}/reprime`: under a new id.
pub(super) async fn reprime(
    State(door): State<Arc<Door>>,
    UrlPath(name): UrlPath<String>,
) -> ApiResult<Json<Value>> {
    let id = door.engine.prime_corpus(&name, true).await?;
    Ok(Json(json!({ "session_id": id, "name": name })))
}

/// `POST /api/corpus/{name}/query {question}`: the observations of the corpus that answer.
pub(super) async fn ask(
    State(door): State<Arc<Door>>,
    UrlPath(name): UrlPath<String>,
    call: Call,
) -> ApiResult<Json<Value>> {
    let question = call.text(&["question"]).unwrap_or_default();
    let answer = door.engine.ask_corpus(&name, &question).await?;
    let session_id = door.engine.corpus(&name).await?.session_id;
    Ok(Json(json!({ "answer": answer, "session_id": session_id })))
}
