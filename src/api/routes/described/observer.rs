//! What integrations of the five-stage observer ask.

use super::Object;
use crate::api::openapi::{Operation, gives, parameter};

pub(super) fn operations() -> Vec<Operation> {
    let post = |path, summary| gives::<Object>("POST", path, summary).takes::<Object>();
    vec![
        gives::<Object>("GET", "/api/health", "Whether the server is there"),
        gives::<Object>("GET", "/api/readiness", "Whether events are taken in"),
        gives::<Object>("GET", "/api/version", "The release"),
        post("/sessions/init", "Begin a prompt of a session"),
        post("/sessions/{id}/init", "Begin a prompt of a session"),
        post("/api/sessions/init", "Begin a prompt of a session"),
        post("/api/sessions/observations", "Report a tool use"),
        post("/api/sessions/summarize", "Report the end of a turn"),
        post("/api/sessions/complete", "End a session"),
        post("/api/sessions/session-end", "End a session"),
        post("/api/processing", "Say whether a caller works"),
        gives::<Object>("GET", "/api/processing-status", "Whether something is worked on"),
        gives::<Object>("GET", "/api/context/inject", "What a session would be given now")
            .asks(&[
                parameter("project", "string", "The name of a project."),
                parameter("projects", "string", "Names with commas, the last the most special."),
            ])
            .raw("text/plain"),
    ]
}
