//! Getting the client from npm, once for all tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::absent::{Absent, target};

/// What messages call it.
const CLIENT: &str = "Claude Code";

/// The path of the native program in this version, installed if need be.
pub(super) fn program(version: &str) -> Result<PathBuf, Absent> {
    let Some(platform) = platform() else {
        return Err(Absent::new(CLIENT, "there is no build for this platform"));
    };
    let folder = target().join("claude-code").join(version);
    let name = if cfg!(windows) { "claude.exe" } else { "claude" };
    let package = format!("@anthropic-ai/claude-code-{platform}");
    let program = folder.join("node_modules").join(package).join(name);
    install_once(&folder, version, &program).map_err(|why| Absent::new(CLIENT, why))?;
    Ok(program)
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
