//! Whole rows out of one store and into another, without loss.
//!
//! What only one kind has travels in `content`: the fields of an observation or a summary exactly,
//! a memory's origin and last change, a snapshot's trigger and the agent's own summary.

mod export;
mod import;
mod sessions;

use afterword_domain::Time;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use async_trait::async_trait;

use super::SqliteStore;
use crate::Result;
use crate::contract::{ExportCursor, ImportCounts, ImportRow, PortableStore};

#[async_trait]
impl PortableStore for SqliteStore {
    async fn export_page(
        &self,
        scope: Scope,
        after: Option<ExportCursor>,
        limit: usize,
    ) -> Result<Vec<(ExportCursor, PortableRow)>> {
        self.read(move |db| export::page(db, &scope, after, limit)).await
    }

    async fn import_rows(&self, rows: Vec<ImportRow>, now: Time) -> Result<ImportCounts> {
        self.write(move |db| import::rows(db, &rows, now)).await
    }
}
