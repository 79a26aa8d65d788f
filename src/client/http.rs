//! HTTP/1.1 to a loopback address over one plain socket, under one deadline.
//!
//! Each request is sent in one write. The deadline covers connecting and every exchange on the
//! connection together.

use std::io::Write;
use std::time::Instant;

use super::wire::Wire;

/// One request.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// Path with its query, beginning with `/`.
    pub path: &'a str,
    /// The bearer token; none sends none.
    pub token: Option<&'a str>,
    /// A JSON body; none sends no body.
    pub body: Option<&'a [u8]>,
    /// Most bytes of an answer's body.
    pub answer_limit: usize,
    /// Nothing follows on this connection.
    pub last: bool,
}

impl std::fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// An answer, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The protocol version in the answer's header, where it names one.
    pub protocol: Option<u32>,
    /// The body, unchunked.
    pub body: Vec<u8>,
}

/// What went wrong with a request.
#[derive(Clone, Copy, Debug)]
pub enum Failure {
    /// Nothing listens there.
    Refused,
    /// The deadline passed.
    TimedOut,
    /// What came back is no HTTP, was cut off, or is larger than the limit.
    Garbage(&'static str),
}

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    wire: Wire,
    port: u16,
}

impl Connection {
    /// Connects to 127.0.0.1. Everything on this connection must be over at the deadline.
    pub fn open(port: u16, deadline: Instant) -> Result<Self, Failure> {
        Ok(Self { wire: Wire::connect(port, deadline)?, port })
    }

    /// Sends a request whose answer is read as it comes.
    pub(super) fn send(mut self, request: &Request<'_>) -> Result<Wire, Failure> {
        self.wire.write(&encode(request, self.port))?;
        Ok(self.wire)
    }

    /// Sends a request and reads its answer.
    pub fn exchange(&mut self, request: &Request<'_>) -> Result<Answer, Failure> {
        // A daemon may refuse a request and close before it has read all of it: its answer counts.
        let sent = self.wire.write(&encode(request, self.port));
        match (sent, self.wire.answer(request.answer_limit)) {
            (_, Ok(answer)) => Ok(answer),
            (Err(Failure::TimedOut), _) => Err(Failure::TimedOut),
            (_, Err(failure)) => Err(failure),
        }
    }
}

/// The request as bytes, head and body in one piece.
fn encode(request: &Request<'_>, port: u16) -> Vec<u8> {
    let Request { method, path, .. } = request;
    let body = request.body.unwrap_or_default();
    let mut bytes = Vec::with_capacity(256 + path.len() + body.len());
    // Writing to a Vec cannot fail.
    write!(bytes, "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n").ok();
    if let Some(token) = request.token {
        write!(bytes, "Authorization: Bearer {token}\r\n").ok();
    }
    bytes.extend_from_slice(b"Accept: application/json\r\n");
    if request.last {
        bytes.extend_from_slice(b"Connection: close\r\n");
    }
    if request.body.is_some() {
        write!(bytes, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()).ok();
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

#[cfg(test)]
#[path = "tests/http.rs"]
mod tests;
