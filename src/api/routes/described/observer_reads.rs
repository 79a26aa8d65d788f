//! What viewers, MCP servers and plug-ins of the five-stage observer read and change.

use super::Object;
use crate::api::openapi::{Operation, gives};

/// Method, path, and what it is for.
const ROUTES: [(&str, &str, &str); 41] = [
    ("POST", "/api/memory/save", "Remember a text"),
    ("GET", "/api/chroma/status", "How search by meaning stands"),
    ("GET", "/api/sync/status", "Whether anything is kept elsewhere"),
    ("GET", "/api/mcp/status", "Whether models have tools"),
    ("POST", "/api/mcp/toggle", "Refused with a reason"),
    ("GET", "/api/instructions", "How a model is to search"),
    ("GET", "/api/onboarding/explainer", "What a person reads first"),
    ("GET", "/api/settings", "The settings, in the names of the observer"),
    ("POST", "/api/settings", "Change what can be changed"),
    ("GET", "/api/settings/dependency-health", "Whether what is needed is there"),
    ("GET", "/api/logs", "The end of the log"),
    ("POST", "/api/logs/clear", "Refused with a reason"),
    ("GET", "/api/observations", "A page of observations"),
    ("GET", "/api/summaries", "A page of summaries"),
    ("GET", "/api/prompts", "A page of prompts"),
    ("GET", "/api/observation/{id}", "One observation"),
    ("DELETE", "/api/observation/{id}", "Forget an observation"),
    ("GET", "/api/session/{id}", "One summary"),
    ("GET", "/api/summary/{id}", "One summary"),
    ("DELETE", "/api/summary/{id}", "Forget a summary"),
    ("GET", "/api/prompt/{id}", "One prompt"),
    ("DELETE", "/api/prompt/{id}", "Forget a prompt"),
    ("GET", "/api/observations/by-file", "Observations of a file"),
    ("POST", "/api/observations/batch", "Observations by their ids"),
    ("POST", "/api/sdk-sessions/batch", "Sessions by the agent's ids"),
    ("GET", "/api/tool-uses", "Tool uses as they were reported"),
    ("POST", "/api/tool-uses/batch", "Tool uses by their ids"),
    ("GET", "/api/search/observations", "Search observations"),
    ("GET", "/api/search/by-file", "What concerns a file"),
    ("GET", "/api/timeline/by-query", "What stands around the best answer"),
    ("GET", "/api/context/preview", "What a session would be given now, for people"),
    ("GET", "/api/context/recent", "What was done last"),
    ("POST", "/api/context/semantic", "What answers a prompt"),
    ("GET", "/api/corpus", "The collections"),
    ("POST", "/api/corpus", "Make a collection"),
    ("GET", "/api/corpus/{name}", "One collection"),
    ("DELETE", "/api/corpus/{name}", "Forget a collection"),
    ("POST", "/api/corpus/{name}/rebuild", "Fill a collection again"),
    ("POST", "/api/corpus/{name}/prime", "Make a collection ready"),
    ("POST", "/api/corpus/{name}/reprime", "Make a collection ready again"),
    ("POST", "/api/corpus/{name}/query", "Ask a collection"),
];

pub(super) fn operations() -> Vec<Operation> {
    let told = |&(method, path, summary): &(&'static str, &'static str, &'static str)| {
        let operation = gives::<Object>(method, path, summary);
        if method == "POST" { operation.takes::<Object>() } else { operation }
    };
    ROUTES.iter().map(told).collect()
}
