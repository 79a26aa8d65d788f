//! What is sent to whoever watches: the data of `/stream` and of `/api/events/stream`.
//!
//! The types and the fields in camel case are those of the five-stage observer's stream; `entry` is
//! the row as a timeline shows it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::observer::{ObserverObservation, ObserverPrompt, ObserverSummary};
use super::timeline::TimelineEntry;
use crate::ids::PublicId;

/// One thing that happened, or how things stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum LiveMessage {
    /// The first message of a connection.
    Connected {
        /// The server's time, in milliseconds since the epoch.
        timestamp: i64,
    },
    /// The second: what there is to choose from.
    InitialLoad {
        /// Names of projects, last seen first.
        projects: Vec<String>,
        /// Platforms.
        sources: Vec<String>,
        /// Names of projects by platform.
        projects_by_source: BTreeMap<String, Vec<String>>,
    },
    /// What was asked for is older than what is kept, or is not known here: what is shown must be
    /// read anew. Goes on with what happens from now on.
    Missed {
        /// The id that was asked for, as far as it was a number.
        after: Option<i64>,
        /// The newest id there is.
        resume_from: i64,
    },
    /// A session was seen for the first time, or goes on after it had been completed.
    SessionStarted {
        /// Key of the session.
        session_db_id: i64,
        /// The project's name.
        project: String,
        /// The project's key.
        project_id: i64,
        /// The agent.
        agent: String,
        /// The agent's id of the session.
        session: String,
        /// Whether it goes on.
        resumed: bool,
    },
    /// A session was completed.
    SessionCompleted {
        /// Key of the session.
        session_db_id: i64,
        /// The project's name.
        project: String,
        /// The project's key.
        project_id: i64,
        /// The agent.
        agent: String,
        /// The agent's id of the session.
        session: String,
    },
    /// A prompt was stored.
    NewPrompt {
        /// The prompt.
        prompt: ObserverPrompt,
        /// The same for lists.
        entry: TimelineEntry,
    },
    /// An observation was made.
    NewObservation {
        /// The observation.
        observation: ObserverObservation,
        /// The same for lists.
        entry: TimelineEntry,
    },
    /// A summary was made or brought up to date.
    NewSummary {
        /// The summary.
        summary: ObserverSummary,
        /// The same for lists.
        entry: TimelineEntry,
    },
    /// A memory was told.
    NewMemory {
        /// The memory for lists.
        entry: TimelineEntry,
    },
    /// A snapshot was kept before a compaction.
    NewSnapshot {
        /// The snapshot for lists.
        entry: TimelineEntry,
    },
    /// A row says something else than before.
    RowChanged {
        /// The row as it is now.
        entry: TimelineEntry,
    },
    /// Rows were forgotten.
    Forgotten {
        /// Their ids.
        ids: Vec<PublicId>,
        /// The project's key.
        project_id: i64,
        /// The project's name.
        project: String,
    },
    /// Rows went when their turn was distilled again.
    Replaced {
        /// Their ids.
        ids: Vec<PublicId>,
        /// The project's key.
        project_id: i64,
        /// The project's name.
        project: String,
    },
    /// A tool use waits to be distilled. Not kept: no id, no replay.
    ObservationQueued {
        /// Key of the session.
        session_db_id: i64,
        /// The project's key.
        project_id: i64,
        /// The project's name.
        project: String,
    },
    /// Whether anything waits to be distilled. Not kept: no id, no replay.
    ProcessingStatus {
        /// Whether anything does.
        is_processing: bool,
        /// How many events do.
        queue_depth: u64,
    },
    /// The connection lives. Only where events have names.
    Heartbeat {
        /// The server's time, in milliseconds since the epoch.
        timestamp: i64,
    },
}

impl LiveMessage {
    /// The word of its type, which is the name of the event where events have names.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Connected { .. } => "connected",
            Self::InitialLoad { .. } => "initial_load",
            Self::Missed { .. } => "missed",
            Self::SessionStarted { .. } => "session_started",
            Self::SessionCompleted { .. } => "session_completed",
            Self::NewPrompt { .. } => "new_prompt",
            Self::NewObservation { .. } => "new_observation",
            Self::NewSummary { .. } => "new_summary",
            Self::NewMemory { .. } => "new_memory",
            Self::NewSnapshot { .. } => "new_snapshot",
            Self::RowChanged { .. } => "row_changed",
            Self::Forgotten { .. } => "forgotten",
            Self::Replaced { .. } => "replaced",
            Self::ObservationQueued { .. } => "observation_queued",
            Self::ProcessingStatus { .. } => "processing_status",
            Self::Heartbeat { .. } => "heartbeat",
        }
    }

    /// The row that it tells of.
    pub const fn entry(&self) -> Option<&TimelineEntry> {
        match self {
            Self::NewPrompt { entry, .. }
            | Self::NewObservation { entry, .. }
            | Self::NewSummary { entry, .. }
            | Self::NewMemory { entry }
            | Self::NewSnapshot { entry }
            | Self::RowChanged { entry } => Some(entry),
            _ => None,
        }
    }

    /// The name of the project that it happened in; none for what concerns the connection.
    pub fn project(&self) -> Option<&str> {
        match self {
            Self::SessionStarted { project, .. }
            | Self::SessionCompleted { project, .. }
            | Self::Forgotten { project, .. }
            | Self::Replaced { project, .. }
            | Self::ObservationQueued { project, .. } => Some(project),
            other => other.entry().map(|entry| entry.project.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_type_in_the_data() {
        let messages = [
            LiveMessage::Connected { timestamp: 1 },
            LiveMessage::Missed { after: Some(1), resume_from: 9 },
            LiveMessage::ProcessingStatus { is_processing: true, queue_depth: 2 },
            LiveMessage::Heartbeat { timestamp: 1 },
            LiveMessage::Forgotten { ids: Vec::new(), project_id: 1, project: "p".into() },
        ];
        for message in messages {
            let json = serde_json::to_value(&message).unwrap();
            assert_eq!(json["type"], message.name(), "{json}");
            assert_eq!(serde_json::from_value::<LiveMessage>(json).unwrap(), message);
        }
        let status = LiveMessage::ProcessingStatus { is_processing: true, queue_depth: 2 };
        let json = serde_json::to_value(status).unwrap();
        assert_eq!(json["isProcessing"], true, "the observer's spelling: {json}");
        assert_eq!(json["queueDepth"], 2);
    }
}
