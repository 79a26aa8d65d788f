//! Where the daemon of a data folder answers, and why it does not.

use std::io;
use std::time::Duration;

use afterword_domain::wire::PROTOCOL;
use afterword_domain::wire::daemon::Endpoint;

use crate::config::Home;
use crate::folder::files;

/// Most bytes read from `daemon.json` or `token`.
const SMALL_FILE: usize = 16 * 1024;

/// Protocol versions of one hundred understand each other.
const MAJOR: u32 = 100;

/// Why the daemon cannot be spoken to. The text tells a person what happened and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// Nothing has published an address, or nothing listens there.
    #[error("the daemon is not running; start it with `afterword daemon start`")]
    NotRunning,
    /// Something accepted the connection and did not answer in time.
    #[error(
        "the daemon did not answer within {} ms; see `afterword doctor`, then `afterword daemon restart`",
        .0.as_millis()
    )]
    Frozen(Duration),
    /// Something answered that is not the daemon of this data folder.
    #[error(
        "what answers at the daemon's address is not the daemon of this data folder ({0}); \
         `afterword daemon restart` publishes a new address"
    )]
    Foreign(String),
    /// The daemon speaks a protocol that this release would misread.
    #[error(
        "the daemon speaks protocol {theirs}, this release speaks {PROTOCOL}; \
         install the same release, then `afterword daemon restart`"
    )]
    Protocol {
        /// The daemon's protocol version.
        theirs: u32,
    },
}

impl Unreachable {
    /// A stable word for logs and programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotRunning => "not_running",
            Self::Frozen(_) => "frozen",
            Self::Foreign(_) => "foreign",
            Self::Protocol { .. } => "protocol",
        }
    }
}

/// Whether two protocol versions understand each other: the hundreds must be equal.
pub const fn compatible(theirs: u32) -> bool {
    theirs / MAJOR == PROTOCOL / MAJOR
}

/// A daemon's address and the secret to show there.
#[derive(Clone)]
pub struct Address {
    /// What the daemon published.
    pub endpoint: Endpoint,
    /// The secret.
    pub token: String,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Address").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// Reads `daemon.json` and `token`. Opens no connection.
pub fn locate(home: &Home) -> Result<Address, Unreachable> {
    let bytes = read(&home.endpoint_file())?;
    let endpoint: Endpoint = serde_json::from_slice(&bytes)
        .map_err(|_| Unreachable::Foreign("daemon.json is not readable".to_owned()))?;
    let token = String::from_utf8_lossy(&read(&home.token_file())?).trim().to_owned();
    if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(Unreachable::Foreign("the token file is not readable".to_owned()));
    }
    Ok(Address { endpoint, token })
}

fn read(path: &std::path::Path) -> Result<Vec<u8>, Unreachable> {
    files::read_bounded(path, SMALL_FILE).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unreachable::NotRunning,
        kind => Unreachable::Foreign(format!("a file of the data folder: {kind}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        (folder, home)
    }

    fn publish(home: &Home, json: &str, token: &str) {
        std::fs::write(home.endpoint_file(), json).unwrap();
        std::fs::write(home.token_file(), token).unwrap();
    }

    const ENDPOINT: &str =
        r#"{"port":4,"pid":1,"started_at_ms":9,"protocol":1,"version":"0.1.0","later":true}"#;

    #[test]
    fn an_address_needs_both_files() {
        let (_folder, home) = home();
        assert_eq!(locate(&home).unwrap_err(), Unreachable::NotRunning);
        publish(&home, ENDPOINT, "abc\n");
        let address = locate(&home).unwrap();
        assert_eq!((address.endpoint.port, address.token.as_str()), (4, "abc"));
        assert!(!format!("{address:?}").contains("abc"));
        std::fs::remove_file(home.token_file()).unwrap();
        assert_eq!(locate(&home).unwrap_err(), Unreachable::NotRunning);
    }

    #[test]
    fn damaged_files_are_foreign_and_never_reach_a_header() {
        let (_folder, home) = home();
        for (json, token) in [("{", "abc"), (ENDPOINT, ""), (ENDPOINT, "a\r\nX: b"), ("[]", "abc")]
        {
            publish(&home, json, token);
            assert_eq!(locate(&home).unwrap_err().code(), "foreign", "{json} {token}");
        }
    }

    #[test]
    fn c6_a_newer_protocol_is_spoken_to_until_the_hundreds_differ() {
        assert!(compatible(PROTOCOL) && compatible(PROTOCOL + 1));
        assert!(!compatible(PROTOCOL + 100));
    }

    #[test]
    fn every_error_says_what_to_do_next() {
        for error in [
            Unreachable::NotRunning,
            Unreachable::Frozen(Duration::from_millis(500)),
            Unreachable::Foreign("401".into()),
            Unreachable::Protocol { theirs: 101 },
        ] {
            assert!(error.to_string().contains("`afterword daemon "), "{error}");
        }
    }
}
