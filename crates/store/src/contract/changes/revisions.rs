//! Rows that a person changes.

use afterword_domain::observation::ObservationContent;
use afterword_domain::summary::SummaryContent;
use afterword_domain::{PublicId, Time};
use async_trait::async_trait;
use serde_json::Value;

use super::super::{IndexDoc, Row};
use crate::Result;

/// Changes on purpose, with what was there before.
#[async_trait]
pub trait RevisionStore {
    /// Puts new content in the place of a row's, in one transaction, and keeps the old content as a
    /// revision. Id, uid, project, session and time of the row stay, and so do the events behind an
    /// observation. [`crate::Error::NotFound`] when the row, or one that it takes in, is not there;
    /// [`crate::Error::Conflict`] when another memory of the project says the same already.
    ///
    /// An observation or a summary belongs to the person from then on
    /// ([`Source::Person`](afterword_domain::observation::Source)): neither the rules nor a model
    /// write over it when its turn is distilled again, but the summary of a session gives way once
    /// the session goes on. A memory's change stands in its history too.
    ///
    /// Rows in `takes_in` are of the same kind and project. The events behind them stand behind the
    /// revised row from then on, and they themselves are forgotten as
    /// [`forget`](super::super::RowStore::forget) does it; what they said is kept in the revision.
    async fn revise(&self, revised: Revised) -> Result<Row>;

    /// What a row said before each change, newest first.
    async fn revisions(&self, id: PublicId) -> Result<Vec<Revision>>;
}

/// A change to be made.
#[derive(Clone, Debug)]
pub struct Revised {
    /// The row.
    pub id: PublicId,
    /// What it says from now on.
    pub content: NewContent,
    /// Rows that become part of it.
    pub takes_in: Vec<PublicId>,
    /// Its tokens.
    pub index: IndexDoc,
    /// When.
    pub at: Time,
}

/// The content of a row of a kind that can be changed.
#[derive(Clone, Debug, PartialEq)]
pub enum NewContent {
    /// Of an observation.
    Observation(ObservationContent),
    /// Of a summary.
    Summary(SummaryContent),
    /// Of a memory.
    Memory {
        /// One line for lists.
        title: String,
        /// The text.
        text: String,
        /// As for a new memory: equal for texts that say the same.
        text_key: String,
        /// Files it concerns.
        files: Vec<String>,
    },
}

/// What was there before a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// `edited` or `merged`.
    pub change: String,
    /// The content of the row before it: `title`, `text` and `files` of a memory, else the fields
    /// of its kind. Of a merge, in `took_in`, a list of the same for each row that it took in.
    pub before: Value,
    /// When.
    pub at: Time,
}
