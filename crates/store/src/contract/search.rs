//! The full-text index over the analyzer's tokens. No database tokenises anything itself.

use afterword_domain::filter::OwnerMatch;
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId, Time};
use async_trait::async_trait;

use crate::Result;

/// Keyword search.
#[async_trait]
pub trait SearchStore {
    /// Ranks rows that hold any of the terms by BM25 (k1 1.2, b 0.75; title, text and files
    /// weighted 4, 1 and 2), best first.
    ///
    /// Terms are data, never syntax: no term can raise an error. Filters apply before the ranking.
    /// To bound the time over large stores, terms that occur in very many rows rank only rows that
    /// hold a rarer term too; when the rarer terms find less than is asked for, or all terms are
    /// that common, the newest rows that hold them all (then any of them) stand in.
    ///
    /// Rows made in one of the query's periods are found whether they hold a term or not: those that
    /// the ranking left out follow its hits, newest first, at most `limit` of them. After them come
    /// those of the query's rows that are not there yet and pass the filters, in their order.
    async fn keyword(&self, query: KeywordQuery) -> Result<KeywordAnswer>;

    /// The newest rows, for an empty query: made at or after `since` and before `until`.
    async fn newest(
        &self,
        scope: Scope,
        kind: Option<Kind>,
        since: Option<Time>,
        until: Option<Time>,
        limit: usize,
    ) -> Result<Vec<Hit>>;

    /// Rows that an older schema did not index, some of them; empty, and for nothing, once all are
    /// in the index.
    async fn unindexed(&self, limit: usize) -> Result<Vec<PublicId>>;

    /// Puts rows into the index, or brings their entries up to date. Rows that do not exist are left
    /// out.
    async fn index_rows(&self, docs: Vec<(PublicId, IndexDoc)>) -> Result<()>;

    /// The rows that hold a token, those that were indexed last, in no order that is promised.
    async fn last_with_token(&self, scope: Scope, token: &str, limit: usize) -> Result<Vec<Hit>>;

    /// Rows in the index.
    async fn indexed_rows(&self) -> Result<u64>;
}

/// The analyzer's tokens of a row, by field, joined by single blanks.
///
/// Tokens hold no blanks and no control characters; the backend may encode them as it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexDoc {
    /// Tokens of the title.
    pub title: String,
    /// Tokens of the text.
    pub text: String,
    /// Tokens of the files.
    pub files: String,
}

/// A keyword query.
#[derive(Clone, Debug, Default)]
pub struct KeywordQuery {
    /// The analyzer's tokens of the question; each counts once.
    pub terms: Vec<String>,
    /// Where to look.
    pub scope: Scope,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only memories whose owner matches one of these, and no row where
    /// the list is empty; rows of every kind and owner without a list.
    pub owners: Option<Vec<OwnerMatch>>,
    /// Only rows made at or after this time.
    pub since: Option<Time>,
    /// Only rows made before this time.
    pub until: Option<Time>,
    /// Times that the question is about.
    pub periods: Vec<Period>,
    /// Rows that something else found, best first.
    pub rows: Vec<PublicId>,
    /// Most hits that the terms find.
    pub limit: usize,
}

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Its first moment.
    pub from: Time,
    /// The moment after its last.
    pub to: Time,
}

/// What a keyword query found.
#[derive(Clone, Debug, Default)]
pub struct KeywordAnswer {
    /// Best first.
    pub hits: Vec<Hit>,
    /// The tokens of each hit as they were indexed, in the order of the hits.
    pub docs: Vec<IndexDoc>,
    /// How many rows matched within the filters; counting stops at 2,000.
    pub total: usize,
    /// For each term of the query, in order, in how many rows it occurs; an estimate beyond the
    /// backend's bound for common terms.
    pub rows_with_term: Vec<u64>,
    /// Rows in the whole index.
    pub indexed_rows: u64,
}

/// A row that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which row.
    pub id: PublicId,
    /// BM25, larger is better; 0 for a list of the newest and for rows that no term found.
    pub score: f64,
    /// Its session.
    pub session_id: Option<i64>,
    /// When it was made.
    pub created_at: Time,
}
