//! One owner for each data folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Holds the folder until it is dropped, or the process dies.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "the open file holds the lock")] File);

/// Takes the lock; none when another process has it. The file itself says nothing and stays.
pub(super) fn take(path: &Path) -> io::Result<Option<Lock>> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    super::platform::private(&mut options);
    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
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
}
