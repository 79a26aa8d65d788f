//! Bringing rows into the index that are older than it.

use afterword_domain::scope::Scope;
use afterword_store::contract::{IndexDoc, Row, RowBody};

use super::RowText;
use crate::{Engine, Result, analyze};

/// Rows that one transaction brings in: hooks wait for it.
const AT_ONCE: usize = 200;

impl Engine {
    /// Brings some of the rows into the index that an older schema did not index; returns how many.
    /// Costs nothing when there are none.
    pub async fn index_what_is_not(&self) -> Result<usize> {
        let ids = self.store.unindexed(AT_ONCE).await?;
        if ids.is_empty() {
            return Ok(0);
        }
        let rows = self.store.rows(Scope::All, &ids).await?;
        let docs: Vec<_> = rows.iter().map(|row| (row.id, doc(row))).collect();
        let n = docs.len();
        self.store.index_rows(docs).await?;
        tracing::info!(rows = n, "rows were brought into the index");
        Ok(n)
    }
}

/// Titles that were only made from the text weigh nothing.
fn doc(row: &Row) -> IndexDoc {
    let RowText { title, text, files } = RowText::of(&row.body);
    let own = match &row.body {
        RowBody::Observation(_) | RowBody::Summary(_) => title.as_str(),
        RowBody::Memory(memory) => memory.title.as_str(),
        RowBody::Prompt(_) | RowBody::Snapshot(_) => "",
    };
    analyze::index_doc(own, &text, &files)
}
