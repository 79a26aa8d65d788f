//! One plain socket under one deadline: before every step it is given what is left of the time.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::http::Failure;

/// A connection to a loopback port.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    deadline: Instant,
}

impl Wire {
    pub(super) fn connect(port: u16, deadline: Instant) -> Result<Self, Failure> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect_timeout(&address, left(deadline)?)
            .map_err(|e| connect_failure(&e))?;
        // Only speed is at stake.
        stream.set_nodelay(true).ok();
        Ok(Self { stream, deadline })
    }

    /// Gives what comes next another deadline.
    pub(super) fn until(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    pub(super) fn write(&mut self, mut bytes: &[u8]) -> Result<(), Failure> {
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
    pub(super) fn read_more(&mut self, into: &mut Vec<u8>) -> Result<bool, Failure> {
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
        _ => Failure::Garbage("the connection broke"),
    }
}
