//! Every route, one file a noun.

mod admin;
mod context;
mod described;
mod events;
mod jobs;
mod memories;
mod memory_door;
mod observer;
mod portable;
mod search;
mod spend;
mod stream;
mod timeline;
mod viewer;

use std::sync::Arc;

use afterword_domain::proof;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::post;
use serde_json::Value;

use super::auth::{self, Entrance};
use super::body::Json;
use super::door::Door;
use super::error::ApiError;
use super::openapi::document;
use super::shared;
use super::table::Access::{Everybody, Observer, Person, Read, Token};
use super::table::{Route, Table};

/// Most bytes of an ordinary body.
const BODY_BYTES: usize = 8 * 1024 * 1024;

/// Most bytes of one batch of an import.
pub(super) const IMPORT_BYTES: usize = 32 * 1024 * 1024;

/// The routes of a server, behind the guard.
pub fn router(door: Arc<Door>) -> Router {
    let table = table();
    let entrance = Arc::new(Entrance { door: Arc::clone(&door), access: table.access() });
    table
        .router
        .fallback(async || ApiError::not_found("no such route"))
        .method_not_allowed_fallback(async || ApiError::method())
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(entrance, auth::guard))
        .with_state(door)
}

/// The routes that a server for many has, behind a guard that judges by the caller's role: the
/// server has found out who asks, and says so by a [`Caller`](super::Caller) in each request.
pub fn shared_router(door: Arc<Door>) -> Router {
    let table = table();
    let rules = Arc::new(shared::Rules::new(Arc::clone(&door), &table.routes));
    table
        .router
        .fallback(async || ApiError::not_found("no such route"))
        .method_not_allowed_fallback(async || ApiError::method())
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(rules, shared::guard))
        .with_state(door)
}

/// Every route that [`shared_router`] serves, with what it takes of a member.
pub fn shared_routes() -> Vec<Route> {
    shared::of(&table().routes)
}

/// What [`router`] serves, as an OpenAPI document.
async fn openapi() -> Json<Value> {
    Json(document(&routes(), &described::operations()))
}

/// Every route that [`router`] serves.
pub fn routes() -> Vec<Route> {
    table().routes
}

fn table() -> Table {
    memory_door::routes(observer::routes(people(viewer::routes(Table::default()))))
        .post("/api/events", Token, events::take)
        .post("/api/recall/file", Token, events::before_file)
}

/// What people's commands and the viewer ask.
fn people(table: Table) -> Table {
    let import = Route { method: "POST", path: "/api/import", access: Token };
    table
        .get("/openapi.json", Read, openapi)
        .get("/api/ping", Person, admin::ping)
        .get(proof::PATH, Everybody, admin::prove)
        .get("/health", Everybody, admin::alive)
        .get("/api/spend", Person, spend::report)
        .get("/api/troubles", Person, admin::troubles)
        .get("/api/check", Token, admin::check)
        .post("/api/admin/shutdown", Token, admin::shutdown)
        .post("/api/admin/rotate-token", Token, admin::rotate_token)
        .get("/api/jobs", Person, jobs::list)
        .post("/api/jobs/retry", Person, jobs::retry)
        .post("/api/jobs/drop", Person, jobs::give_up)
        .post("/api/context", Token, context::block)
        .post("/api/search", Person, search::by_body)
        .post("/api/timeline", Person, timeline::by_body)
        .post("/api/rows", Person, timeline::rows)
        .post("/api/projects/find", Person, search::find_project)
        .post("/api/memories", Person, memories::remember)
        .post("/api/forget", Person, memories::forget)
        .get("/api/export", Token, portable::export)
        .add(import, post(portable::import).layer(DefaultBodyLimit::max(IMPORT_BYTES)))
        .get("/stream", Observer, stream::unnamed)
        .get("/api/events/stream", Person, stream::named)
}
