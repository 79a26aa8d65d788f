//! The guard: writes to the agent's own memory files are refused, everything else passes.
//!
//! Memory lives in one place; files that the agent keeps beside it would drift apart from it. Known
//! memory places are `projects/*/memory/`, `agent-memory/`, `agent-memory-local/` and `memory/` in the
//! agent's folders, a folder moved by `autoMemoryDirectory`, `MEMORY.md` anywhere, and what the
//! settings add. A repository's own `docs/memory.md`, `CLAUDE.md`, transcripts and every kind of
//! reading pass.
//!
//! For shell commands this is best effort by nature: `shell` understands the usual ways of writing
//! a file, not every program. [`check`] never panics, is linear in the input, and touches the disk only
//! to follow links and to read the agent's settings.

mod globs;
mod paths;
mod rules;
mod settings;
mod shell;
mod tools;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde_json::Value;

/// Why a write is refused, and what to do instead.
pub const REASON: &str = "This project's memory is kept by afterword, whose hooks record the session \
     automatically; the agent's own memory files are not to be written. To record something on \
     purpose, run `afterword remember \"<text>\"`.";

/// Where the call happens.
#[derive(Clone, Debug, Default)]
pub struct GuardSetup {
    /// The agent's settings folder: `$CLAUDE_CONFIG_DIR` or `~/.claude`.
    pub claude_folder: PathBuf,
    /// The person's home folder.
    pub user_home: PathBuf,
    /// The project's root, whose `.claude` folder may hold settings.
    pub project_root: Option<PathBuf>,
    /// The folder that relative paths start from; without it the project's root.
    pub cwd: Option<PathBuf>,
    /// Further files to protect: `*` within a folder, `**` across folders, `?`, `~/` in front.
    pub extra_globs: Vec<String>,
}

/// Looks at one tool call; the reason when it would write to a memory file, none when it may run.
pub fn check(setup: &GuardSetup, tool_name: &str, tool_input: &Value) -> Option<String> {
    let targets = tools::targets(setup, tool_name, tool_input);
    let denied = !targets.is_empty() && rules::Guarded::new(setup).covers_any(&targets);
    denied.then(|| REASON.to_owned())
}

/// A path that a call writes to, as the call spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    /// The path.
    path: String,
    /// The folder it is relative to, with `/` between folders.
    folder: std::rc::Rc<str>,
    /// It is taken away with all that is in it, so that what it holds counts as well.
    whole: bool,
}

impl Target {
    fn new(path: impl Into<String>, folder: &std::rc::Rc<str>) -> Self {
        Self { path: path.into(), folder: std::rc::Rc::clone(folder), whole: false }
    }
}
