//! Tool uses as they were reported.

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// A tool use: in a list with the sizes of what the tool was asked and answered, and whole with both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObserverToolUse {
    /// Key of the event.
    pub id: i64,
    /// The agent's id of the call.
    pub tool_use_id: Option<String>,
    /// The tool.
    pub tool_name: String,
    /// The name of its session's project.
    pub project: String,
    /// The agent's id of the session.
    pub content_session_id: String,
    /// The same.
    pub memory_session_id: String,
    /// Key of the session.
    pub session_db_id: i64,
    /// The platform.
    pub platform_source: String,
    /// The agent's id of the sub-agent that made the call.
    pub agent_id: Option<String>,
    /// The type of that sub-agent.
    pub agent_type: Option<String>,
    /// The first observation that rests on it.
    pub observation_id: Option<i64>,
    /// The prompt it belongs to.
    pub prompt_number: i64,
    /// The folder that the agent worked in.
    pub cwd: Option<String>,
    /// When it was reported.
    pub created_at: Time,
    /// The same in milliseconds since the epoch.
    pub created_at_epoch: i64,
    /// Bytes of what the tool was asked.
    pub tool_input_bytes: usize,
    /// Bytes of what it answered.
    pub tool_response_bytes: usize,
    /// JSON of what the tool was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_input: Option<String>,
    /// JSON of what it answered, or of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_response: Option<String>,
}
