//! What keeps texts from becoming vectors.

/// What keeps an [`Embedder`](super::Embedder) from being used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The installed model is missing or damaged.
    #[error(transparent)]
    Model(#[from] afterword_embed::Error),
    /// What is kept of vectors, or the thread that makes them, fails.
    #[error("cannot make vectors: {0}")]
    Io(#[from] std::io::Error),
    /// Whoever turns texts into vectors does not answer, or not as expected.
    #[error("no vectors: {0}")]
    Unavailable(String),
    /// A service does not take these texts; others it may.
    #[error("the texts are refused: {0}")]
    Refused(String),
}

/// What an embedder gives.
pub type Result<T> = std::result::Result<T, Error>;
