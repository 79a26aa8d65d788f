//! The hooks we register: events, matchers, time limits and command lines.

use std::path::Path;

use crate::install::command_line;
use crate::install::request::HookSet;

/// The agent's name on our command line.
pub const AGENT: &str = "claude-code";

/// One hook entry of ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Registration {
    /// The event's name in the settings.
    pub event: String,
    /// Which sources or tools; `None`: all.
    pub matcher: Option<String>,
    /// What the shell runs. Names no release, so an upgrade leaves it as it is.
    pub command: String,
    /// Seconds after which the agent gives the hook up; 1 to 60.
    pub timeout: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    Write,
    Both,
    Guard,
}

/// Event, its word on our command line, matcher, seconds, role.
type Row = (&'static str, &'static str, Option<&'static str>, u64, Role);

/// The words of a matcher are exact unless it holds pattern characters, so the tools and the
/// pattern for MCP tools are two entries; the agent runs equal commands once.
const TABLE: [Row; 12] = [
    ("SessionStart", "session-start", Some("startup|resume|clear|compact|fork"), 15, Role::Read),
    ("UserPromptSubmit", "user-prompt-submit", None, 10, Role::Both),
    ("PreToolUse", "pre-tool-use", Some(GUARDED_TOOLS), 2, Role::Guard),
    ("PreToolUse", "pre-tool-use", Some("mcp__.*"), 2, Role::Guard),
    ("PostToolUse", "post-tool-use", Some("*"), 10, Role::Write),
    ("PostToolUseFailure", "post-tool-use-failure", Some("*"), 10, Role::Write),
    ("PreCompact", "pre-compact", None, 10, Role::Write),
    ("PostCompact", "post-compact", None, 10, Role::Write),
    ("Stop", "stop", None, 30, Role::Write),
    ("StopFailure", "stop-failure", None, 10, Role::Write),
    ("SubagentStop", "subagent-stop", None, 10, Role::Write),
    ("SessionEnd", "session-end", None, 10, Role::Write),
];

/// Tools that can write a file.
const GUARDED_TOOLS: &str =
    "Write|Edit|MultiEdit|NotebookEdit|SearchReplace|Bash|PowerShell|Monitor";

/// The entries of a set of hooks, in the order they are put in.
///
/// The prompt event belongs to both sets; alone it is told its role, `--recall-only` or
/// `--capture-only`.
pub fn registrations(binary: &Path, hook_set: HookSet, guard: bool) -> Vec<Registration> {
    let program = command_line::quote(&binary.to_string_lossy());
    let wanted = |role: Role| match role {
        Role::Read => hook_set.reads(),
        Role::Write => hook_set.writes(),
        Role::Both => true,
        Role::Guard => guard && hook_set.writes(),
    };
    let role_word = |role: Role| match (role, hook_set) {
        (Role::Both, HookSet::Read) => " --recall-only",
        (Role::Both, HookSet::Write) => " --capture-only",
        _ => "",
    };
    TABLE
        .iter()
        .filter(|row| wanted(row.4))
        .map(|(event, word, matcher, timeout, role)| Registration {
            event: (*event).to_owned(),
            matcher: matcher.map(str::to_owned),
            command: format!("{program} hook {AGENT} {word}{}", role_word(*role)),
            timeout: *timeout,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a5_every_hook_has_a_limit_of_seconds() {
        for set in [HookSet::Read, HookSet::Write, HookSet::All] {
            for one in registrations(Path::new("/h/bin/afterword"), set, true) {
                assert!((1..=60).contains(&one.timeout), "{one:?}");
            }
        }
    }

    #[test]
    fn d3_no_shell_stands_between_the_agent_and_the_program() {
        for one in registrations(Path::new("/h/bin/afterword"), HookSet::All, true) {
            assert!(one.command.starts_with("/h/bin/afterword hook claude-code "), "{one:?}");
        }
    }

    #[test]
    fn the_sets_share_only_the_prompt() {
        let binary = Path::new("/h/bin/afterword");
        let events = |set| -> Vec<String> {
            registrations(binary, set, false).into_iter().map(|r| r.event).collect()
        };
        assert_eq!(events(HookSet::Read), ["SessionStart", "UserPromptSubmit"]);
        let write = events(HookSet::Write);
        assert!(!write.contains(&"SessionStart".to_owned()), "{write:?}");
        assert_eq!(events(HookSet::All).len(), write.len() + 1);
        let prompt = |set| {
            let all = registrations(binary, set, true);
            all.into_iter().find(|r| r.event == "UserPromptSubmit").unwrap().command
        };
        assert!(prompt(HookSet::Read).ends_with("user-prompt-submit --recall-only"));
        assert!(prompt(HookSet::Write).ends_with("user-prompt-submit --capture-only"));
        assert!(prompt(HookSet::All).ends_with("user-prompt-submit"));
        let guards = registrations(binary, HookSet::All, true);
        assert_eq!(guards.iter().filter(|r| r.event == "PreToolUse").count(), 2);
    }
}
