//! What keeps the model from being used.

/// What keeps an embedding model from being used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder holds no model: nothing was pulled yet, or it was removed.
    #[error("no embedding model in {0}")]
    Missing(String),
    /// The file is there and is not what it should be.
    #[error("the embedding model is damaged: {0}")]
    Damaged(String),
    /// The file cannot be read.
    #[error("cannot read the embedding model: {0}")]
    Io(#[from] std::io::Error),
}

/// What loading a model gives.
pub type Result<T> = std::result::Result<T, Error>;

/// Short for a finding about the file's content.
pub(crate) fn damaged<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::Damaged(what.into()))
}
