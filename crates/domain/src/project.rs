//! Where work belongs.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::time::Time;

/// A project as the resolver sees it from a folder: keys that identify it, and a name for people.
///
/// Two folders belong to one project when they share any key. Names are labels, never keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectRef {
    /// Identities, strongest first: `remote:…` (normalised URL), `root:…` (the commit that a
    /// repository without a remote began with), `dir:…` (repository common dir or folder),
    /// `name:…` (explicit override), `home`. Empty: only the name is known.
    #[serde(default)]
    pub keys: Vec<String>,
    /// What people call it: the override, else the last part of the remote or of the folder.
    pub name: String,
    /// The repository's or folder's absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The worktree this call came from, where it is not the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The branch that is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl ProjectRef {
    /// A project of which only the name is known: the newest project of that name, or a new one.
    pub fn named(name: &str) -> Self {
        Self { name: name.trim().to_owned(), ..Self::default() }
    }
}

/// A project as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Project {
    /// Key inside this database.
    pub id: i64,
    /// Unique across machines.
    pub uid: Uuid,
    /// What people call it.
    pub name: String,
    /// Its folder when last seen.
    pub root: Option<String>,
    /// When it was first seen.
    pub created_at: Time,
    /// When something was last stored for it.
    pub last_seen_at: Time,
}
