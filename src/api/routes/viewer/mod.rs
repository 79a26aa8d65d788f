//! The viewer: its files, how a page signs in, and what only it asks.

mod browse;
mod page;
mod revise;
mod settings;

use crate::api::table::Access::{Page, Person, Token};
use crate::api::table::Table;

pub(super) use settings::ask;

/// The routes of the viewer.
pub(super) fn routes(table: Table) -> Table {
    table
        .get("/", Page, page::index)
        .get("/viewer/{*path}", Page, page::file)
        .get("/sign-in", Page, page::sign_in)
        .post("/api/sign-in", Token, page::link)
        .post("/api/sign-out", Person, page::sign_out)
        .get("/api/viewer", Person, settings::boot)
        .get("/api/viewer/feed", Person, browse::feed)
        .post("/api/viewer/search", Person, browse::search)
        .get("/api/viewer/conversations", Person, browse::conversations)
        .get("/api/viewer/story", Person, browse::story)
        .get("/api/viewer/evidence", Person, browse::evidence)
        .get("/api/viewer/context", Person, browse::context)
        .get("/api/viewer/growth", Person, browse::growth)
        .get("/api/viewer/revisions", Person, revise::revisions)
        .post("/api/viewer/revise", Person, revise::revise)
        .post("/api/viewer/merge", Person, revise::merge)
        .get("/api/viewer/settings", Person, settings::settings)
        .post("/api/viewer/pause", Person, settings::pause)
        .post("/api/viewer/prompt-recall", Person, settings::prompt_recall)
}
