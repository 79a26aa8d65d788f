//! Hooks in the agents' settings, and pauses.

use std::path::Path;

use super::check::Check;
use crate::cli::{Tools, project};
use crate::hook::pause;
use crate::install::{self, Request};

/// Our hooks in the agent's settings, and those of other memories.
pub(super) fn hooks(tools: &Tools) -> Vec<Check> {
    let env = &tools.config.env;
    let root = project::here(tools, None).ok().and_then(|p| p.root).map(std::path::PathBuf::from);
    let mut found = 0;
    let mut checks = Vec::new();
    for scope in [None, root] {
        let request = Request {
            home: tools.config.home.clone(),
            claude_folder: env.claude_folder(),
            project: scope,
            mcp_file: None,
            mcp: true,
            starts: !tools.config.context_at_prompt(),
            hook_set: install::HookSet::All,
            guard: false,
            current_exe: tools.config.home.binary(),
            dry_run: true,
            disable_other_memories: false,
        };
        let path = install::settings_path(&request);
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match install::installed_hooks(&text, &tools.config.home.binary()) {
            Err(broken) => checks.push(Check::bad(
                "hooks",
                format!("{}: {broken}", path.display()),
                "correct the file: Claude Code ignores all of it",
            )),
            Ok(installed) => {
                found += installed.hooks.len();
                checks.extend(registered(&path, &installed));
                checks.extend(starts(tools, &path, &installed));
            }
        }
        if let Ok(report) = install::install_claude_code(&request) {
            checks.extend(report.other_memories.iter().map(|other| {
                Check::bad(
                    "other memory",
                    format!("{} is registered too ({})", other.product, other.event),
                    "two memories inject twice: afterword install --disable-others",
                )
            }));
        }
    }
    if found == 0 {
        checks.push(Check::bad(
            "hooks",
            "no agent is set up: nothing is captured",
            "afterword install",
        ));
    }
    checks
}

/// Whether the hook of session starts is registered as the settings want it.
fn starts(tools: &Tools, path: &Path, installed: &install::Installed) -> Option<Check> {
    let starts = installed.hooks.iter().any(|hook| hook.event == install::SESSION_START);
    let reads = |hook: &install::InstalledHook| {
        hook.event == "UserPromptSubmit" && !hook.command.contains("--capture-only")
    };
    let finding = if tools.config.context_at_prompt() && starts {
        "the hook of session starts is registered, though 'inject_on' says the first prompt"
    } else if tools.config.context_at_start() && !starts && installed.hooks.iter().any(reads) {
        "the hook of session starts is not registered: no session is given its context"
    } else {
        return None;
    };
    let finding = format!("in {}: {finding}", path.display());
    Some(Check::bad("session starts", finding, "run 'afterword install' again"))
}

fn registered(path: &Path, installed: &install::Installed) -> Vec<Check> {
    if installed.hooks.is_empty() {
        return Vec::new();
    }
    if installed.all_disabled {
        return vec![Check::bad(
            "hooks",
            format!("{} has disableAllHooks", path.display()),
            "remove disableAllHooks, or accept that nothing is captured",
        )];
    }
    let wrong: Vec<&str> = installed
        .hooks
        .iter()
        .filter(|hook| !hook.stable || !hook.timeout.is_some_and(|s| (1..=60).contains(&s)))
        .map(|hook| hook.event.as_str())
        .collect();
    vec![if wrong.is_empty() {
        Check::good("hooks", format!("{} registered in {}", installed.hooks.len(), path.display()))
    } else {
        Check::bad(
            "hooks",
            format!("in {} these are not as installed: {}", path.display(), wrong.join(", ")),
            "run 'afterword install' again",
        )
    }]
}

/// Whether capture is switched off here.
pub(super) fn paused(tools: &Tools) -> Check {
    let here = project::here(tools, None).unwrap_or_default();
    if tools.config.env.hooks_disabled() {
        return Check::bad(
            "capture",
            "AFTERWORD_DISABLED is set: hooks do nothing",
            "unset AFTERWORD_DISABLED",
        );
    }
    if pause::is_paused(&tools.config.home, &here) {
        return Check::bad("capture", "paused here or everywhere", "afterword resume");
    }
    Check::good("capture", "not paused")
}
