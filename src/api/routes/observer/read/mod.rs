//! What viewers, MCP servers and plug-ins of the five-stage observer read.
//!
//! Each handler reads what the caller asked, asks the engine, and says it in the observer's words.
//! Routes that other doors have too answer with the keys of both.

mod around;
mod asked;
mod context;
mod corpus;
mod find;
mod rows;
mod text;
mod tools;

use crate::api::table::Access::{Observer, Person, Shared, Token};
use crate::api::table::Table;

/// The routes.
pub(super) fn routes(table: Table) -> Table {
    corpora(table)
        .get("/api/observations", Observer, rows::observations)
        .get("/api/summaries", Observer, rows::summaries)
        .get("/api/prompts", Observer, rows::prompts)
        .get("/api/observation/{id}", Observer, rows::observation)
        .delete("/api/observation/{id}", Token, rows::forget_observation)
        .get("/api/session/{id}", Observer, rows::summary)
        .get("/api/summary/{id}", Observer, rows::summary)
        .delete("/api/summary/{id}", Token, rows::forget_summary)
        .get("/api/prompt/{id}", Observer, rows::prompt)
        .delete("/api/prompt/{id}", Token, rows::forget_prompt)
        .get("/api/observations/by-file", Observer, rows::by_file)
        .post("/api/observations/batch", Observer, rows::batch)
        .post("/api/sdk-sessions/batch", Observer, rows::sessions)
        .get("/api/projects", Shared, rows::projects)
        .get("/api/tool-uses", Observer, tools::list)
        .post("/api/tool-uses/batch", Observer, tools::batch)
        .get("/api/search", Shared, find::search)
        .get("/api/search/observations", Observer, find::observations)
        .get("/api/search/by-file", Observer, find::by_file)
        .get("/api/timeline", Shared, around::timeline)
        .get("/api/timeline/by-query", Observer, around::by_query)
        .get("/api/context/inject", Observer, context::inject)
        .get("/api/context/preview", Observer, context::preview)
        .get("/api/context/recent", Observer, context::recent)
        .post("/api/context/semantic", Observer, context::semantic)
}

fn corpora(table: Table) -> Table {
    table
        .get("/api/corpus", Observer, corpus::list)
        .post("/api/corpus", Observer, corpus::build)
        .get("/api/corpus/{name}", Observer, corpus::show)
        .delete("/api/corpus/{name}", Person, corpus::forget)
        .post("/api/corpus/{name}/rebuild", Observer, corpus::rebuild)
        .post("/api/corpus/{name}/prime", Observer, corpus::prime)
        .post("/api/corpus/{name}/reprime", Observer, corpus::reprime)
        .post("/api/corpus/{name}/query", Observer, corpus::ask)
}
