//! Whole rows out of one store and into another.

use afterword_domain::owner::Owner;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use afterword_domain::{Kind, Time};
use async_trait::async_trait;

use super::IndexDoc;
use crate::Result;

/// Export and import.
#[async_trait]
pub trait PortableStore {
    /// The next rows after `after` (none: from the beginning), by kind and id; an empty list ends
    /// the export. Observations of every kind, summaries, prompts, memories and snapshots.
    async fn export_page(
        &self,
        scope: Scope,
        after: Option<ExportCursor>,
        limit: usize,
    ) -> Result<Vec<(ExportCursor, PortableRow)>>;

    /// Stores rows in one transaction. A row whose uid is known or has a tombstone is skipped; one
    /// without a uid is skipped when the project holds the same text of the same kind. Sessions
    /// named by rows are made when they are missing. Times later than `now` become `now`.
    async fn import_rows(&self, rows: Vec<ImportRow>, now: Time) -> Result<ImportCounts>;
}

/// Where an export stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportCursor {
    /// The kind in progress.
    pub kind: Kind,
    /// The last row given.
    pub id: i64,
}

/// A row to import, checked and analysed.
#[derive(Clone, Debug)]
pub struct ImportRow {
    /// The row; its kind and its project are set.
    pub row: PortableRow,
    /// Its project in this database.
    pub project_id: i64,
    /// As for a memory: equal for texts of one owner that say the same.
    pub text_key: String,
    /// Whose a memory is.
    pub owner: Owner,
    /// Its tokens.
    pub index: IndexDoc,
}

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// New rows.
    pub stored: u64,
    /// Rows that were known or forgotten.
    pub skipped: u64,
}
