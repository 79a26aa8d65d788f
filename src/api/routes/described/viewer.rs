//! What the viewer asks.

use afterword_domain::wire::search::SearchRequest;
use afterword_domain::wire::timeline::WholeRow;
use afterword_domain::wire::viewer::{
    Boot, ContextExplained, Conversations, EvidenceAnswer, Feed, Found, Growth, MergeRequest,
    PauseState, ReviseRequest, Revisions, Story, ViewerSettings,
};

use super::Object;
use crate::api::openapi::{Operation, Parameter, gives, parameter};

const PROJECT: Parameter = parameter("project_id", "integer", "The number of a project.");
const ROW: &[Parameter] = &[parameter("id", "string", "The id of a row.")];

pub(super) fn operations() -> Vec<Operation> {
    let page = |path, summary| gives::<Object>("GET", path, summary).raw("text/html");
    vec![
        page("/", "The viewer"),
        page("/viewer/{*path}", "A file of the viewer").raw("application/octet-stream"),
        page("/sign-in", "Sign a page in by a link").asks(&[parameter(
            "code",
            "string",
            "The code of the link.",
        )]),
        gives::<Object>("POST", "/api/sign-in", "A link that signs a page in once"),
        gives::<Object>("POST", "/api/sign-out", "Sign this page out"),
        gives::<Boot>("GET", "/api/viewer", "What the viewer begins with"),
        gives::<Feed>("GET", "/api/viewer/feed", "What happened, newest first").asks(&[
            PROJECT,
            parameter("kinds", "string", "Kinds of rows, with commas."),
            parameter("before", "string", "The end of the page before."),
            parameter("until", "string", "Only what was made before; a day counts itself."),
            parameter("limit", "integer", "Most entries."),
        ]),
        gives::<Found>("POST", "/api/viewer/search", "Find entries").takes::<SearchRequest>(),
        gives::<Conversations>("GET", "/api/viewer/conversations", "Conversations, newest first")
            .asks(&[PROJECT, parameter("sessions", "integer", "Most sessions.")]),
        gives::<Story>("GET", "/api/viewer/story", "What a session did").asks(&[parameter(
            "session",
            "integer",
            "The number of a session.",
        )]),
        gives::<EvidenceAnswer>("GET", "/api/viewer/evidence", "What a row was distilled from")
            .asks(ROW),
        gives::<ContextExplained>("GET", "/api/viewer/context", "What a session would be given")
            .asks(&[PROJECT]),
        gives::<Growth>("GET", "/api/viewer/growth", "How much was kept by day")
            .asks(&[PROJECT, parameter("days", "integer", "The last days.")]),
        gives::<Revisions>("GET", "/api/viewer/revisions", "What a row said before").asks(ROW),
        gives::<WholeRow>("POST", "/api/viewer/revise", "Change what a row says")
            .takes::<ReviseRequest>(),
        gives::<WholeRow>("POST", "/api/viewer/merge", "Make one row of several")
            .takes::<MergeRequest>(),
        gives::<ViewerSettings>("GET", "/api/viewer/settings", "Settings in force and pauses"),
        gives::<Object>("POST", "/api/viewer/pause", "Stop capture, or let it go on")
            .takes::<PauseState>(),
        gives::<Object>("POST", "/api/viewer/prompt-recall", "Whether prompts are given memories")
            .takes::<Object>(),
    ]
}
