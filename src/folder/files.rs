//! What differs by operating system on the way to the daemon: private files, detached processes,
//! and whether a process id is alive and ours.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;

/// Reads a file whole when it has at most `limit` bytes.
pub fn read_bounded(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(512);
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
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

/// Cuts a process loose from its starter: own process group, no console window.
///
/// Signals to the agent's group and a closing terminal do not reach it.
#[cfg(unix)]
pub fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Cuts a process loose from its starter: own process group, no console window.
#[cfg(windows)]
pub fn detach(command: &mut Command) {
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(
        command,
        DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW,
    );
}

/// Whether a process of this id lives and belongs to this user, as far as the system tells.
///
/// Never proof that it is the daemon; a no only means that the address needs a second look.
#[cfg(unix)]
pub fn pid_is_ours(pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// Whether a process of this id lives and belongs to this user: not known here.
#[cfg(not(unix))]
pub fn pid_is_ours(_pid: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn b6_only_a_living_process_of_ours_counts() {
        assert!(pid_is_ours(std::process::id()));
        assert!(!pid_is_ours(0));
        assert!(!pid_is_ours(u32::MAX));
    }
}
