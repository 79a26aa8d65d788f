//! What is asked before a tool works on files. Nothing of it is stored but that it was answered.

use serde::{Deserialize, Serialize};

use crate::project::ProjectRef;
use crate::reply::Reply;

/// Body of `POST /api/recall/file`: a session is about to read or change files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileQuestion {
    /// The agent's name as on our command line.
    pub agent: String,
    /// The agent's own session id.
    pub agent_session_id: String,
    /// Where the work belongs.
    pub project: ProjectRef,
    /// The folder that relative paths start from; without it they start from the project's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The files, absolute or relative; the first of which something new is known is told of.
    pub paths: Vec<String>,
}

/// The answer of `POST /api/recall/file`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileAnswer {
    /// What the hook prints, in canonical form.
    #[serde(default)]
    pub reply: Reply,
}
