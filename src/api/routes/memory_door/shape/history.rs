//! What became of a memory.

use afterword_domain::Time;
use afterword_engine::memories::{Change, HistoryEntry};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

/// One change of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct HistoryItem {
    /// Names the change.
    id: Uuid,
    /// The memory.
    memory_id: Uuid,
    /// What was said, where the text is still there.
    input: Vec<Input>,
    /// What it said before; null where it was new or is forgotten.
    old_memory: Option<String>,
    /// What it said from then on; null where that is forgotten.
    new_memory: Option<String>,
    /// The person it belonged to.
    user_id: Option<String>,
    /// The agent it belonged to.
    agent_id: Option<String>,
    /// The application it belonged to.
    app_id: Option<String>,
    /// The run it belonged to.
    run_id: Option<String>,
    /// The run once more.
    session_id: Option<String>,
    /// Kept of the memory itself, not of its changes.
    categories: Vec<String>,
    /// Kept of the memory itself, not of its changes.
    metadata: Option<Value>,
    /// `ADD`, `UPDATE`, `DELETE` or `NOOP`.
    event: &'static str,
    /// Whether it is gone since.
    is_deleted: bool,
    /// The name of whoever said it.
    actor_id: Option<String>,
    /// The role of whoever said it.
    role: Option<String>,
    /// When.
    #[schemars(with = "String", extend("format" = "date-time"))]
    created_at: Time,
    /// When, once more.
    #[schemars(with = "String", extend("format" = "date-time"))]
    updated_at: Time,
}

/// What was said.
#[derive(Debug, Serialize, JsonSchema)]
struct Input {
    role: String,
    content: String,
}

impl From<HistoryEntry> for HistoryItem {
    fn from(entry: HistoryEntry) -> Self {
        let said = |word: String| (!word.is_empty()).then_some(word);
        let role = said(entry.role);
        let input = entry.new.iter().map(|text| Input {
            role: role.clone().unwrap_or_else(|| "user".to_owned()),
            content: text.clone(),
        });
        Self {
            id: entry.id,
            memory_id: entry.memory,
            input: input.collect(),
            old_memory: entry.old,
            new_memory: entry.new,
            user_id: entry.owner.user,
            agent_id: entry.owner.agent,
            app_id: entry.owner.app,
            session_id: entry.owner.run.clone(),
            run_id: entry.owner.run,
            categories: Vec::new(),
            metadata: None,
            event: super::receipt::word(entry.change),
            is_deleted: entry.change == Change::Delete,
            actor_id: said(entry.actor),
            role,
            created_at: entry.at,
            updated_at: entry.at,
        }
    }
}
