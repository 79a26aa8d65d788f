//! Whether the service is there, and takes the token.

use schemars::JsonSchema;
use serde::Serialize;

use crate::api::body::Json;

/// That the service is there. Clients want names of an organisation and a project, and send them
/// along later, where nothing depends on them: the token says whose memories are meant.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Pong {
    /// Always `ok`.
    status: &'static str,
    /// Never empty.
    org_id: &'static str,
    /// Never empty.
    project_id: &'static str,
    /// Nobody's.
    user_email: Option<String>,
}

/// `GET /v1/ping/`.
pub(super) async fn ping() -> Json<Pong> {
    let (org_id, project_id) = ("afterword", "afterword");
    Json(Pong { status: "ok", org_id, project_id, user_email: None })
}
