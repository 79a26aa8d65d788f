//! `daemon.json` and `token`: how callers find this process and prove that they may.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use afterword_domain::wire::daemon::Endpoint;
use uuid::Uuid;

use super::platform;

/// The token of the folder, made on first use: 64 hexadecimal digits.
///
/// A file that holds no token (cut short by a crash) is replaced.
pub(super) fn token(path: &Path) -> io::Result<String> {
    if let Ok(text) = std::fs::read_to_string(path) {
        let token = text.trim();
        if token.len() >= 32 && token.bytes().all(|b| b.is_ascii_alphanumeric()) {
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

/// Publishes where this process answers.
pub(super) fn publish(path: &Path, endpoint: &Endpoint) -> io::Result<()> {
    let bytes = serde_json::to_vec_pretty(endpoint).map_err(io::Error::other)?;
    write_private(path, &bytes)
}

/// Takes the endpoint file away, unless another process has published itself since.
pub(super) fn withdraw(path: &Path, endpoint: &Endpoint) {
    let ours = std::fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Endpoint>(&bytes).ok())
        .is_some_and(|published| published == *endpoint);
    if ours {
        drop(std::fs::remove_file(path));
    }
}

/// Writes a file that only its owner can read, whole or not at all.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension(format!("{}.new", std::process::id()));
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true);
    platform::private(&mut options);
    let mut file = options.open(&temporary)?;
    file.write_all(bytes)?;
    file.sync_data()?;
    std::fs::rename(&temporary, path)
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

    #[cfg(unix)]
    #[test]
    fn f7_only_the_owner_reads_the_token() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        token(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
