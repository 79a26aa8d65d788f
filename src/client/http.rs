//! HTTP/1.1 to a loopback address over one plain socket, under one deadline.
//!
//! One request a connection (`Connection: close`), sent in one write. The deadline covers
//! connecting, writing and reading together: before every step the socket is given what is left.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use afterword_domain::wire::PROTOCOL_HEADER;

/// Most bytes of a status line with its headers.
const HEAD_LIMIT: usize = 64 * 1024;

/// One request.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Port on 127.0.0.1.
    pub port: u16,
    /// The method, such as `GET`.
    pub method: &'a str,
    /// Path with its query, beginning with `/`.
    pub path: &'a str,
    /// The bearer token.
    pub token: &'a str,
    /// A JSON body; none sends no body.
    pub body: Option<&'a [u8]>,
    /// Most bytes of an answer's body.
    pub answer_limit: usize,
}

impl std::fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} on port {}", self.method, self.path, self.port)
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
#[derive(Debug)]
pub enum Failure {
    /// Nothing listens there.
    Refused,
    /// The deadline passed.
    TimedOut,
    /// What came back is no HTTP, was cut off, or is larger than the limit.
    Garbage(&'static str),
}

/// Sends a request and reads its answer before the deadline.
pub fn send(request: &Request<'_>, deadline: Instant) -> Result<Answer, Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, request.port));
    let stream =
        TcpStream::connect_timeout(&address, left(deadline)?).map_err(|e| connect_failure(&e))?;
    let mut wire = Wire { stream, deadline };
    // A daemon may refuse a request and close before it has read all of it: its answer counts.
    let sent = wire.write(&encode(request));
    match (sent, wire.answer(request.answer_limit)) {
        (_, Ok(answer)) => Ok(answer),
        (Err(Failure::TimedOut), _) => Err(Failure::TimedOut),
        (_, Err(failure)) => Err(failure),
    }
}

fn connect_failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::TimedOut,
        // Whatever else stops a loopback connection, no daemon can be spoken to.
        _ => Failure::Refused,
    }
}

/// The request as bytes, head and body in one piece.
fn encode(request: &Request<'_>) -> Vec<u8> {
    let body = request.body.unwrap_or_default();
    let mut bytes = Vec::with_capacity(256 + request.path.len() + body.len());
    let Request { method, path, port, token, .. } = request;
    // Writing to a Vec cannot fail.
    write!(
        bytes,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
         Accept: application/json\r\nConnection: close\r\n"
    )
    .ok();
    if request.body.is_some() {
        write!(bytes, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()).ok();
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

/// The time that is left; an error when none is.
fn left(deadline: Instant) -> Result<Duration, Failure> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Failure::TimedOut) } else { Ok(left) }
}

struct Wire {
    stream: TcpStream,
    deadline: Instant,
}

impl Wire {
    fn write(&mut self, mut bytes: &[u8]) -> Result<(), Failure> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(left(self.deadline)?)).map_err(|e| broken(&e))?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(Failure::Garbage("the connection was closed")),
                Ok(n) => bytes = &bytes[n..],
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(broken(&e)),
            }
        }
        Ok(())
    }

    /// Reads more bytes onto the end of `into`; `false` at the end of the stream.
    fn read_more(&mut self, into: &mut Vec<u8>) -> Result<bool, Failure> {
        let mut chunk = [0_u8; 16 * 1024];
        loop {
            self.stream.set_read_timeout(Some(left(self.deadline)?)).map_err(|e| broken(&e))?;
            match self.stream.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(n) => {
                    into.extend_from_slice(&chunk[..n]);
                    return Ok(true);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(broken(&e)),
            }
        }
    }

    fn answer(&mut self, limit: usize) -> Result<Answer, Failure> {
        let mut bytes = Vec::with_capacity(4 * 1024);
        loop {
            let (head, start) = self.head(&mut bytes)?;
            bytes.drain(..start);
            // 1xx answers announce the real one.
            if (100..200).contains(&head.status) {
                continue;
            }
            let body = match head.length {
                _ if matches!(head.status, 204 | 304) => Vec::new(),
                Length::Known(n) => self.counted(bytes, n, limit)?,
                Length::Chunked => self.chunked(bytes, limit)?,
                Length::UntilClose => self.until_close(bytes, limit)?,
            };
            return Ok(Answer { status: head.status, protocol: head.protocol, body });
        }
    }

    /// Reads until the empty line; gives the head and the place where the body starts.
    fn head(&mut self, bytes: &mut Vec<u8>) -> Result<(Head, usize), Failure> {
        let mut seen = 0;
        loop {
            if let Some(at) = find(&bytes[seen..], b"\r\n\r\n") {
                let end = seen + at;
                return Ok((parse_head(&bytes[..end])?, end + 4));
            }
            seen = bytes.len().saturating_sub(3);
            // What does not begin like HTTP will not become it.
            if !b"HTTP/1.".starts_with(&bytes[..bytes.len().min(7)]) {
                return Err(Failure::Garbage("it does not speak HTTP"));
            }
            if bytes.len() > HEAD_LIMIT {
                return Err(Failure::Garbage("its headers are too long"));
            }
            if !self.read_more(bytes)? {
                return Err(Failure::Garbage("the connection was closed"));
            }
        }
    }

    fn counted(&mut self, mut body: Vec<u8>, n: usize, limit: usize) -> Result<Vec<u8>, Failure> {
        if n > limit {
            return Err(TOO_LARGE);
        }
        while body.len() < n {
            if !self.read_more(&mut body)? {
                return Err(Failure::Garbage("the answer was cut off"));
            }
        }
        body.truncate(n);
        Ok(body)
    }

    fn until_close(&mut self, mut body: Vec<u8>, limit: usize) -> Result<Vec<u8>, Failure> {
        while body.len() <= limit {
            if !self.read_more(&mut body)? {
                return Ok(body);
            }
        }
        Err(TOO_LARGE)
    }

    fn chunked(&mut self, mut raw: Vec<u8>, limit: usize) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        let mut at = 0;
        loop {
            let line_end = loop {
                if let Some(end) = find(&raw[at..], b"\r\n") {
                    break at + end;
                }
                if raw.len() - at > 1024 {
                    return Err(BAD_CHUNK);
                }
                self.need_more(&mut raw)?;
            };
            let size = chunk_size(&raw[at..line_end]).ok_or(BAD_CHUNK)?;
            if size > limit.saturating_sub(body.len()) {
                return Err(TOO_LARGE);
            }
            // Trailers after the last chunk say nothing to us.
            if size == 0 {
                return Ok(body);
            }
            let start = line_end + 2;
            while raw.len() < start + size + 2 {
                self.need_more(&mut raw)?;
            }
            if &raw[start + size..start + size + 2] != b"\r\n" {
                return Err(BAD_CHUNK);
            }
            body.extend_from_slice(&raw[start..start + size]);
            at = start + size + 2;
        }
    }

    fn need_more(&mut self, raw: &mut Vec<u8>) -> Result<(), Failure> {
        if self.read_more(raw)? { Ok(()) } else { Err(Failure::Garbage("the answer was cut off")) }
    }
}

const TOO_LARGE: Failure = Failure::Garbage("its answer is too large");
const BAD_CHUNK: Failure = Failure::Garbage("its answer is badly framed");

fn broken(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Failure::TimedOut,
        _ => Failure::Garbage("the connection broke"),
    }
}

struct Head {
    status: u16,
    protocol: Option<u32>,
    length: Length,
}

enum Length {
    Known(usize),
    Chunked,
    UntilClose,
}

fn parse_head(bytes: &[u8]) -> Result<Head, Failure> {
    const NO_HTTP: Failure = Failure::Garbage("it does not speak HTTP");
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split("\r\n");
    let status_line = lines.next().unwrap_or_default();
    let mut words = status_line.split(' ');
    if !words.next().is_some_and(|v| v.starts_with("HTTP/1.")) {
        return Err(NO_HTTP);
    }
    let status = words.next().filter(|w| w.len() == 3).and_then(|w| w.parse().ok());
    let status = status.ok_or(NO_HTTP)?;
    let mut head = Head { status, protocol: None, length: Length::UntilClose };
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("transfer-encoding") {
            if value.to_ascii_lowercase().ends_with("chunked") {
                head.length = Length::Chunked;
            }
        } else if name.eq_ignore_ascii_case("content-length") {
            // Chunked framing wins over a length that is sent beside it.
            if !matches!(head.length, Length::Chunked) {
                head.length = Length::Known(value.parse().map_err(|_| BAD_CHUNK)?);
            }
        } else if name.eq_ignore_ascii_case(PROTOCOL_HEADER) {
            head.protocol = value.parse().ok();
        }
    }
    Ok(head)
}

fn chunk_size(line: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(line).ok()?;
    let digits = text.split(';').next()?.trim();
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    usize::from_str_radix(digits, 16).ok()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|w| w == wanted)
}

#[cfg(test)]
#[path = "tests/http.rs"]
mod tests;
