//! What can go wrong in a store. Types of database drivers never leave this crate.

/// The result of every store operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a store operation failed. Nothing is half-written: each operation is one transaction.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The row does not exist, or is outside the scope.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// A uniqueness rule was broken.
    #[error("conflict on {0}")]
    Conflict(String),
    /// Another process held the database longer than the busy timeout; try again.
    #[error("the database is busy")]
    Busy,
    /// The database was written by a newer release and is left untouched.
    #[error(
        "the database has schema {found}, this release knows up to {known}: \
         install the newer release again, or use another folder (AFTERWORD_HOME) or database"
    )]
    NewerSchema {
        /// The schema version in the database.
        found: i64,
        /// The newest version this release knows.
        known: i64,
    },
    /// The file is damaged or is no database of ours.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// No room left, or the folder cannot be written.
    #[error("the database cannot be written: {0}")]
    Unwritable(String),
    /// The server does not answer, or does not let us in.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// The server lacks something that only its owner can give, which the text names.
    #[error("the database is not set up: {0}")]
    Setup(String),
    /// Anything else, with its cause.
    #[error("database error: {0}")]
    Other(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Whether the same call may succeed a little later.
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy | Self::Unreachable(_))
    }
}
