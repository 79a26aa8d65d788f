//! Finding rows again, and the block a session starts with.

use afterword_domain::wire::context::ContextBlock;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use afterword_store::{Result, Store};

/// What the block is for.
#[derive(Clone, Debug, Default)]
pub struct ContextRequest {
    /// The project's key in this database.
    pub project_id: i64,
    /// The project's name, shown in the block.
    pub project: String,
    /// The branch that is checked out, shown and used to prefer rows.
    pub branch: Option<String>,
    /// The session that asks: after a compaction its own snapshot comes first.
    pub session_id: Option<i64>,
    /// The session goes on after a compaction.
    pub after_compaction: bool,
}

/// The block that the next session of a project is given; the same bytes for the same state.
pub async fn context(_store: &dyn Store, _request: &ContextRequest) -> Result<ContextBlock> {
    Ok(ContextBlock::default())
}

/// Answers a search; any string is a valid query.
pub async fn search(_store: &dyn Store, _request: &SearchRequest) -> Result<SearchAnswer> {
    Ok(SearchAnswer::default())
}

/// At most three rows that answer a prompt.
pub async fn prompt_recall(
    _store: &dyn Store,
    _project_id: i64,
    _session_id: Option<i64>,
    _prompt: &str,
    _already_given: &[afterword_domain::PublicId],
) -> Result<ContextBlock> {
    Ok(ContextBlock::default())
}
