//! Remembered rows.

use serde::{Deserialize, Serialize};

use super::platform;
use crate::memory::Memory;
use crate::observation::Observation;
use crate::prompt::Prompt;
use crate::summary::Summary;
use crate::time::Time;

/// Where a row belongs, in the observer's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowPlace {
    /// The project's name.
    pub project: String,
    /// The agent's id of the session; empty where there is none.
    pub session: String,
    /// The agent; empty where there is none.
    pub agent: String,
}

/// An observation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObserverObservation {
    /// Key of the row.
    pub id: i64,
    /// The agent's id of the session.
    pub memory_session_id: String,
    /// The same.
    pub session_id: String,
    /// The project's name.
    pub project: String,
    /// The platform.
    pub platform_source: String,
    /// The observation's type.
    pub r#type: String,
    /// One line.
    pub title: String,
    /// One more line, or empty.
    pub subtitle: String,
    /// The story.
    pub narrative: String,
    /// Always null: what older observers kept here stands in the other fields.
    pub text: Option<String>,
    /// JSON of a list.
    pub facts: String,
    /// JSON of a list.
    pub concepts: String,
    /// JSON of a list.
    pub files_read: String,
    /// JSON of a list.
    pub files_modified: String,
    /// The prompt it belongs to.
    pub prompt_number: i64,
    /// When the work was done.
    pub created_at: Time,
    /// The same in milliseconds since the epoch.
    pub created_at_epoch: i64,
    /// What distilling it cost in tokens: 0, for costs are counted by turn.
    #[serde(default)]
    pub discovery_tokens: i64,
    /// The agent's id of the sub-agent it came from.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// Always null: worktrees share their project.
    #[serde(default)]
    pub merged_into_project: Option<String>,
}

impl ObserverObservation {
    /// The row in this form.
    pub fn of(row: &Observation, place: &RowPlace) -> Self {
        let content = &row.content;
        Self {
            id: row.id,
            memory_session_id: place.session.clone(),
            session_id: place.session.clone(),
            project: place.project.clone(),
            platform_source: platform(&place.agent).to_owned(),
            r#type: content.r#type.clone(),
            title: content.title.clone(),
            subtitle: content.subtitle.clone(),
            narrative: content.narrative.clone(),
            text: None,
            facts: list(&content.facts),
            concepts: list(&content.concepts),
            files_read: list(&content.files_read),
            files_modified: list(&content.files_modified),
            prompt_number: row.prompt_number,
            created_at: row.created_at,
            created_at_epoch: row.created_at.millis(),
            discovery_tokens: 0,
            agent_id: row.subagent.clone(),
            merged_into_project: None,
        }
    }

    /// A memory, which the observer knows as a discovery.
    pub fn of_memory(row: &Memory, place: &RowPlace) -> Self {
        Self {
            id: row.id,
            project: place.project.clone(),
            r#type: "discovery".to_owned(),
            title: row.title.clone(),
            narrative: row.text.clone(),
            facts: list(&[]),
            concepts: list(&[]),
            files_read: list(&row.files),
            files_modified: list(&[]),
            created_at: row.created_at,
            created_at_epoch: row.created_at.millis(),
            ..Self::default()
        }
    }
}

/// A summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObserverSummary {
    /// Key of the row.
    pub id: i64,
    /// The agent's id of the session.
    pub session_id: String,
    /// The same.
    pub memory_session_id: String,
    /// The project's name.
    pub project: String,
    /// The platform.
    pub platform_source: String,
    /// What the person asked for.
    pub request: String,
    /// What was looked at.
    pub investigated: String,
    /// What was found out.
    pub learned: String,
    /// What was done.
    pub completed: String,
    /// What is left to do.
    pub next_steps: String,
    /// Anything else.
    pub notes: String,
    /// JSON of a list.
    pub files_read: String,
    /// JSON of a list.
    pub files_edited: String,
    /// The prompt of a turn; 0 for a session.
    pub prompt_number: i64,
    /// When the work last went on.
    pub created_at: Time,
    /// The same in milliseconds since the epoch.
    pub created_at_epoch: i64,
}

impl ObserverSummary {
    /// The row in this form.
    pub fn of(row: &Summary, place: &RowPlace) -> Self {
        let content = &row.content;
        Self {
            id: row.id,
            session_id: place.session.clone(),
            memory_session_id: place.session.clone(),
            project: place.project.clone(),
            platform_source: platform(&place.agent).to_owned(),
            request: content.request.clone(),
            investigated: content.investigated.clone(),
            learned: content.learned.clone(),
            completed: content.completed.clone(),
            next_steps: content.next_steps.clone(),
            notes: content.notes.clone(),
            files_read: list(&content.files_read),
            files_edited: list(&content.files_modified),
            prompt_number: row.prompt_number,
            created_at: row.created_at,
            created_at_epoch: row.created_at.millis(),
        }
    }
}

/// A prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObserverPrompt {
    /// Key of the row.
    pub id: i64,
    /// The agent's id of the session.
    pub content_session_id: String,
    /// The same.
    #[serde(default)]
    pub memory_session_id: String,
    /// Key of the session.
    pub session_db_id: i64,
    /// The project's name.
    pub project: String,
    /// The platform.
    pub platform_source: String,
    /// Counted from 1 inside the session.
    pub prompt_number: i64,
    /// The text.
    pub prompt_text: String,
    /// When it was sent.
    pub created_at: Time,
    /// The same in milliseconds since the epoch.
    pub created_at_epoch: i64,
}

impl ObserverPrompt {
    /// The row in this form.
    pub fn of(row: &Prompt, place: &RowPlace) -> Self {
        Self {
            id: row.id,
            content_session_id: place.session.clone(),
            memory_session_id: place.session.clone(),
            session_db_id: row.session_id,
            project: place.project.clone(),
            platform_source: platform(&place.agent).to_owned(),
            prompt_number: row.number,
            prompt_text: row.text.clone(),
            created_at: row.created_at,
            created_at_epoch: row.created_at.millis(),
        }
    }
}

fn list(items: &[String]) -> String {
    serde_json::to_string(items).expect("texts are always written")
}
