//! Installing once, however many tests want it at a time.

use std::fs::{self, File};
use std::path::Path;

/// Installs into a folder under a lock, unless a complete installation is there and `usable`.
pub(crate) fn once(
    folder: &Path,
    version: &str,
    usable: impl Fn() -> bool,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let failed = |what: &str, error: std::io::Error| {
        format!("{what} in {} failed: {error}", folder.display())
    };
    fs::create_dir_all(folder).map_err(|error| failed("making folders", error))?;
    let lock = File::create(folder.join("install.lock")).map_err(|e| failed("locking", e))?;
    lock.lock().map_err(|error| failed("locking", error))?;
    // Written last, so that an installation that was broken off is done again.
    let complete = folder.join("complete");
    if complete.exists() && usable() {
        return Ok(());
    }
    install()?;
    if !usable() {
        return Err(format!("it was installed without its program in {}", folder.display()));
    }
    fs::write(&complete, version).map_err(|error| failed("writing", error))
}
