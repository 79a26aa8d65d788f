//! Why a folder cannot be measured on.

use std::io;
use std::path::PathBuf;

/// What is wrong with a dataset or with measuring on it.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file of the dataset cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file says something that the format does not allow.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A line of a file cannot be used.
    #[error("{}:{line} {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The split asked for has no questions.
    #[error("{} has no questions of the split '{split}'", path.display())]
    NoQuestions {
        /// The dataset's folder.
        path: PathBuf,
        /// The split.
        split: &'static str,
    },
    /// The engine failed while storing or searching.
    #[error(transparent)]
    Engine(#[from] crate::Error),
    /// The rows cannot be embedded.
    #[error(transparent)]
    Embed(#[from] crate::embed::Error),
}
