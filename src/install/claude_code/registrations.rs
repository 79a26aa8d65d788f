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
    /// Both sets have it, each for its own part.
    Both,
}

/// Event, its word on our command line, matcher, seconds, role.
type Row = (&'static str, &'static str, Option<&'static str>, u64, Role);

const TABLE: [Row; 10] = [
    (SESSION_START, "session-start", Some("startup|resume|clear|compact|fork"), 15, Role::Read),
    ("UserPromptSubmit", "user-prompt-submit", None, 10, Role::Both),
    ("PostToolUse", "post-tool-use", Some("*"), 10, Role::Write),
    ("PostToolUseFailure", "post-tool-use-failure", Some("*"), 10, Role::Write),
    ("PreCompact", "pre-compact", None, 10, Role::Write),
    ("PostCompact", "post-compact", None, 10, Role::Write),
    ("Stop", "stop", None, 30, Role::Write),
    ("StopFailure", "stop-failure", None, 10, Role::Write),
    ("SubagentStop", "subagent-stop", None, 10, Role::Write),
    ("SessionEnd", "session-end", None, 10, Role::Write),
];

/// The event that a session begins with.
pub const SESSION_START: &str = "SessionStart";

/// Entries that stand in front of those before a tool.
const COME_FIRST: [&str; 2] = [SESSION_START, "UserPromptSubmit"];

/// Tools that can write a file.
const GUARDED_TOOLS: &str =
    "Write|Edit|MultiEdit|NotebookEdit|SearchReplace|Bash|PowerShell|Monitor";

/// Tools that read or change a file that is named.
const FILE_TOOLS: &str = "Read|Write|Edit|MultiEdit|NotebookEdit";

/// Both.
const GUARDED_AND_FILE_TOOLS: &str =
    "Read|Write|Edit|MultiEdit|NotebookEdit|SearchReplace|Bash|PowerShell|Monitor";

/// Seconds for the hook before a tool.
const BEFORE_TOOL: u64 = 2;

/// The entries of a set of hooks, in the order they are put in.
///
/// The prompt event and the one before a tool belong to both sets; where only one of their parts is
/// wanted the command says which, `--recall-only` or `--capture-only` (which keeps the guard). Without
/// `starts` no hook runs when a session starts.
pub fn registrations(
    binary: &Path,
    hook_set: HookSet,
    guard: bool,
    starts: bool,
) -> Vec<Registration> {
    let program = command_line::quote(&binary.to_string_lossy());
    let wanted = |role: Role| match role {
        Role::Read => hook_set.reads(),
        Role::Write => hook_set.writes(),
        Role::Both => true,
    };
    let part = |role: Role| match role {
        Role::Both => part_word(hook_set.reads(), hook_set.writes()),
        Role::Read | Role::Write => "",
    };
    let mut entries: Vec<Registration> = TABLE
        .iter()
        .filter(|row| wanted(row.4) && (starts || row.0 != SESSION_START))
        .map(|(event, word, matcher, timeout, role)| Registration {
            event: (*event).to_owned(),
            matcher: matcher.map(str::to_owned),
            command: format!("{program} hook {AGENT} {word}{}", part(*role)),
            timeout: *timeout,
        })
        .collect();
    let at = entries.iter().take_while(|one| COME_FIRST.contains(&one.event.as_str())).count();
    let before = before_tools(&program, hook_set.reads(), guard && hook_set.writes());
    entries.splice(at..at, before);
    entries
}

/// The entries before a tool. The words of a matcher are exact unless it holds pattern characters, so
/// the tools and the pattern for MCP tools are two entries; no call matches both.
fn before_tools(program: &str, recalls: bool, guards: bool) -> Vec<Registration> {
    let matchers: &[&str] = match (recalls, guards) {
        (true, true) => &[GUARDED_AND_FILE_TOOLS, "mcp__.*"],
        (true, false) => &[FILE_TOOLS],
        (false, true) => &[GUARDED_TOOLS, "mcp__.*"],
        (false, false) => &[],
    };
    let part = part_word(recalls, guards);
    matchers
        .iter()
        .map(|matcher| Registration {
            event: "PreToolUse".to_owned(),
            matcher: Some((*matcher).to_owned()),
            command: format!("{program} hook {AGENT} pre-tool-use{part}"),
            timeout: BEFORE_TOOL,
        })
        .collect()
}

/// The word for a hook of which only one part is wanted.
const fn part_word(reads: bool, writes: bool) -> &'static str {
    match (reads, writes) {
        (true, false) => " --recall-only",
        (false, true) => " --capture-only",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a5_every_hook_has_a_limit_of_seconds() {
        for set in [HookSet::Read, HookSet::Write, HookSet::All] {
            for one in registrations(Path::new("/h/bin/afterword"), set, true, true) {
                assert!((1..=60).contains(&one.timeout), "{one:?}");
            }
        }
    }

    #[test]
    fn d3_no_shell_stands_between_the_agent_and_the_program() {
        for one in registrations(Path::new("/h/bin/afterword"), HookSet::All, true, true) {
            assert!(one.command.starts_with("/h/bin/afterword hook claude-code "), "{one:?}");
        }
    }

    #[test]
    fn the_sets_share_the_prompt_and_what_comes_before_a_tool() {
        let binary = Path::new("/h/bin/afterword");
        let events = |set| -> Vec<String> {
            registrations(binary, set, false, true).into_iter().map(|r| r.event).collect()
        };
        assert_eq!(events(HookSet::Read), ["SessionStart", "UserPromptSubmit", "PreToolUse"]);
        let write = events(HookSet::Write);
        assert!(!write.contains(&"SessionStart".to_owned()), "{write:?}");
        assert!(!write.contains(&"PreToolUse".to_owned()), "no guard is asked for: {write:?}");
        assert_eq!(events(HookSet::All).len(), write.len() + 2);
        let prompt = |set| {
            let all = registrations(binary, set, true, true);
            all.into_iter().find(|r| r.event == "UserPromptSubmit").unwrap().command
        };
        assert!(prompt(HookSet::Read).ends_with("user-prompt-submit --recall-only"));
        assert!(prompt(HookSet::Write).ends_with("user-prompt-submit --capture-only"));
        assert!(prompt(HookSet::All).ends_with("user-prompt-submit"));
    }

    #[test]
    fn a8_session_starts_can_be_left_out_and_the_rest_stays() {
        for set in [HookSet::Read, HookSet::Write, HookSet::All] {
            let binary = Path::new("/h/bin/afterword");
            let all = registrations(binary, set, true, true);
            let without = registrations(binary, set, true, false);
            let rest: Vec<_> = all.into_iter().filter(|one| one.event != SESSION_START).collect();
            assert_eq!(without, rest);
        }
    }

    #[test]
    fn no_call_of_a_tool_runs_two_hooks() {
        let before = |set, guard| -> Vec<(String, String)> {
            registrations(Path::new("/h/bin/afterword"), set, guard, true)
                .into_iter()
                .filter(|r| r.event == "PreToolUse")
                .map(|r| {
                    (r.matcher.unwrap(), r.command.rsplit("pre-tool-use").next().unwrap().into())
                })
                .collect()
        };
        let entry = |matcher: &str, part: &str| (matcher.to_owned(), part.to_owned());
        let recall = [entry(FILE_TOOLS, " --recall-only")];
        assert_eq!(before(HookSet::Read, true), recall);
        assert_eq!(before(HookSet::All, false), recall);
        let guard = [entry(GUARDED_TOOLS, " --capture-only"), entry("mcp__.*", " --capture-only")];
        assert_eq!(before(HookSet::Write, true), guard);
        let both = [entry(GUARDED_AND_FILE_TOOLS, ""), entry("mcp__.*", "")];
        assert_eq!(before(HookSet::All, true), both);
        for tool in FILE_TOOLS.split('|').chain(GUARDED_TOOLS.split('|')) {
            assert!(GUARDED_AND_FILE_TOOLS.split('|').any(|one| one == tool), "{tool}");
        }
    }
}
