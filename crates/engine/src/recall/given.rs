//! What a session was told by the summaries that it was given.

use afterword_domain::scope::Scope;
use afterword_domain::text::prefix;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{Row, RowBody};
use afterword_store::{Result, Store};

use super::context::Told;
use super::row_text::labelled;

/// Bytes of a part of a summary that a block shows.
const SHOWN: usize = 500;

/// What the summaries among the rows that were given say.
pub(super) async fn told_in(store: &dyn Store, scope: Scope, given: &[PublicId]) -> Result<Told> {
    let summaries: Vec<PublicId> =
        given.iter().copied().filter(|id| id.kind == Kind::Summary).collect();
    if summaries.is_empty() {
        return Ok(Told::default());
    }
    Ok(told_by(&store.rows(scope, &summaries).await?))
}

/// What summaries said that were shown: a block shows so much of each of their parts.
pub(super) fn told_by(summaries: &[Row]) -> Told {
    let mut told = Told::default();
    for row in summaries {
        if let RowBody::Summary(summary) = &row.body {
            labelled(&summary.content).for_each(|(_, text)| told.note(prefix(text, SHOWN)));
        }
    }
    told
}
