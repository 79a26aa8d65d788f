//! Texts that say how to use what is here.

use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Value, json};

use super::call::Call;
use crate::api::body::Json;
use crate::api::error::{ApiError, ApiResult};

/// How to find something.
const WORKFLOW: &str = "\
# Finding earlier work

1. search with the words you would use in a sentence gives ids, titles and dates. Narrow it by project.
2. timeline with an id as anchor shows what stood before and after.
3. get_observations with the ids that matter gives them whole. Fetch few.

get_tool_uses gives the raw report of a tool, as far as it is kept; it is long.
";

/// The parameters of a search.
const PARAMETERS: &str = "\
# Parameters of search

- query: any words; all of them need not match
- project: the name of a project; all projects without it
- type: observations, sessions or prompts
- obs_type: types of observations between commas, such as bugfix,decision
- dateStart, dateEnd: a day or a time; the day at the end counts itself
- limit: 1 to 200, 20 without it; offset: rows to leave out
- orderBy: date_desc or date_asc; best first without it
";

/// What questions look like.
const EXAMPLES: &str = "\
# Examples

- search(query=\"how did we fix the login timeout\", project=\"shop\")
- search(query=\"retry queue\", obs_type=\"decision\", dateStart=\"2026-01-01\")
- timeline(anchor=412, depth_before=5, depth_after=5)
- get_observations(ids=[412, 415])
";

/// What this is, for whoever sees it for the first time.
const EXPLAINER: &str = "\
# How this memory works

Hooks report what happens in a session: prompts, tool uses, answers. Each turn becomes observations
and a summary. A session that starts is given what matters of the ones before it.

It begins with the second session in a project. Everything stays in the data folder on this machine,
but for what a provider is sent where one is set.
";

/// `GET /api/instructions?topic=workflow|search_params|examples|all`
pub(super) async fn instructions(call: Call) -> ApiResult<Json<Value>> {
    let text = match call.text(&["topic", "operation"]).as_deref().map(str::trim) {
        None | Some("all") => [WORKFLOW, PARAMETERS, EXAMPLES].join("\n"),
        Some("workflow") => WORKFLOW.to_owned(),
        Some("search_params") => PARAMETERS.to_owned(),
        Some("examples") => EXAMPLES.to_owned(),
        Some(_) => {
            return Err(ApiError::invalid("topic is workflow, search_params, examples or all"));
        }
    };
    Ok(Json(json!({ "content": [{ "type": "text", "text": text }] })))
}

/// `GET /api/onboarding/explainer`
pub(super) async fn explainer() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], EXPLAINER)
}
