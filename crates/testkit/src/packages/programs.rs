//! The programs that fetch and run packages.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Installs packages of npm, each named with its version, into a folder. No script of them is run.
pub(crate) fn npm(folder: &Path, packages: &[&str], more: &[&str]) -> Result<(), String> {
    let mut command = Command::new(NPM);
    command
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
        .args(more)
        .arg("--prefix")
        .arg(folder)
        .args(packages)
        .current_dir(folder);
    succeeds(command, "npm install")
}

/// Unpacks one package of npm into `folder/package`, without what it depends on.
pub(crate) fn unpack(folder: &Path, package: &str) -> Result<(), String> {
    let packed = folder.join("packed");
    fs::create_dir_all(&packed).map_err(|error| format!("making folders failed: {error}"))?;
    let mut command = Command::new(NPM);
    command.args(["pack", "--silent", "--pack-destination"]).arg(&packed).arg(package);
    command.current_dir(folder);
    succeeds(command, "npm pack")?;
    let archive = fs::read_dir(&packed)
        .map_err(|error| format!("reading {} failed: {error}", packed.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "tgz"));
    let archive = archive.ok_or_else(|| format!("npm packed nothing into {}", packed.display()))?;
    let mut tar = Command::new("tar");
    // Everything in a package lies below one folder of this name.
    tar.arg("xzf").arg(&archive).arg("-C").arg(folder);
    succeeds(tar, "tar")
}

/// Runs Python with arguments and then paths.
pub(crate) fn python(arguments: &[&str], paths: &[&Path]) -> Result<(), String> {
    let mut command = Command::new("python3");
    command.args(arguments).args(paths);
    succeeds(command, &format!("python3 {}", arguments.join(" ")))
}

/// Runs a command; an error holds the last that it said.
fn succeeds(mut command: Command, what: &str) -> Result<(), String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{what} cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = errors.lines().rev().take(5).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(format!("{what} failed ({}): {}", output.status, last.join("; ")))
}
