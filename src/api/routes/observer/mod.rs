//! The observer door: bodies that integrations of the five-stage observer send, old spellings and
//! new, translated into the same intake, and what viewers, MCP servers and plug-ins of it read.
//!
//! Every answer carries the keys of both spellings. Nothing here waits for distilling. `call` reads
//! what callers send, `session` has the five stages, `read` what is remembered, `state` what they ask
//! about the server, `settings` and `import` the rest.

mod call;
mod guide;
mod import;
mod read;
mod session;
mod settings;
mod state;

pub(super) use import::import;

use crate::api::table::Access::{Everybody, Observer, Person, Shared};
use crate::api::table::Table;

/// The routes.
pub(super) fn routes(table: Table) -> Table {
    about_the_server(read::routes(table))
        .post("/sessions/init", Observer, session::init)
        .post("/sessions/{id}/init", Observer, session::init_by_id)
        .post("/api/sessions/init", Observer, session::init)
        .post("/api/sessions/observations", Observer, session::observation)
        .post("/api/sessions/summarize", Observer, session::summarize)
        .post("/api/sessions/complete", Observer, session::complete)
        .post("/api/sessions/session-end", Observer, session::complete)
        .post("/api/memory/save", Observer, session::remember)
        .post("/api/processing", Observer, state::processing)
}

fn about_the_server(table: Table) -> Table {
    table
        .get("/api/health", Everybody, state::health)
        .get("/api/readiness", Everybody, state::readiness)
        .get("/api/version", Everybody, state::version)
        .get("/api/stats", Shared, state::stats)
        .get("/api/processing-status", Observer, state::processing_status)
        .get("/api/chroma/status", Observer, state::vectors)
        .get("/api/sync/status", Observer, state::sync)
        .get("/api/mcp/status", Observer, state::mcp)
        .post("/api/mcp/toggle", Person, state::toggle_mcp)
        .get("/api/instructions", Observer, guide::instructions)
        .get("/api/onboarding/explainer", Observer, guide::explainer)
        .get("/api/settings", Observer, settings::show)
        .post("/api/settings", Person, settings::change)
        .get("/api/settings/dependency-health", Observer, state::dependencies)
        .get("/api/logs", Person, settings::log)
        .post("/api/logs/clear", Person, settings::clear_log)
}
