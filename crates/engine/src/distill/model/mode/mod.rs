//! Modes: which words a model sorts its observations by, and what it is told to look for. All data.

mod load;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use load::ModeFile;

/// The mode that is built in, and that all others come from.
pub const CODE: &str = "code";

/// Which words observations are sorted by, and what a model is told to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Its name.
    pub name: String,
    /// Types of observations with what they mean, by word.
    pub types: BTreeMap<String, String>,
    /// Concepts with what they mean, by word.
    pub concepts: BTreeMap<String, String>,
    /// Who the model is.
    pub role: String,
    /// What it records.
    pub record: String,
    /// What it leaves out.
    pub skip: String,
}

/// A mode that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the mode '{name}' cannot be used: {why}")]
pub struct BadMode {
    /// Its name.
    pub name: String,
    /// What is wrong, and what to do.
    pub why: String,
}

impl BadMode {
    fn new(name: &str, why: impl fmt::Display) -> Self {
        Self { name: name.to_owned(), why: why.to_string() }
    }
}

impl Default for Mode {
    fn default() -> Self {
        let file: ModeFile =
            toml::from_str(include_str!("code.toml")).expect("the built-in mode is sound");
        Self {
            name: CODE.to_owned(),
            types: file.types,
            concepts: file.concepts,
            role: include_str!("../prompts/role.md").trim().to_owned(),
            record: include_str!("../prompts/record.md").trim().to_owned(),
            skip: include_str!("../prompts/skip.md").trim().to_owned(),
        }
    }
}
