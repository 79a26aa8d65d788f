//! `afterword doctor`: every promise that can be checked on this machine, each with its remedy.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use afterword_domain::wire::status::Status;
use serde::{Deserialize, Serialize};

use super::door::Door;
use super::{Tools, project};
use crate::config::{Home, remote};
use crate::hook::pause;
use crate::install::{self, Request};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    /// What was found.
    finding: String,
    /// What to do about it; empty when all is well.
    remedy: String,
}

impl Check {
    fn good(name: &'static str, finding: impl Into<String>) -> Self {
        Self { name, ok: true, finding: finding.into(), remedy: String::new() }
    }

    fn bad(name: &'static str, finding: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, ok: false, finding: finding.into(), remedy: remedy.into() }
    }
}

/// Runs every check; exit 0 only when all hold.
pub(super) fn doctor(tools: &Tools) -> anyhow::Result<ExitCode> {
    let mut checks = vec![settings(tools), folder(&tools.config.home), binary(tools)];
    checks.extend(daemon(tools));
    checks.extend(hooks(tools));
    checks.push(paused(tools));
    checks.extend(remote_token(tools));
    let well = checks.iter().all(|check| check.ok);
    if tools.out.json {
        tools.out.value(&serde_json::json!({ "ok": well, "checks": checks }))?;
    } else {
        for check in &checks {
            let mark = if check.ok { tools.out.good("ok  ") } else { tools.out.bad("FAIL") };
            tools.out.line(&format!("{mark} {:<14} {}", check.name, check.finding));
            if !check.remedy.is_empty() {
                tools.out.line(&format!("     {:<14} {}", "", tools.out.bold(&check.remedy)));
            }
        }
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn settings(tools: &Tools) -> Check {
    match &tools.problem {
        None => Check::good("settings", "config.toml is fine or absent"),
        Some(problem) => Check::bad(
            "settings",
            problem.lines().next().unwrap_or_default(),
            format!("correct {}", tools.config.home.config_file().display()),
        ),
    }
}

/// Whether the data folder is there and closed to others.
fn folder(home: &Home) -> Check {
    let folder = home.folder();
    if !folder.is_dir() {
        return Check::bad(
            "data folder",
            format!("{} does not exist yet", folder.display()),
            "run 'afterword install'; the first session makes it",
        );
    }
    let open: Vec<String> = [folder.to_owned(), home.database(), home.token_file(), home.spool()]
        .iter()
        .filter(|path| is_open(path))
        .map(|path| path.display().to_string())
        .collect();
    if open.is_empty() {
        Check::good("data folder", format!("{} is closed to others", folder.display()))
    } else {
        Check::bad(
            "data folder",
            format!("others can read {}", open.join(", ")),
            format!("chmod -R go-rwx {}", folder.display()),
        )
    }
}

#[cfg(unix)]
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|m| m.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open(_path: &Path) -> bool {
    false
}

/// Whether the program that hooks are registered with is there and is this release.
fn binary(tools: &Tools) -> Check {
    let path = tools.config.home.binary();
    if !path.exists() {
        return Check::bad(
            "program",
            format!("{} is missing", path.display()),
            "run 'afterword install': hooks call that path",
        );
    }
    let output = Command::new(&path).arg("--version").stdin(Stdio::null()).output();
    let version = match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().replace("afterword ", "")
        }
        Ok(_) | Err(_) => {
            return Check::bad(
                "program",
                format!("{} cannot be run", path.display()),
                "run 'afterword install' to replace it",
            );
        }
    };
    if version == env!("CARGO_PKG_VERSION") {
        Check::good("program", format!("{} is version {version}", path.display()))
    } else {
        Check::bad(
            "program",
            format!("hooks run version {version}, this is {}", env!("CARGO_PKG_VERSION")),
            "run 'afterword install' with the newer one",
        )
    }
}

#[derive(Debug, Deserialize)]
struct Problems {
    problems: Vec<String>,
}

/// The daemon, its database, its queue and the spool.
fn daemon(tools: &Tools) -> Vec<Check> {
    let door = match Door::open(tools) {
        Ok(door) => door,
        Err(error) => {
            return vec![Check::bad(
                "daemon",
                format!("{error:#}"),
                format!("see {}", tools.config.home.logs().join("daemon.log").display()),
            )];
        }
    };
    let mut checks = Vec::new();
    checks.push(match door.client().ping() {
        Ok(ping) if ping.version == env!("CARGO_PKG_VERSION") => {
            Check::good("daemon", format!("answers on port {}", door.client().port()))
        }
        Ok(ping) => Check::bad(
            "daemon",
            format!("runs version {}, this is {}", ping.version, env!("CARGO_PKG_VERSION")),
            "afterword daemon restart",
        ),
        Err(error) => Check::bad("daemon", error.to_string(), "afterword daemon restart"),
    });
    checks.push(match door.get::<Problems>("/api/check") {
        Ok(Problems { problems }) if problems.is_empty() => {
            Check::good("database", "whole; index and counters agree with the rows")
        }
        Ok(Problems { problems }) => Check::bad(
            "database",
            problems.join("; "),
            "keep a copy: afterword export --out backup.jsonl; then see docs/guide/repair.md",
        ),
        Err(error) => Check::bad("database", format!("{error:#}"), "afterword daemon restart"),
    });
    match door.get::<Status>("/api/stats") {
        Ok(status) => checks.extend(counts(tools, &status)),
        Err(error) => {
            checks.push(Check::bad("counts", format!("{error:#}"), "afterword daemon restart"));
        }
    }
    checks
}

fn counts(tools: &Tools, status: &Status) -> Vec<Check> {
    let mut checks = Vec::new();
    let spool = tools.config.home.spool();
    checks.push(if status.spool_bad > 0 {
        Check::bad(
            "spool",
            format!("{} files could not be read", status.spool_bad),
            format!("look into {} and delete what is torn", spool.join("bad").display()),
        )
    } else {
        Check::good("spool", format!("{} events wait for the daemon", status.spooled))
    });
    checks.push(if status.parked > 0 {
        Check::bad(
            "distilling",
            format!("{} events are parked after three tries", status.parked),
            "see daemon.log for the reason; 'afterword daemon restart' tries them again",
        )
    } else {
        Check::good("distilling", format!("{} events wait", status.waiting))
    });
    let adds_up = status.received == status.spooled + status.stored
        && status.stored == status.distilled + status.waiting + status.parked;
    checks.push(if adds_up {
        Check::good("counts", format!("{} received, none lost", status.received))
    } else {
        Check::bad(
            "counts",
            format!(
                "received {} but spooled {} + stored {}; distilled {} + waiting {} + parked {}",
                status.received,
                status.spooled,
                status.stored,
                status.distilled,
                status.waiting,
                status.parked
            ),
            "run it again: a hook may have been at work; if it stays, please report it",
        )
    });
    checks
}

/// Our hooks in the agent's settings, and those of other memories.
fn hooks(tools: &Tools) -> Vec<Check> {
    let env = &tools.config.env;
    let root = project::here(tools, None).ok().and_then(|p| p.root).map(std::path::PathBuf::from);
    let mut found = 0;
    let mut checks = Vec::new();
    for scope in [None, root] {
        let request = Request {
            home: tools.config.home.clone(),
            claude_folder: env.claude_folder(),
            project: scope,
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

fn paused(tools: &Tools) -> Check {
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

/// A file with a token inside a repository must be ignored by git.
fn remote_token(tools: &Tools) -> Option<Check> {
    let root = project::here(tools, None).ok()?.root?;
    let remote = remote::resolve(&tools.config.env, Some(Path::new(&root)))?;
    let file = remote.token_file.filter(|file| file.starts_with(&root))?;
    let ignored = Command::new("git")
        .args(["-C", &root, "check-ignore", "-q"])
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    Some(if ignored {
        Check::good("remote token", format!("git ignores {}", file.display()))
    } else {
        Check::bad(
            "remote token",
            format!("{} holds a token and git does not ignore it", file.display()),
            "add it to .gitignore",
        )
    })
}
