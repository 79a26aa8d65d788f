//! Remember and forget, as the people's door and the commands speak them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::ids::PublicId;
use crate::project::ProjectRef;
use crate::time::Time;

/// Body of `POST /api/memories`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RememberRequest {
    /// What to remember.
    pub text: String,
    /// One line for lists.
    #[serde(default)]
    pub title: String,
    /// Where it belongs.
    pub project: ProjectRef,
    /// Files it concerns, at most 100: absolute, or from the project's root.
    #[serde(default)]
    pub files: Vec<String>,
    /// A caller's own fields.
    #[serde(default)]
    pub metadata: Value,
    /// When it was made; now unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Time>,
}

/// Answer of `POST /api/memories` and `afterword remember --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remembered {
    /// Public id of the memory.
    pub id: PublicId,
    /// Unique across machines.
    pub uid: Uuid,
}

/// Body of `POST /api/forget`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForgetRequest {
    /// Rows of any kind.
    pub ids: Vec<PublicId>,
}

/// Answer of `POST /api/forget` and `afterword forget --json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forgotten {
    /// Rows that are gone now.
    pub forgotten: Vec<PublicId>,
    /// Ids that name no row.
    pub unknown: Vec<PublicId>,
}
