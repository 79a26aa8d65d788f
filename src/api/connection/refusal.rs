//! A connection whose refusals of a head that cannot be read have the one shape of errors.
//!
//! The HTTP library answers such a head before any route sees it, with a status and nothing else. Here
//! that answer is replaced by one that says what to do, and what the caller is still sending is read and
//! thrown away for a moment: closing in the middle of it would take the answer from the caller.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use afterword_domain::wire::daemon::ErrorBody;
use axum::http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::api::error::ApiError;

/// Most bytes that are thrown away after a refusal.
const THROWN_AWAY: usize = 16 << 20;

/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// A stream that tells what is wrong with a head.
#[derive(Debug)]
pub(super) struct Refusing<S> {
    stream: S,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nothing was refused.
    Open,
    /// The refusal, and how much of it is written.
    Telling(Vec<u8>, usize),
    /// The refusal is told: what still comes is thrown away.
    Told { left: usize, patience: Pin<Box<Sleep>> },
}

impl<S: AsyncRead + AsyncWrite + Unpin> Refusing<S> {
    pub(super) const fn new(stream: S) -> Self {
        Self { stream, state: State::Open }
    }

    /// Takes an answer of the library's own for one that says more; how many bytes it took.
    fn replace(&mut self, bytes: &[u8]) -> Option<usize> {
        let status = bare_refusal(bytes)?;
        self.state = State::Telling(refusal(status), 0);
        Some(bytes.len())
    }

    /// Writes what is left of a refusal.
    fn poll_tell(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let State::Telling(text, written) = &mut self.state {
            if *written == text.len() {
                let patience = Box::pin(sleep(PATIENCE));
                self.state = State::Told { left: THROWN_AWAY, patience };
                break;
            }
            match ready!(Pin::new(&mut self.stream).poll_write(cx, &text[*written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                n => *written += n,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads on until the caller has done, or has had enough time.
    fn poll_throw_away(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let State::Told { left, patience } = &mut self.state else { return Poll::Ready(()) };
        let mut piece = [0; 16 * 1024];
        while *left > 0 && patience.as_mut().poll(cx).is_pending() {
            let mut piece = ReadBuf::new(&mut piece);
            match ready!(Pin::new(&mut self.stream).poll_read(cx, &mut piece)) {
                Ok(()) if !piece.filled().is_empty() => {
                    *left = left.saturating_sub(piece.filled().len());
                }
                _ => break,
            }
        }
        Poll::Ready(())
    }
}

/// The status of an answer that the library makes by itself; none for any answer of a route.
fn bare_refusal(bytes: &[u8]) -> Option<StatusCode> {
    let statuses = [
        StatusCode::BAD_REQUEST,
        StatusCode::URI_TOO_LONG,
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    ];
    let of_status = |status: &StatusCode| {
        bytes.starts_with(format!("HTTP/1.1 {} ", status.as_str()).as_bytes())
    };
    let is_bare = bytes.ends_with(b"\r\n\r\n") && bytes.len() < 512 && {
        let head = String::from_utf8_lossy(bytes).to_ascii_lowercase();
        head.contains("\r\ncontent-length: 0\r\n") && head.matches("\r\n\r\n").count() == 1
    };
    statuses.into_iter().find(of_status).filter(|_| is_bare)
}

fn refusal(status: StatusCode) -> Vec<u8> {
    let body: ErrorBody = ApiError::of_head(status).into();
    let body = serde_json::to_string(&body).expect("a refusal can be written");
    let length = body.len();
    let reason = status.canonical_reason().unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n",
        status.as_str()
    );
    (head + &body).into_bytes()
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Refusing<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Refusing<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let Some(taken) = this.replace(bytes) {
            return Poll::Ready(Ok(taken));
        }
        Pin::new(&mut this.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let [only] = pieces
            && let Some(taken) = this.replace(only)
        {
            return Poll::Ready(Ok(taken));
        }
        Pin::new(&mut this.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_tell(cx))?;
        Pin::new(&mut this.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_tell(cx))?;
        ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        ready!(this.poll_throw_away(cx));
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_library_says_by_itself_is_replaced() {
        let bare = |status: &str, rest: &str| {
            let text = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{rest}");
            bare_refusal(text.as_bytes()).map(|status| status.as_u16())
        };
        let empty = "content-length: 0\r\ndate: today\r\n\r\n";
        assert_eq!(bare("414 URI Too Long", empty), Some(414));
        assert_eq!(bare("431 Request Header Fields Too Large", empty), Some(431));
        assert_eq!(bare("400 Bad Request", empty), Some(400));
        assert_eq!(bare("200 OK", empty), None);
        assert_eq!(bare("404 Not Found", empty), None);
        assert_eq!(bare("400 Bad Request", "content-length: 12\r\n\r\n"), None);
        assert_eq!(bare("400 Bad Request", &format!("{empty}HTTP/1.1 200 OK\r\n\r\n")), None);
        assert_eq!(bare_refusal(b""), None);
    }
}
