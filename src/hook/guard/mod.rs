//! Keeps the agent's own memory files from being written.

use std::path::PathBuf;

use serde_json::Value;

/// What the guard needs to know about this call.
#[derive(Clone, Debug, Default)]
pub struct GuardSetup {
    /// The agent's own folder.
    pub claude_folder: PathBuf,
    /// The person's home folder.
    pub user_home: PathBuf,
    /// The project's folder.
    pub project_root: Option<PathBuf>,
    /// The folder the agent works in.
    pub cwd: Option<PathBuf>,
    /// More files to protect.
    pub extra_globs: Vec<String>,
}

/// The reason for a refusal, if there is one.
pub fn check(_setup: &GuardSetup, _tool_name: &str, _tool_input: &Value) -> Option<String> {
    None
}
