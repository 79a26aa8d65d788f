//! The address of a server, as people write it.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::{Error, Result};

/// How long a connection may take to come about, where the address does not say.
const CONNECT: Duration = Duration::from_secs(5);

/// What an address says.
#[derive(Debug)]
pub(super) struct Address {
    /// For the driver.
    pub(super) config: Config,
    /// A file of certificates (PEM) to trust instead of those of the system.
    pub(super) root_certificates: Option<PathBuf>,
}

impl Address {
    /// Reads a URL (`postgresql://user@host/name`) or a list of `key=value`.
    ///
    /// `sslmode` knows `disable`, `prefer`, `require`, `verify-ca` and `verify-full`. A certificate
    /// is always checked: what is encrypted for nobody in particular protects from nobody.
    pub(super) fn read(text: &str) -> Result<Self> {
        let (text, parameters) = without_tls(text.trim());
        let mut root_certificates = None;
        let mut mode = SslMode::Prefer;
        for (name, value) in parameters {
            match (name.as_str(), value.as_str()) {
                ("sslrootcert", "system") => {}
                ("sslrootcert", path) => root_certificates = Some(PathBuf::from(path)),
                ("sslmode", "disable") => mode = SslMode::Disable,
                ("sslmode", "allow" | "prefer") => mode = SslMode::Prefer,
                ("sslmode", "require" | "verify-ca" | "verify-full") => mode = SslMode::Require,
                _ => return Err(refused(&format!("{name}={value} is not known"))),
            }
        }
        let mut config = Config::from_str(&text).map_err(|error| refused(&error.to_string()))?;
        config.ssl_mode(mode);
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(refused("it names no host"));
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("afterword");
        }
        Ok(Self { config, root_certificates })
    }
}

fn refused(why: &str) -> Error {
    Error::Setup(format!(
        "the database's address cannot be used: {why}; it looks like \
         postgresql://user:password@host:5432/name?sslmode=require"
    ))
}

/// Takes out what the driver does not know of TLS, or knows by fewer words.
fn without_tls(text: &str) -> (String, Vec<(String, String)>) {
    let mut taken = Vec::new();
    let mut stays = |part: &&str| match part.split_once('=') {
        Some((name @ ("sslmode" | "sslrootcert"), value)) => {
            taken.push((name.to_owned(), decoded(value)));
            false
        }
        _ => true,
    };
    let is_url = text.starts_with("postgres://") || text.starts_with("postgresql://");
    let rest = if !is_url {
        text.split(' ').filter(&mut stays).collect::<Vec<_>>().join(" ")
    } else if let Some((place, parameters)) = text.split_once('?') {
        let parameters: Vec<&str> = parameters.split('&').filter(&mut stays).collect();
        if parameters.is_empty() {
            place.to_owned()
        } else {
            format!("{place}?{}", parameters.join("&"))
        }
    } else {
        text.to_owned()
    };
    (rest, taken)
}

/// `%2F` as `/`; what is no such escape stays.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_what_they_say_of_tls() {
        let read = |text: &str| Address::read(text).unwrap();
        let plain = read("postgresql://me@db.example/notes");
        assert_eq!(plain.config.get_ssl_mode(), SslMode::Prefer);
        assert_eq!(plain.config.get_dbname(), Some("notes"));
        let full = read("postgres://me:pw@db/n?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem");
        assert_eq!(full.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(full.root_certificates, Some(PathBuf::from("/etc/ca.pem")));
        assert_eq!(full.config.get_password(), Some(b"pw".as_slice()));
        let list = read("host=/run/db user=me sslmode=disable dbname=n");
        assert_eq!(list.config.get_ssl_mode(), SslMode::Disable);
        assert_eq!(
            read("postgresql://me@db/n?sslmode=prefer&connect_timeout=9")
                .config
                .get_connect_timeout(),
            Some(&Duration::from_secs(9))
        );
    }

    #[test]
    fn what_cannot_be_an_address_is_said_without_its_password() {
        for text in ["", "nonsense", "postgresql:///n", "postgresql://me:secret@db/n?sslmode=maybe"]
        {
            let told = Address::read(text).unwrap_err().to_string();
            assert!(told.contains("cannot be used") && !told.contains("secret"), "{text}: {told}");
        }
    }
}
