//! Lasting texts: told by the person or the model, inferred, or promoted from observations.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::day::Day;
use crate::owner::Owner;
use crate::time::Time;

/// A memory as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Owner::is_nobody")]
    pub owner: Owner,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    pub attributes: Attributes,
}

/// What a caller may say of a memory besides its text and its own fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Attributes {
    /// What it is about, in the caller's words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// The last day on which it counts, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Day>,
    /// Changes of it are refused; it can be forgotten.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub immutable: bool,
    /// The role of whoever said it; empty where nobody knows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// The name of whoever said it; empty where nobody knows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actor: String,
}

impl Attributes {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it has expired by a day: its last day is over.
    pub fn expired(&self, today: Day) -> bool {
        self.expires.is_some_and(|last| last < today)
    }
}

/// How a memory came to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
