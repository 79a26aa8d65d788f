//! Names that own memories.

use afterword_domain::Time;
use afterword_domain::owner::OwnerKind;
use afterword_engine::memories::KnownOwner;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::Page;

/// A name that owns memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Entity {
    /// Stable for a kind and a name.
    id: Uuid,
    /// The name.
    name: String,
    /// `user`, `agent`, `app` or `run`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// How many memories it owns.
    total_memories: u64,
    /// Nothing more is known of it.
    metadata: Option<()>,
    /// Nobody in particular.
    owner: Option<()>,
    /// When its first memory was made.
    #[schemars(with = "String", extend("format" = "date-time"))]
    created_at: Time,
    /// When one of its memories last changed.
    #[schemars(with = "String", extend("format" = "date-time"))]
    updated_at: Time,
}

/// Names that own memories, and how many there are of each kind.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Entities {
    #[serde(flatten)]
    page: Page<Entity>,
    /// Persons.
    total_users: u64,
    /// Agents.
    total_agents: u64,
    /// Applications.
    total_apps: u64,
    /// Runs.
    total_runs: u64,
}

impl Entities {
    pub(in crate::api) fn of(page: Page<Entity>, of_kind: impl Fn(OwnerKind) -> u64) -> Self {
        Self {
            page,
            total_users: of_kind(OwnerKind::User),
            total_agents: of_kind(OwnerKind::Agent),
            total_apps: of_kind(OwnerKind::App),
            total_runs: of_kind(OwnerKind::Run),
        }
    }
}

/// A name that owns memories, as the self-hosted server tells of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct OwnedBy {
    /// The name.
    id: String,
    /// `user`, `agent`, `app` or `run`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// How many memories it owns.
    total_memories: u64,
    /// When its first memory was made.
    #[schemars(with = "String", extend("format" = "date-time"))]
    created_at: Time,
    /// When one of its memories last changed.
    #[schemars(with = "String", extend("format" = "date-time"))]
    updated_at: Time,
}

impl From<KnownOwner> for Entity {
    fn from(known: KnownOwner) -> Self {
        Self {
            id: known.id,
            name: known.name,
            kind: known.kind.word(),
            total_memories: known.memories,
            metadata: None,
            owner: None,
            created_at: known.created_at,
            updated_at: known.updated_at,
        }
    }
}

impl From<KnownOwner> for OwnedBy {
    fn from(known: KnownOwner) -> Self {
        Self {
            id: known.name,
            kind: known.kind.word(),
            total_memories: known.memories,
            created_at: known.created_at,
            updated_at: known.updated_at,
        }
    }
}
