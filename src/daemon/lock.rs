//! One owner for each data folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::folder::files;

/// Holds the folder until it is dropped, or the process dies.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    /// Writes into the file what the owner has published, for those who find that file gone.
    pub(super) fn note(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.0;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(bytes)
    }

    /// Whether this is still the lock of the folder: false once somebody took the file away, and
    /// the folder with it perhaps.
    pub(super) fn is_of(&self, path: &Path) -> bool {
        let (Ok(held), Ok(there)) = (self.0.metadata(), std::fs::metadata(path)) else {
            return false;
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            (held.dev(), held.ino()) == (there.dev(), there.ino())
        }
        #[cfg(not(unix))]
        {
            held.len() == there.len()
        }
    }
}

/// Takes the lock; none when another process has it. The file stays, and says nothing of an owner
/// that is gone.
pub(super) fn take(path: &Path) -> io::Result<Option<Lock>> {
    let file = options().create(true).open(path)?;
    Ok(is_free(&file)?.then_some(Lock(file)))
}

fn options() -> OpenOptions {
    let mut options = files::private_options();
    options.truncate(false).write(true);
    options
}

/// Locks the file, unless another process has.
fn is_free(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => file.set_len(0).map(|()| true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Takes the lock, from an owner that is coming up or leaving if it must.
///
/// That one is waited for until `is_in_charge` turns true or `patience` is over. None when the
/// folder stays another's, or is being deleted: a file that somebody took away meanwhile is not
/// made again, for the next thing that goes would be what is written beside it.
pub(super) fn wait(
    path: &Path,
    patience: Duration,
    is_in_charge: impl Fn() -> bool,
) -> io::Result<Option<Lock>> {
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_millis(2);
    let mut file = options().create(true).open(path)?;
    loop {
        if is_free(&file)? {
            let lock = Lock(file);
            if lock.is_of(path) {
                return Ok(Some(lock));
            }
            // The file that was waited for is nobody's by now; another may stand in its place.
            file = match options().open(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
        }
        if is_in_charge() || Instant::now() >= deadline {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_a_folder_has_one_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.lock");
        let first = take(&path).unwrap();
        assert!(first.is_some());
        assert!(take(&path).unwrap().is_none());
        drop(first);
        assert!(take(&path).unwrap().is_some());
    }

    #[test]
    fn a_lock_whose_file_is_gone_is_no_lock_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.lock");
        let lock = take(&path).unwrap().unwrap();
        assert!(lock.is_of(&path));
        std::fs::remove_file(&path).unwrap();
        assert!(!lock.is_of(&path));
        assert_eq!(cfg!(unix), take(&path).unwrap().is_some());
        assert!(!cfg!(unix) || !lock.is_of(&path), "another file of that name");
    }

    #[test]
    fn b2_an_owner_that_leaves_is_waited_for_and_one_in_charge_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.lock");
        let owner = std::cell::Cell::new(take(&path).unwrap());
        let looks = std::cell::Cell::new(0);
        let long = Duration::from_mins(1);
        assert!(wait(&path, long, || true).unwrap().is_none());
        let leaves = || {
            looks.set(looks.get() + 1);
            if looks.get() == 3 {
                owner.take();
            }
            false
        };
        assert!(wait(&path, long, leaves).unwrap().is_some());
        assert_eq!(looks.get(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_deleted_while_its_owner_leaves_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.lock");
        let owner = std::cell::Cell::new(take(&path).unwrap());
        let goes = || {
            std::fs::remove_file(&path).ok();
            owner.take();
            false
        };
        assert!(wait(&path, Duration::from_mins(1), goes).unwrap().is_none());
        assert!(!path.exists(), "nothing is made in it any more");
        let owner = std::cell::Cell::new(take(&path).unwrap());
        let made_again = || {
            if owner.take().is_some() {
                std::fs::remove_file(&path).unwrap();
                drop(take(&path).unwrap());
            }
            false
        };
        let lock = wait(&path, Duration::from_mins(1), made_again).unwrap().unwrap();
        assert!(lock.is_of(&path), "the folder that came in its place is free");
    }
}
