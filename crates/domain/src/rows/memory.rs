//! Lasting texts: told by the person or the model, inferred, or promoted from observations.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::time::Time;

/// A memory as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Key inside this database.
    pub id: i64,
    /// Unique across machines.
    pub uid: Uuid,
    /// Its project.
    pub project_id: i64,
    /// One line for lists; empty when the text is short.
    pub title: String,
    /// The text itself, as told.
    pub text: String,
    /// What it is about: a caller's own fields.
    pub metadata: Value,
    /// Files it concerns.
    pub files: Vec<String>,
    /// How it came to be.
    pub origin: Origin,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// The uid of the memory that took its place: what this one says held before. None while it
    /// holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<Uuid>,
}

/// How a memory came to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Said on purpose.
    #[default]
    Told,
    /// Drawn from messages.
    Inferred,
    /// Lifted from an observation.
    Promoted,
    /// From an import.
    Imported,
}

impl Origin {
    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::Inferred => "inferred",
            Self::Promoted => "promoted",
            Self::Imported => "imported",
        }
    }

    /// Reads the database's word; anything unknown was imported.
    pub fn from_word(word: &str) -> Self {
        match word {
            "told" => Self::Told,
            "inferred" => Self::Inferred,
            "promoted" => Self::Promoted,
            _ => Self::Imported,
        }
    }
}
