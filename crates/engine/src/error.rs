//! What can go wrong in the engine.

/// The result of every engine operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller's input cannot be used; the text says why.
    #[error("{0}")]
    Invalid(String),
    /// No such row or project.
    #[error("{0}")]
    NotFound(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] afterword_store::Error),
}

/// A number that a caller names, within its bounds. What lies beyond is refused, never bent: an answer
/// that was cut where nobody asked for it looks whole.
pub(crate) fn within(
    name: &str,
    given: Option<usize>,
    bounds: std::ops::RangeInclusive<usize>,
) -> Result<()> {
    match given.filter(|number| !bounds.contains(number)) {
        None => Ok(()),
        Some(number) => Err(Error::Invalid(format!(
            "{name} is {number}, and may be {} to {}",
            bounds.start(),
            bounds.end()
        ))),
    }
}
