//! Private files and folders, read with a bound and written whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file for reading. Anything else is refused: a pipe without a writer would be
/// waited for, and a device may never end.
pub fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).expect("a small flag");
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = options.read(true).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "no regular file"))
    }
}

/// Reads a regular file whole when it has at most `limit` bytes.
pub fn read_bounded(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(512);
    open_file(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Makes a folder and its parents; what is made is readable by its owner only (0700).
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a folder as [`create_private_folder`] does, and tightens one that exists.
pub fn own_folder(folder: &Path) -> io::Result<()> {
    create_private_folder(folder)?;
    tighten(folder, 0o700)
}

/// Takes every right from others than the owner, where others have any.
pub fn tighten_file(path: &Path) -> io::Result<()> {
    tighten(path, 0o600)
}

#[cfg(unix)]
fn tighten(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if fs::metadata(path)?.permissions().mode() & 0o777 == mode {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Who may enter the user's folder is for the user's system to say.
#[cfg(not(unix))]
fn tighten(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Options under which a file that is made is readable by its owner only (0600).
pub fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Puts a file in the place of `target` as a whole: written beside it, synced, renamed, and the
/// folder synced, so that a crash leaves the old file or the new one.
///
/// `temporary` must be in the same folder and belong to this call alone.
pub fn replace_file(temporary: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let written = (|| {
        let mut file = private_options().write(true).create_new(true).open(temporary)?;
        io::Write::write_all(&mut file, bytes)?;
        file.sync_data()?;
        fs::rename(temporary, target)
    })();
    if written.is_err() {
        // Nothing else can be done about a leftover: the next rename does not need its name.
        fs::remove_file(temporary).ok();
    }
    written?;
    sync_folder(target.parent().unwrap_or(Path::new(".")));
    Ok(())
}

/// Makes a rename in the folder last through a power cut, where the system can.
#[cfg(unix)]
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        // Some file systems refuse this; the rename itself has happened.
        folder.sync_all().ok();
    }
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a7_what_is_no_file_is_neither_waited_for_nor_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [pipe.as_path(), &link, folder.path()] {
            assert!(read_bounded(path, 100).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x");
        for bytes in [b"one".as_slice(), b"two".as_slice()] {
            replace_file(&folder.path().join("x.tmp"), &target, bytes).unwrap();
            assert_eq!(fs::read(&target).unwrap(), bytes);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(read_bounded(&target, 2).is_err());
        assert_eq!(read_bounded(&target, 3).unwrap(), b"two");
    }

    #[cfg(unix)]
    #[test]
    fn f7_what_is_made_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let private = folder.path().join("a/b");
        create_private_folder(&private).unwrap();
        let file = private.join("x");
        replace_file(&private.join("x.tmp"), &file, b"x").unwrap();
        assert_eq!(fs::metadata(&private).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn f7_what_was_left_open_is_tightened() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (inner, file) = (folder.path().join("a"), folder.path().join("x"));
        fs::create_dir(&inner).unwrap();
        fs::write(&file, "x").unwrap();
        for path in [&inner, &file] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
        }
        own_folder(&inner).unwrap();
        tighten_file(&file).unwrap();
        assert_eq!(fs::metadata(&inner).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
