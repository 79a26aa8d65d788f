//! Getting the client from npm, once for all tests.

use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::env;

/// Why the client is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent(String);

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Claude Code cannot be had: {}", self.0)
    }
}

impl std::error::Error for Absent {}

impl Absent {
    /// Says on standard error that a test is skipped; panics in CI, where nothing may be skipped.
    #[track_caller]
    pub fn skip_or_fail(&self) {
        assert!(!env::in_ci(), "{self}");
        // Written directly: the test harness hides what passing tests print.
        drop(writeln!(std::io::stderr(), "notice: test skipped. {self}"));
    }
}

/// The path of the native program in this version, installed if need be.
pub(super) fn program(version: &str) -> Result<PathBuf, Absent> {
    let Some(platform) = platform() else {
        return Err(Absent("there is no build for this platform".to_owned()));
    };
    let folder = target().join("claude-code").join(version);
    let name = if cfg!(windows) { "claude.exe" } else { "claude" };
    let package = format!("@anthropic-ai/claude-code-{platform}");
    let program = folder.join("node_modules").join(package).join(name);
    install_once(&folder, version, &program).map_err(Absent)?;
    Ok(program)
}

/// The build folder of this workspace: large, never committed, and kept between runs.
fn target() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate has a folder");
    crates.parent().expect("the workspace has a folder").join("target")
}

/// The ending of the npm package that holds the native program.
fn platform() -> Option<String> {
    let system = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "win32",
        _ => return None,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        _ => return None,
    };
    let libc = if cfg!(target_env = "musl") { "-musl" } else { "" };
    Some(format!("{system}-{processor}{libc}"))
}

/// Installs under a lock unless a complete installation is there.
fn install_once(folder: &Path, version: &str, program: &Path) -> Result<(), String> {
    let in_folder = |what: &str, error: std::io::Error| {
        format!("{what} in {} failed: {error}", folder.display())
    };
    fs::create_dir_all(folder).map_err(|e| in_folder("making folders", e))?;
    let lock = File::create(folder.join("install.lock")).map_err(|e| in_folder("locking", e))?;
    lock.lock().map_err(|e| in_folder("locking", e))?;
    // Written last, so that an installation that was broken off is done again.
    let complete = folder.join("complete");
    if complete.exists() && program.exists() {
        return Ok(());
    }
    npm_install(folder, version)?;
    if !program.exists() {
        return Err(format!("npm installed it without {}", program.display()));
    }
    fs::write(&complete, version).map_err(|e| in_folder("writing", e))
}

fn npm_install(folder: &Path, version: &str) -> Result<(), String> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(npm)
        // The native program is a package of its own; the script would only link to it.
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(folder)
        // By number: without one, an older Node silently gets an older client.
        .arg(format!("@anthropic-ai/claude-code@{version}"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("npm cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = errors.lines().rev().take(5).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(format!("npm install failed ({}): {}", output.status, last.join("; ")))
}
