//! The distilled record of one or more tool uses.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::time::Time;

/// An observation as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Observation {
    /// Key inside this database.
    pub id: i64,
    /// Unique across machines.
    pub uid: Uuid,
    /// Its session; none for an imported row.
    pub session_id: Option<i64>,
    /// Its project.
    pub project_id: i64,
    /// The prompt it belongs to; 0 before the first.
    pub prompt_number: i64,
    /// What it says.
    #[serde(flatten)]
    pub content: ObservationContent,
    /// The sub-agent it came from: such rows are kept out of the session-start context.
    pub subagent: Option<String>,
    /// Who distilled it.
    pub source: Source,
    /// When the work was done.
    pub created_at: Time,
}

/// What an observation says, before it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObservationContent {
    /// `change`, `bugfix`, `feature`, `refactor`, `discovery`, `decision`, or a mode's own word.
    pub r#type: String,
    /// One line.
    pub title: String,
    /// One more line, or empty.
    #[serde(default)]
    pub subtitle: String,
    /// The story in a few sentences.
    #[serde(default)]
    pub narrative: String,
    /// Facts that stand alone.
    #[serde(default)]
    pub facts: Vec<String>,
    /// Words of the mode, such as `problem-solution`.
    #[serde(default)]
    pub concepts: Vec<String>,
    /// Files read, from tool evidence, relative to the project where they are inside it.
    #[serde(default)]
    pub files_read: Vec<String>,
    /// Files changed, from tool evidence, relative to the project where they are inside it.
    #[serde(default)]
    pub files_modified: Vec<String>,
}

/// Who made a distilled row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The rules, without a model.
    #[default]
    Rules,
    /// A language model.
    Provider,
    /// An import.
    Import,
    /// A person, who changed what one of the others had made.
    Person,
}

impl Source {
    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Provider => "provider",
            Self::Import => "import",
            Self::Person => "person",
        }
    }

    /// Reads the database's word; anything unknown was imported.
    pub fn from_word(word: &str) -> Self {
        match word {
            "rules" => Self::Rules,
            "provider" => Self::Provider,
            "person" => Self::Person,
            _ => Self::Import,
        }
    }
}
