//! One HTTP/1.1 exchange with a remote service, on a connection of its own.

use std::io::Write;
use std::net::ToSocketAddrs as _;
use std::sync::Arc;
use std::time::Instant;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::address::Address;
use crate::client::http::{Answer, Failure};
use crate::client::wire::Wire;

/// Most bytes of an answer's body.
const ANSWER: usize = 8 << 20;

/// One request.
pub(super) struct Request<'a> {
    pub(super) method: &'a str,
    /// Behind the address's prefix.
    pub(super) path: &'a str,
    /// The header that holds the token; none without one.
    pub(super) auth: Option<(&'static str, String)>,
    /// A retry of the same request carries the same key.
    pub(super) idempotency_key: Option<&'a str>,
    /// A JSON body.
    pub(super) body: Option<Vec<u8>>,
}

/// Connects, asks and reads the answer, all before the deadline; looking the host up is the
/// system's, and has limits of its own.
pub(super) fn exchange(
    address: &Address,
    request: &Request<'_>,
    deadline: Instant,
) -> Result<Answer, Failure> {
    let mut wire = connect(address, deadline)?;
    // A service may refuse a request and close before it has read all of it: its answer counts.
    let sent = wire.write(&encode(address, request)).and_then(|()| wire.flush());
    match (sent, wire.answer(ANSWER)) {
        (_, Ok(answer)) => Ok(answer),
        (Err(failure), _) | (Ok(()), Err(failure)) => Err(failure),
    }
}

fn connect(address: &Address, deadline: Instant) -> Result<Wire, Failure> {
    // Before anything goes out: what cannot be sealed is not sent.
    let session = if address.secure { Some(session(address)?) } else { None };
    let found = (address.host.as_str(), address.port).to_socket_addrs();
    let found = found.map_err(|_| Failure::Garbage("its host is not known"))?;
    let mut last = Failure::Refused;
    for candidate in found {
        match Wire::reach(candidate, deadline) {
            Ok(wire) => {
                return Ok(match session {
                    Some(session) => wire.sealed(session),
                    None => wire,
                });
            }
            Err(failure) => last = failure,
        }
    }
    Err(last)
}

/// The machine's own certificates decide whom to believe.
fn session(address: &Address) -> Result<ClientConnection, Failure> {
    const NO_TLS: Failure = Failure::Garbage("this machine's certificates cannot be read");
    let name = ServerName::try_from(address.host.clone())
        .map_err(|_| Failure::Garbage("its host is no name that a certificate could hold"))?;
    let config =
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| NO_TLS)?
            .with_platform_verifier()
            .map_err(|_| NO_TLS)?
            .with_no_client_auth();
    ClientConnection::new(Arc::new(config), name).map_err(|_| NO_TLS)
}

fn encode(address: &Address, request: &Request<'_>) -> Vec<u8> {
    let Request { method, path, .. } = request;
    let body = request.body.as_deref().unwrap_or_default();
    let mut bytes = Vec::with_capacity(512 + body.len());
    // Writing to a Vec cannot fail.
    write!(
        bytes,
        "{method} {}{path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: afterword/{}\r\nAccept: application/json\r\nConnection: close\r\n",
        address.prefix,
        address.host_header(),
        env!("CARGO_PKG_VERSION"),
    )
    .ok();
    if let Some((name, value)) = &request.auth {
        write!(bytes, "{name}: {value}\r\n").ok();
    }
    if let Some(key) = request.idempotency_key {
        write!(bytes, "Idempotency-Key: {key}\r\n").ok();
    }
    if request.body.is_some() {
        write!(bytes, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()).ok();
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}
