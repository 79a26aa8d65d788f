//! The log of changes that live events are made of.

use afterword_domain::PublicId;
use async_trait::async_trait;

use crate::Result;

/// What happened, in order.
///
/// A change is written in the transaction that it tells of: it is durable with it, and there is
/// none for what was rolled back. Its number is larger than that of every change before it, also
/// after a restart, and a change that a reader was given is never followed by one with a smaller
/// number: a backend whose transactions commit in another order than they count in holds a change
/// back until every smaller one is there or will never be.
#[async_trait]
pub trait LiveStore {
    /// What happened after the change `after`, at most `limit` of it; without `after` nothing but
    /// where the log stands.
    async fn live_changes(&self, after: Option<i64>, limit: usize) -> Result<LiveChanges>;
}

/// A part of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveChanges {
    /// In order.
    pub changes: Vec<LiveChange>,
    /// The newest change there is; 0 while there was none.
    pub last: i64,
    /// What was asked for is not known: it is older than the last 10,000 changes, which are kept at
    /// least, or newer than all of them. Nothing is given then.
    pub lost: bool,
}

/// One change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveChange {
    /// Its number.
    pub id: i64,
    /// The project it happened in.
    pub project_id: i64,
    /// The session it happened in.
    pub session_id: Option<i64>,
    /// What it was.
    pub what: What,
}

/// What a change was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A remembered row came, changed or went.
    Row(PublicId, RowChange),
    /// A session began or ended.
    Session(i64, SessionChange),
}

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// It was stored.
    New,
    /// It says something else, or belongs to another time.
    Changed,
    /// It was forgotten.
    Forgotten,
    /// It went when its turn was distilled again.
    Replaced,
}

impl RowChange {
    /// Every change.
    pub const ALL: [Self; 4] = [Self::New, Self::Changed, Self::Forgotten, Self::Replaced];

    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Forgotten => "forgotten",
            Self::Replaced => "replaced",
        }
    }
}

/// What happened to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChange {
    /// It was seen for the first time.
    Started,
    /// It goes on after it had been completed.
    Resumed,
    /// It was completed, by its agent or for being idle.
    Completed,
}

impl SessionChange {
    /// Every change.
    pub const ALL: [Self; 3] = [Self::Started, Self::Resumed, Self::Completed];

    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Resumed => "resumed",
            Self::Completed => "completed",
        }
    }
}
