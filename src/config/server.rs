//! `[server]`: how a team server is reached.

use serde::Deserialize;

/// `[server]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Section {
    /// Where it listens: address and port.
    pub listen: String,
    /// Names that it answers to; empty: any.
    pub hosts: Vec<String>,
    /// Addresses, or networks as `10.0.0.0/8`, of proxies whose word on their callers counts.
    pub trusted_proxies: Vec<String>,
    /// Certificates in PEM, its own first; with `tls_key` connections are encrypted.
    pub tls_cert: String,
    /// The private key in PEM.
    pub tls_key: String,
    /// Requests of a token in a minute; 0: no limit.
    pub requests_per_minute: u32,
    /// Connections to the database.
    pub database_connections: usize,
    /// Days that the audit log is kept; 0: for ever.
    pub audit_days: u32,
}

impl Default for Section {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:37778".to_owned(),
            hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            tls_cert: String::new(),
            tls_key: String::new(),
            requests_per_minute: 3_000,
            database_connections: 16,
            audit_days: 400,
        }
    }
}
