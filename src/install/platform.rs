//! What differs by platform: modes, owners, and making a rename last.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes a folder that only its owner can enter; one that exists stays as it is.
#[cfg(unix)]
pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes a folder; one that exists stays as it is.
#[cfg(not(unix))]
pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Gives an open file the permission bits of `mode`.
#[cfg(unix)]
pub(super) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(super) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Gives an open file the mode and the owner of the file it will stand for.
#[cfg(unix)]
pub(super) fn resemble(file: &File, model: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (model.uid(), model.gid()) {
        std::os::unix::fs::fchown(file, Some(model.uid()), Some(model.gid()))?;
    }
    file.set_permissions(model.permissions())
}

#[cfg(not(unix))]
pub(super) fn resemble(file: &File, model: &fs::Metadata) -> io::Result<()> {
    file.set_permissions(model.permissions())
}

/// Writes a folder's entries to disk, so that a rename in it outlives a power cut.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether somebody may run the file.
#[cfg(unix)]
pub(super) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_executable(path: &Path) -> bool {
    path.is_file()
}
