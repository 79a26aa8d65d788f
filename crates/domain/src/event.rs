//! One call of an agent on our hook, in the form every part of afterword shares.
//!
//! Adapters turn what an agent sends into an [`Event`]; nothing after the adapter knows agents'
//! spellings. Texts in an event have passed the privacy scanner before the event leaves the hook.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::project::ProjectRef;
use crate::time::Time;

/// A canonical hook event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// Made by the hook, so that one call posted and then spooled is known to be one event.
    pub uid: Uuid,
    /// When the hook was called.
    pub at: Time,
    /// The agent's name as on our command line, such as `claude-code`.
    pub agent: String,
    /// The agent's own session id: the truth about which conversation this is. Never made up.
    pub agent_session_id: String,
    /// Where the work belongs, as the resolver saw it from this call.
    pub project: ProjectRef,
    /// The folder the agent worked in at this moment; it moves with `cd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The agent's id of the prompt this belongs to, where it sends one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// Set when the call came from inside a sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<Subagent>,
    /// The language model the agent uses, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own log file: a hint that may not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript_path: Option<String>,
    /// What happened.
    pub body: EventBody,
}

/// A sub-agent inside a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subagent {
    /// The agent's id of the sub-agent.
    pub id: String,
    /// Its type, such as `general-purpose`.
    #[serde(default)]
    pub kind: String,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EventBody {
    /// A session began, came back, or goes on after a compaction.
    SessionStart {
        /// Why it started.
        source: StartSource,
        /// Files of the project that were changed and not committed, at most 100, relative to its root;
        /// a whole new folder ends with `/`. Empty where nobody looked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed_files: Vec<String>,
    },
    /// The person sent a prompt.
    Prompt {
        /// The text without private parts; empty when `private`.
        text: String,
        /// Nothing was left after stripping: the whole turn is kept out of memory.
        #[serde(default)]
        private: bool,
    },
    /// A tool ran, well or badly.
    ToolUse {
        /// What ran and what came of it.
        tool: ToolUse,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// `manual` or `auto`.
        trigger: String,
        /// What the person asked the compaction to keep.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
    },
    /// The agent's own summary of what it compacted.
    PostCompact {
        /// The summary.
        summary: String,
    },
    /// A turn ended with an answer.
    Stop {
        /// The agent's final message of the turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
        /// What went wrong when the turn ended in an error of the model's service.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A sub-agent ended with an answer.
    SubagentStop {
        /// Its final message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
    },
    /// The session ended.
    SessionEnd {
        /// The agent's own word for why, such as `clear` or `other`.
        reason: String,
    },
}

impl EventBody {
    /// The event's kind as written in JSON and in the database.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "session-start",
            Self::Prompt { .. } => "prompt",
            Self::ToolUse { .. } => "tool-use",
            Self::PreCompact { .. } => "pre-compact",
            Self::PostCompact { .. } => "post-compact",
            Self::Stop { .. } => "stop",
            Self::SubagentStop { .. } => "subagent-stop",
            Self::SessionEnd { .. } => "session-end",
        }
    }
}

/// Why a session started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StartSource {
    /// A new conversation.
    #[default]
    Startup,
    /// An earlier conversation goes on; its old context is still in it.
    Resume,
    /// The person cleared the conversation; the id is new.
    Clear,
    /// Goes on after a compaction; earlier injections are gone.
    Compact,
    /// A copy of a conversation under a new id; its old context is in it.
    Fork,
}

impl StartSource {
    /// Reads the agent's word; anything unknown is a new conversation.
    pub fn from_word(word: &str) -> Self {
        match word {
            "resume" => Self::Resume,
            "clear" => Self::Clear,
            "compact" => Self::Compact,
            "fork" => Self::Fork,
            _ => Self::Startup,
        }
    }

    /// The word in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Fork => "fork",
        }
    }

    /// Whether context is handed out: a resumed or forked conversation still carries its own.
    pub const fn wants_context(self) -> bool {
        matches!(self, Self::Startup | Self::Clear | Self::Compact)
    }

    /// Whether the person sees a session begin: a compaction happens in the middle of one.
    pub const fn begins(self) -> bool {
        !matches!(self, Self::Compact)
    }
}

/// One use of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolUse {
    /// The agent's name of the tool.
    pub name: String,
    /// What kind of thing the tool does.
    pub class: ToolClass,
    /// The agent's id of this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// What the tool was asked, cut to size.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// What it answered, cut to size: any JSON.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// The error text of a call that ran and failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Files the call names, as the agent wrote them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The command line of a shell call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How long it took, in milliseconds, where the agent says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl ToolUse {
    /// Whether the call ran and failed.
    pub const fn failed(&self) -> bool {
        self.error.is_some()
    }
}

/// What kind of thing a tool does, whatever an agent calls it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ToolClass {
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Runs a command line.
    Shell,
    /// Searches files or names.
    Search,
    /// Asks the web.
    Web,
    /// A tool of an MCP server.
    Mcp,
    /// Starts a sub-agent.
    Agent,
    /// Anything else.
    #[default]
    Other,
}
