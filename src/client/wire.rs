//! One socket under one deadline: before every step it is given what is left of the time.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustls::{ClientConnection, StreamOwned};

use super::http::Failure;

/// A connection.
#[derive(Debug)]
pub(super) struct Wire {
    stream: Stream,
    deadline: Instant,
}

/// Loopback and plain addresses have nothing between the socket and us.
#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Sealed(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(socket) => socket,
            Self::Sealed(sealed) => sealed.get_ref(),
        }
    }
}

impl Wire {
    pub(super) fn connect(port: u16, deadline: Instant) -> Result<Self, Failure> {
        Self::reach(SocketAddr::from((Ipv4Addr::LOCALHOST, port)), deadline)
    }

    /// Connects to an address anywhere.
    pub(super) fn reach(address: SocketAddr, deadline: Instant) -> Result<Self, Failure> {
        let stream = TcpStream::connect_timeout(&address, left(deadline)?)
            .map_err(|e| connect_failure(&e))?;
        // Only speed is at stake.
        stream.set_nodelay(true).ok();
        Ok(Self { stream: Stream::Plain(stream), deadline })
    }

    /// The same connection under TLS; the handshake comes with the first bytes.
    pub(super) fn sealed(self, session: ClientConnection) -> Self {
        let stream = match self.stream {
            Stream::Plain(socket) => Stream::Sealed(Box::new(StreamOwned::new(session, socket))),
            sealed @ Stream::Sealed(_) => sealed,
        };
        Self { stream, ..self }
    }

    /// Gives what comes next another deadline.
    pub(super) fn until(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    pub(super) fn write(&mut self, mut bytes: &[u8]) -> Result<(), Failure> {
        while !bytes.is_empty() {
            self.allow_what_is_left()?;
            let written = match &mut self.stream {
                Stream::Plain(socket) => socket.write(bytes),
                Stream::Sealed(sealed) => sealed.write(bytes),
            };
            match written {
                Ok(0) => return Err(Failure::Garbage("the connection was closed")),
                Ok(n) => bytes = &bytes[n..],
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(broken(&e)),
            }
        }
        Ok(())
    }

    /// Sends what is still held back. A plain socket holds nothing back.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let Stream::Sealed(_) = self.stream else { return Ok(()) };
        self.allow_what_is_left()?;
        let Stream::Sealed(sealed) = &mut self.stream else { return Ok(()) };
        sealed.flush().map_err(|e| broken(&e))
    }

    /// Under TLS one step may be reads and writes.
    fn allow_what_is_left(&self) -> Result<(), Failure> {
        let (socket, left) = (self.stream.socket(), Some(left(self.deadline)?));
        socket.set_write_timeout(left).map_err(|e| broken(&e))?;
        socket.set_read_timeout(left).map_err(|e| broken(&e))
    }

    /// Reads more bytes onto the end of `into`; `false` at the end of the stream.
    pub(super) fn read_more(&mut self, into: &mut Vec<u8>) -> Result<bool, Failure> {
        let mut chunk = [0_u8; 16 * 1024];
        loop {
            self.allow_what_is_left()?;
            let read = match &mut self.stream {
                Stream::Plain(socket) => socket.read(&mut chunk),
                Stream::Sealed(sealed) => sealed.read(&mut chunk),
            };
            match read {
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
}

fn connect_failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::TimedOut,
        // Whatever else stops a loopback connection, no daemon can be spoken to.
        _ => Failure::Refused,
    }
}

/// The time that is left; an error when none is.
fn left(deadline: Instant) -> Result<Duration, Failure> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Failure::TimedOut) } else { Ok(left) }
}

fn broken(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Failure::TimedOut,
        // What TLS does not like: a certificate, a version.
        io::ErrorKind::InvalidData => Failure::Garbage("no secure connection can be made"),
        _ => Failure::Garbage("the connection broke"),
    }
}
