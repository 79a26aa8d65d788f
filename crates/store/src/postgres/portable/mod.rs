//! Whole rows out of one store and into another.

mod export;
mod import;
mod incoming;
mod sessions;

use afterword_domain::Time;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use async_trait::async_trait;

use super::PostgresStore;
use crate::Result;
use crate::contract::{ExportCursor, ImportCounts, ImportRow, PortableStore};

#[async_trait]
impl PortableStore for PostgresStore {
    async fn export_page(
        &self,
        scope: Scope,
        after: Option<ExportCursor>,
        limit: usize,
    ) -> Result<Vec<(ExportCursor, PortableRow)>> {
        let scope = &self.reachable(scope);
        self.read(|tx| async move { export::page(&tx, scope, after, limit).await }).await
    }

    async fn import_rows(&self, rows: Vec<ImportRow>, now: Time) -> Result<ImportCounts> {
        let rows = &rows;
        self.write(|tx| async move { import::rows(&tx, rows, now).await }).await
    }
}
