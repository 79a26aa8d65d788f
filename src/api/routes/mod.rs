//! Every route, one file a noun.

mod admin;
mod context;
mod events;
mod jobs;
mod memories;
mod observer;
mod portable;
mod search;
mod spend;
mod stream;
mod timeline;

use std::sync::Arc;

use afterword_domain::proof;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::post;

use super::auth::{self, Entrance};
use super::door::Door;
use super::error::ApiError;
use super::table::Access::{Everybody, Observer, Token};
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

/// Every route that [`router`] serves.
pub fn routes() -> Vec<Route> {
    table().routes
}

fn table() -> Table {
    observer_door(people(Table::default()))
        .post("/api/events", Token, events::take)
        .post("/api/recall/file", Token, events::before_file)
        .get("/api/context/inject", Observer, context::inject)
}

/// What people's commands and the viewer ask.
fn people(table: Table) -> Table {
    let import = Route { method: "POST", path: "/api/import", access: Token };
    table
        .get("/api/ping", Token, admin::ping)
        .get(proof::PATH, Everybody, admin::prove)
        .get("/health", Everybody, admin::alive)
        .get("/api/stats", Token, admin::stats)
        .get("/api/spend", Token, spend::report)
        .get("/api/troubles", Token, admin::troubles)
        .get("/api/check", Token, admin::check)
        .post("/api/admin/shutdown", Token, admin::shutdown)
        .post("/api/admin/rotate-token", Token, admin::rotate_token)
        .get("/api/jobs", Token, jobs::list)
        .post("/api/jobs/retry", Token, jobs::retry)
        .post("/api/jobs/drop", Token, jobs::give_up)
        .post("/api/context", Token, context::block)
        .get("/api/search", Token, search::by_query)
        .post("/api/search", Token, search::by_body)
        .get("/api/timeline", Token, timeline::by_query)
        .post("/api/timeline", Token, timeline::by_body)
        .post("/api/rows", Token, timeline::rows)
        .get("/api/projects", Token, search::projects)
        .post("/api/projects/find", Token, search::find_project)
        .post("/api/memories", Token, memories::remember)
        .post("/api/forget", Token, memories::forget)
        .get("/api/export", Token, portable::export)
        .add(import, post(portable::import).layer(DefaultBodyLimit::max(IMPORT_BYTES)))
        .get("/stream", Observer, stream::unnamed)
        .get("/api/events/stream", Token, stream::named)
}

/// What integrations of the five-stage observer ask, old and new spellings.
fn observer_door(table: Table) -> Table {
    table
        .get("/api/health", Everybody, admin::alive)
        .get("/api/readiness", Everybody, observer::readiness)
        .get("/api/version", Everybody, observer::version)
        .post("/sessions/init", Observer, observer::init)
        .post("/sessions/{id}/init", Observer, observer::init_by_id)
        .post("/api/sessions/init", Observer, observer::init)
        .post("/api/sessions/observations", Observer, observer::observation)
        .post("/api/sessions/summarize", Observer, observer::summarize)
        .post("/api/sessions/complete", Observer, observer::complete)
        .post("/api/sessions/session-end", Observer, observer::complete)
        .post("/api/processing", Observer, observer::processing)
        .get("/api/processing-status", Observer, observer::processing_status)
}
