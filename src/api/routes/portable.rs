//! Export and import, in pages and batches.

use std::sync::Arc;

use afterword_domain::PublicId;
use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::{ImportReport, PortableRow};
use afterword_store::contract::ExportCursor;
use axum::extract::{Request, State};
use serde::{Deserialize, Serialize};

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
#[derive(Debug, Serialize)]
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
    /// The project of rows that name none, as JSON of a project reference.
    project: String,
}

fn one() -> u64 {
    1
}

/// Takes a batch of JSON Lines; bad lines are reported, the others stored.
pub(super) async fn import(
    State(door): State<Arc<Door>>,
    Query(query): Query<ImportQuery>,
    request: Request,
) -> ApiResult<Json<ImportReport>> {
    let lines = body::bytes(request, &()).await?;
    let project: ProjectRef = serde_json::from_str(&query.project)
        .map_err(|e| ApiError::invalid(format!("project is no reference: {e}")))?;
    Ok(Json(
        door.engine
            .import_lines(&String::from_utf8_lossy(&lines), query.first_line, &project)
            .await?,
    ))
}
