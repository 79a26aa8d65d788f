//! Sessions and projects.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::platform;
use crate::session::{Session, SessionStatus};
use crate::time::Time;

/// A session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObserverSession {
    /// Key of the session.
    pub id: i64,
    /// The agent's id of the session.
    pub content_session_id: String,
    /// The same.
    pub memory_session_id: String,
    /// The project's name.
    pub project: String,
    /// The platform.
    pub platform_source: String,
    /// Its first prompt.
    pub user_prompt: Option<String>,
    /// Always null: sessions are named by their first prompt.
    pub custom_title: Option<String>,
    /// When it was first seen.
    pub started_at: Time,
    /// The same in milliseconds since the epoch.
    pub started_at_epoch: i64,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// The same in milliseconds since the epoch.
    pub completed_at_epoch: Option<i64>,
    /// `active` or `completed`.
    pub status: SessionStatus,
}

impl ObserverSession {
    /// The session in this form.
    pub fn of(session: &Session, project: String) -> Self {
        Self {
            id: session.id,
            content_session_id: session.agent_session_id.clone(),
            memory_session_id: session.agent_session_id.clone(),
            project,
            platform_source: platform(&session.agent).to_owned(),
            user_prompt: session.first_prompt.clone(),
            custom_title: None,
            started_at: session.started_at,
            started_at_epoch: session.started_at.millis(),
            completed_at: session.completed_at,
            completed_at_epoch: session.completed_at.map(Time::millis),
            status: session.status,
        }
    }
}

/// What there is to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObserverProjects {
    /// Names of projects, last seen first.
    pub projects: Vec<String>,
    /// Platforms.
    pub sources: Vec<String>,
    /// Names of projects by platform.
    pub projects_by_source: BTreeMap<String, Vec<String>>,
}
