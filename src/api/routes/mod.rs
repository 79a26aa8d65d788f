//! Every route, one file a noun.

mod admin;
mod context;
mod events;
mod memories;
mod observer;
mod portable;
mod search;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};

use super::auth;
use super::door::Door;
use super::error::ApiError;

/// Most bytes of an ordinary body.
const BODY_BYTES: usize = 8 * 1024 * 1024;

/// Most bytes of one batch of an import.
const IMPORT_BYTES: usize = 32 * 1024 * 1024;

/// The routes of a server, behind the guard.
pub fn router(door: Arc<Door>) -> Router {
    Router::new()
        .merge(people())
        .merge(observer_door())
        .route("/api/events", post(events::take))
        .route("/api/context/inject", get(context::inject))
        .fallback(async || ApiError::not_found("no such route"))
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&door), auth::guard))
        .with_state(door)
}

/// What people's commands and the viewer ask.
fn people() -> Router<Arc<Door>> {
    Router::new()
        .route("/api/ping", get(admin::ping))
        .route("/health", get(admin::health))
        .route("/api/stats", get(admin::stats))
        .route("/api/check", get(admin::check))
        .route("/api/admin/shutdown", post(admin::shutdown))
        .route("/api/jobs/retry", post(admin::retry_jobs))
        .route("/api/context", post(context::block))
        .route("/api/search", get(search::by_query).post(search::by_body))
        .route("/api/projects", get(search::projects))
        .route("/api/projects/find", post(search::find_project))
        .route("/api/memories", post(memories::remember))
        .route("/api/forget", post(memories::forget))
        .route("/api/export", get(portable::export))
        .route("/api/import", post(portable::import).layer(DefaultBodyLimit::max(IMPORT_BYTES)))
        .route("/stream", get(stream::unnamed))
}

/// What integrations of the five-stage observer ask, old and new spellings.
fn observer_door() -> Router<Arc<Door>> {
    Router::new()
        .route("/api/health", get(admin::health))
        .route("/api/readiness", get(observer::readiness))
        .route("/api/version", get(observer::version))
        .route("/sessions/init", post(observer::init))
        .route("/sessions/{id}/init", post(observer::init_by_id))
        .route("/api/sessions/init", post(observer::init))
        .route("/api/sessions/observations", post(observer::observation))
        .route("/api/sessions/summarize", post(observer::summarize))
        .route("/api/sessions/complete", post(observer::complete))
        .route("/api/sessions/session-end", post(observer::complete))
        .route("/api/processing", post(observer::processing))
        .route("/api/processing-status", get(observer::processing_status))
}
