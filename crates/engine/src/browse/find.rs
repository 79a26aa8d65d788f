//! A search whose answer is a list to choose from.

use std::collections::HashMap;

use afterword_domain::PublicId;
use afterword_domain::scope::Scope;
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::wire::viewer::{Found, FoundEntry};
use afterword_store::contract::Row;

use crate::timeline::entry;
use crate::{Engine, Result};

impl Engine {
    /// As [`search`](Self::search), with what lists show of a row in place of its whole text.
    pub async fn find(&self, request: &SearchRequest) -> Result<Found> {
        let request = SearchRequest { highlight: true, ..request.clone() };
        let answer = self.search(&request).await?;
        let ids: Vec<PublicId> = answer.results.iter().map(|found| found.id).collect();
        let rows = self.store.rows(Scope::All, &ids).await?;
        let rows: HashMap<PublicId, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
        let entries = answer.results.into_iter().filter_map(|found| {
            // It may have been forgotten just now.
            let entry = entry(rows.get(&found.id)?);
            Some(FoundEntry { entry, score: found.score, highlight: found.highlight })
        });
        Ok(Found { entries: entries.collect(), total: answer.total })
    }
}
