//! What a contributor and CI run: `cargo xtask check` is everything that has to hold.

mod soak;

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// A task of this program.
struct Task {
    name: &'static str,
    meaning: &'static str,
    run: fn() -> Result<()>,
}

const TASKS: &[Task] = &[
    Task { name: "check", meaning: "everything that CI runs, in this order", run: check },
    Task { name: "fmt", meaning: "formatting", run: fmt },
    Task { name: "clippy", meaning: "lints, warnings denied", run: clippy },
    Task { name: "doc", meaning: "documentation, warnings denied", run: doc },
    Task { name: "test", meaning: "all tests of all crates", run: test },
    Task {
        name: "soak",
        meaning: "long fault runs; see `cargo xtask soak --help`",
        run: soak::soak,
    },
    Task {
        name: "screenshots",
        meaning: "pictures of the viewer in docs/viewer, by a real browser",
        run: screenshots,
    },
    Task { name: "deny", meaning: "licences, advisories and sources of dependencies", run: deny },
];

fn main() -> ExitCode {
    let name = std::env::args().nth(1);
    let Some(task) = TASKS.iter().find(|task| Some(task.name) == name.as_deref()) else {
        say("usage: cargo xtask <task>\n");
        for task in TASKS {
            say(&format!("  {:<11} {}", task.name, task.meaning));
        }
        // Asking for nothing is asking for the list; asking for something unknown is a mistake.
        return ExitCode::from(if name.is_none() { 0 } else { 2 });
    };
    match (task.run)() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<()> {
    for run in [fmt, clippy, doc, test, deny] {
        run()?;
    }
    say("xtask: everything holds");
    Ok(())
}

fn fmt() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])
}

fn clippy() -> Result<()> {
    let args = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    cargo(&args, &[])
}

fn doc() -> Result<()> {
    let args = ["doc", "--workspace", "--no-deps", "--locked"];
    cargo(&args, &[("RUSTDOCFLAGS", "-D warnings")])
}

/// Goes on after a failing test binary, so that one run shows everything that is broken.
fn test() -> Result<()> {
    cargo(&["test", "--workspace", "--locked", "--no-fail-fast"], &[])
}

/// Wants fonts that have Chinese: on Debian, `fonts-noto-cjk`.
fn screenshots() -> Result<()> {
    let story = ["--test", "stories", "--", "--ignored", "browser::pictures"];
    cargo(&[&["test", "--locked", "--package", "afterword"], &story[..]].concat(), &[])
}

/// Skipped with a notice where the tool is not installed: it is no part of the toolchain.
fn deny() -> Result<()> {
    let installed = Command::new("cargo")
        .args(["deny", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !installed {
        say("xtask: notice: cargo-deny is not installed; licences and advisories not checked");
        return Ok(());
    }
    cargo(&["deny", "--workspace", "check"], &[])
}

/// Runs cargo on the workspace; its output is passed through.
fn cargo(args: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let line = format!("cargo {}", args.join(" "));
    say(&format!("xtask: {line}"));
    let start = Instant::now();
    let status = Command::new("cargo")
        .args(args)
        .envs(environment.iter().copied())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status()
        .with_context(|| format!("cannot run `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    say(&format!("xtask: done in {} s: {line}", start.elapsed().as_secs()));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "this program talks to people only")]
fn say(text: &str) {
    println!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_has_its_own_name_and_says_what_it_does() {
        for (at, task) in TASKS.iter().enumerate() {
            assert!(!task.meaning.is_empty());
            assert!(TASKS[at + 1..].iter().all(|other| other.name != task.name), "{}", task.name);
        }
    }
}
