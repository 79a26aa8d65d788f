//! `daemon.json` and `token`: how callers find this process and prove that they may.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use afterword_domain::wire::daemon::Endpoint;
use uuid::Uuid;

use super::lock::Lock;
use crate::config::Home;
use crate::folder::files;

/// The token of the folder, made on first use: 64 hexadecimal digits.
///
/// A file that holds no token (cut short by a crash) is replaced.
pub(super) fn token(path: &Path) -> io::Result<String> {
    if let Ok(text) = std::fs::read_to_string(path) {
        let token = text.trim();
        if is_token(token) {
            files::tighten_file(path)?;
            return Ok(token.to_owned());
        }
    }
    new_token(path)
}

/// Makes a new token and keeps it in place of the old one.
pub(super) fn new_token(path: &Path) -> io::Result<String> {
    let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    write_private(path, token.as_bytes())?;
    Ok(token)
}

/// The token of the folder as it is now: a person may replace the file while the daemon runs.
///
/// Each look costs one question to the file system; the file is read again when it has changed. A
/// file that is gone or holds no token leaves the last one in force.
#[derive(Debug)]
pub(super) struct TokenFile {
    path: PathBuf,
    last: Mutex<(Option<Stamp>, Arc<str>)>,
}

/// What changes when a file is replaced or written.
type Stamp = (SystemTime, u64, u64);

impl TokenFile {
    /// Reads the token, and makes one on first use.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        // Looked at first: a change in between is seen at the next look.
        let stamp = stamp(&path);
        let token = token(&path)?;
        Ok(Self { path, last: Mutex::new((stamp, token.into())) })
    }

    /// The token that callers must show now.
    pub(super) fn current(&self) -> Arc<str> {
        let mut last = self.last.lock().expect("no panic while held");
        let now = stamp(&self.path);
        if now.is_some() && now != last.0 {
            let text = std::fs::read_to_string(&self.path).unwrap_or_default();
            if is_token(text.trim()) {
                *last = (now, text.trim().into());
            }
        }
        Arc::clone(&last.1)
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let file = std::os::unix::fs::MetadataExt::ino(&meta);
    #[cfg(not(unix))]
    let file = 0;
    Some((meta.modified().ok()?, meta.len(), file))
}

/// What the folder's daemon has published; none when the file is absent or cannot be read.
pub(super) fn published(path: &Path) -> Option<Endpoint> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Whether a text can be the secret of a folder.
fn is_token(text: &str) -> bool {
    text.len() >= 32 && text.bytes().all(|b| b.is_ascii_graphic())
}

/// Publishes where this process answers.
pub(super) fn publish(home: &Home, lock: &Lock, endpoint: &Endpoint) -> io::Result<()> {
    let bytes = serde_json::to_vec_pretty(endpoint).map_err(io::Error::other)?;
    lock.note(&bytes)?;
    write_private(&home.endpoint_file(), &bytes)
}

/// Publishes for an owner whose file somebody took away what it has noted in its lock; does
/// nothing where it is published or has noted nothing. What is written is at worst stale: whoever
/// is found through it must prove that it is the owner.
pub(super) fn republish(home: &Home) -> io::Result<()> {
    if home.endpoint_file().exists() {
        return Ok(());
    }
    // Some systems let nobody read a locked file.
    let Ok(bytes) = std::fs::read(home.lock_file()) else { return Ok(()) };
    if serde_json::from_slice::<Endpoint>(&bytes).is_err() {
        return Ok(());
    }
    write_private(&home.endpoint_file(), &bytes)
}

/// Takes the endpoint file away, unless another process has published itself since.
pub(super) fn withdraw(path: &Path, endpoint: &Endpoint) {
    if published(path).is_some_and(|published| published == *endpoint) {
        drop(std::fs::remove_file(path));
    }
}

/// Writes a file that only its owner can read, whole or not at all.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A name of this call's own: the process id alone may have been another's before a crash.
    let temporary = path.with_extension(format!("{}.new", Uuid::new_v4().simple()));
    files::replace_file(&temporary, path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stays_and_a_torn_one_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let first = token(&path).unwrap();
        assert_eq!(first.len(), 64);
        assert_eq!(token(&path).unwrap(), first);
        std::fs::write(&path, "abc").unwrap();
        assert_ne!(token(&path).unwrap(), first);
    }

    #[test]
    fn j11_a_token_that_is_replaced_is_in_force_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let file = TokenFile::open(path.clone()).unwrap();
        let first = file.current();
        let second = "b".repeat(64);
        std::fs::write(folder.path().join("new"), format!("{second}\n")).unwrap();
        std::fs::rename(folder.path().join("new"), &path).unwrap();
        assert_eq!(&*file.current(), second);
        std::fs::write(&path, "torn").unwrap();
        assert_eq!(&*file.current(), second, "what is no token changes nothing");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(&*file.current(), second);
        assert_ne!(*first, *second);
    }

    #[cfg(unix)]
    #[test]
    fn f7_only_the_owner_reads_the_token() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        token(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // One that came from elsewhere, a backup perhaps.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        token(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
