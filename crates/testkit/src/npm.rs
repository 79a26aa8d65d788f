//! Getting exact versions of packages from npm, once for all tests.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

/// Installs packages, each as `name@version`, below `folder` unless all of them are there already;
/// `expected` is a file that they bring. Parallel callers install once.
pub(crate) fn install_once(
    folder: &Path,
    packages: &[String],
    expected: &Path,
) -> Result<(), String> {
    let in_folder = |what: &str, error: std::io::Error| {
        format!("{what} in {} failed: {error}", folder.display())
    };
    fs::create_dir_all(folder).map_err(|e| in_folder("making folders", e))?;
    let lock = File::create(folder.join("install.lock")).map_err(|e| in_folder("locking", e))?;
    lock.lock().map_err(|e| in_folder("locking", e))?;
    // Written last, so that an installation that was broken off is done again.
    let complete = folder.join("complete");
    let wanted = packages.join("\n");
    let installed = fs::read_to_string(&complete).is_ok_and(|text| text == wanted);
    if installed && expected.exists() {
        return Ok(());
    }
    install(folder, packages)?;
    if !expected.exists() {
        return Err(format!("npm installed it without {}", expected.display()));
    }
    fs::write(&complete, wanted).map_err(|e| in_folder("writing", e))
}

fn install(folder: &Path, packages: &[String]) -> Result<(), String> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(npm)
        // Nothing is run that comes with a package.
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(folder)
        // By number: without one, an older Node silently gets older packages.
        .args(packages)
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
