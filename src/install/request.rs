//! What is asked of an install, and what it answers.

use std::path::PathBuf;
use std::str::FromStr;

use super::binary::BinaryChange;
use super::diff;
use crate::config::Home;

/// Which hooks are registered (`--type`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HookSet {
    /// Only what gives memories back: session start and prompt.
    Read,
    /// Only what keeps: capture, compaction, stop, session end, and the guard when asked for.
    Write,
    /// Both.
    #[default]
    All,
}

impl HookSet {
    /// Whether memories are given back.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::All)
    }

    /// Whether events are kept.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::All)
    }
}

impl FromStr for HookSet {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "read" => Ok(Self::Read),
            "write" => Ok(Self::Write),
            "all" => Ok(Self::All),
            other => Err(format!("'{other}' is no type of hooks: write read, write or all")),
        }
    }
}

/// Everything an install or uninstall needs to know.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Request {
    /// The data folder: the stable binary and the records are in it.
    pub home: Home,
    /// The agent's own folder, `~/.claude` or what `CLAUDE_CONFIG_DIR` says.
    pub claude_folder: PathBuf,
    /// `Some`: only for this project, in `<project>/.claude/settings.json`.
    pub project: Option<PathBuf>,
    /// Whether session starts are registered (with the read hooks only); without them the first prompt
    /// is given the context.
    pub starts: bool,
    /// The file with the person's MCP servers; `None`: not looked at. For a project its own
    /// `.mcp.json` is meant instead.
    pub mcp_file: Option<PathBuf>,
    /// Whether the tools for the model are registered (with the read hooks only).
    pub mcp: bool,
    /// Which hooks; not looked at by an uninstall.
    pub hook_set: HookSet,
    /// Whether writes to the agent's own memory files are guarded (part of the write hooks).
    pub guard: bool,
    /// The running program, copied to the stable path.
    pub current_exe: PathBuf,
    /// Only say what would change.
    pub dry_run: bool,
    /// Switch off the hooks and plugins of other memory products in the same file.
    pub disable_other_memories: bool,
}

/// One foreign file and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file as the agent names it (a link is not resolved here).
    pub path: PathBuf,
    /// Its text before; `None`: there was no such file.
    pub before: Option<String>,
    /// Its text after; `None`: the file is removed.
    pub after: Option<String>,
    /// Where a copy of the original lies.
    pub backup: Option<PathBuf>,
}

/// A hook or plugin of another memory product. Two memories inject twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherMemory {
    /// `claude-mem`, `adbpgmem` or `mem0`.
    pub product: String,
    /// The hook event, or `plugin` for an entry of `enabledPlugins`.
    pub event: String,
    /// The command, or the plugin's key.
    pub command: String,
    /// The settings file it stands in.
    pub file: PathBuf,
    /// Whether this request switches it off.
    pub switched_off: bool,
}

/// What was done, or with `dry_run` what would be.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The files that change; empty when everything stands already as asked.
    pub files: Vec<FileChange>,
    /// Other memory products found in the agent's settings.
    pub other_memories: Vec<OtherMemory>,
    /// What happens to the program at its stable path.
    pub binary: BinaryChange,
    /// Sentences for the person.
    pub notes: Vec<String>,
}

impl Report {
    /// A unified difference of each file that changes.
    pub fn diff(&self) -> String {
        self.files
            .iter()
            .map(|file| diff::unified(&file.path, file.before.as_deref(), file.after.as_deref()))
            .collect()
    }
}
