//! Export and import, in pages and batches.

use std::sync::Arc;

use afterword_domain::PublicId;
use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::{ImportReport, PortableRow};
use afterword_store::contract::ExportCursor;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observer;
use crate::api::body::{self, Json, Query};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Most rows of a page, and how many it has unless said.
const PAGE: usize = 500;

/// Which rows to export.
#[derive(Debug, Deserialize)]
pub(super) struct ExportQuery {
    /// A project's key in this database; all projects when it is missing.
    project_id: Option<i64>,
    /// The last row of the page before.
    after: Option<PublicId>,
    limit: Option<usize>,
}

/// One page of rows.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExportPage {
    rows: Vec<PortableRow>,
    /// Ask for the next page after this row; none when this page ends the export.
    next: Option<PublicId>,
}

/// Every row, page by page, by kind and id.
pub(super) async fn export(
    State(door): State<Arc<Door>>,
    Query(query): Query<ExportQuery>,
) -> ApiResult<Json<ExportPage>> {
    let scope = query.project_id.map_or(Scope::All, Scope::Project);
    let after = query.after.map(|id| ExportCursor { kind: id.kind, id: id.number });
    let limit = query.limit.unwrap_or(PAGE);
    if !(1..=PAGE).contains(&limit) {
        return Err(ApiError::invalid(format!("limit is {limit}, and may be 1 to {PAGE}")));
    }
    let page = door.engine.export_page(scope, after, limit).await?;
    let next = page.last().map(|(cursor, _)| PublicId::new(cursor.kind, cursor.id));
    let rows = page.into_iter().map(|(_, row)| row).collect();
    Ok(Json(ExportPage { rows, next }))
}

/// Where a batch of an import stands in its file, and where its rows go.
#[derive(Debug, Deserialize)]
pub(super) struct ImportQuery {
    #[serde(default = "one")]
    first_line: u64,
    /// The project of rows that name none, as JSON of a project reference; none where the body is an
    /// observer's export.
    project: Option<String>,
}

fn one() -> u64 {
    1
}

/// Takes a batch of JSON Lines; bad lines are reported, the others stored. Without `project` it takes
/// what an observer exports.
pub(super) async fn import(
    State(door): State<Arc<Door>>,
    Query(query): Query<ImportQuery>,
    request: Request,
) -> ApiResult<Response> {
    let body = body::bytes(request, &()).await?;
    let Some(project) = query.project else {
        return Ok(observer::import(&door, &body).await?.into_response());
    };
    let project: ProjectRef = serde_json::from_str(&project)
        .map_err(|e| ApiError::invalid(format!("project is no reference: {e}")))?;
    let lines = String::from_utf8_lossy(&body);
    let report: ImportReport = door.engine.import_lines(&lines, query.first_line, &project).await?;
    Ok(Json(report).into_response())
}
