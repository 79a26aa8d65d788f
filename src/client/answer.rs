//! Reading an answer off the wire: head, then a counted, chunked or closed body.

use afterword_domain::wire::PROTOCOL_HEADER;

use super::http::{Answer, Failure};
use super::wire::Wire;

/// Most bytes of a status line with its headers.
const HEAD_LIMIT: usize = 64 * 1024;

impl Wire {
    /// Reads one answer whose body has at most `limit` bytes. What comes behind it is dropped:
    /// nothing may, before the next request has been sent.
    pub(super) fn answer(&mut self, limit: usize) -> Result<Answer, Failure> {
        let mut bytes = Vec::with_capacity(4 * 1024);
        loop {
            let (head, start) = self.head(&mut bytes)?;
            bytes.drain(..start);
            // 1xx answers announce the real one.
            if (100..200).contains(&head.status) {
                continue;
            }
            let body = self.body(&head, bytes, limit)?;
            return Ok(Answer { status: head.status, protocol: head.protocol, body });
        }
    }

    /// Reads a body, of which `bytes` holds the beginning.
    pub(super) fn body(
        &mut self,
        head: &Head,
        bytes: Vec<u8>,
        limit: usize,
    ) -> Result<Vec<u8>, Failure> {
        match head.length {
            _ if matches!(head.status, 204 | 304) => Ok(Vec::new()),
            Length::Known(n) => self.counted(bytes, n, limit),
            Length::Chunked => self.chunked(bytes, limit),
            Length::UntilClose => self.until_close(bytes, limit),
        }
    }

    /// Reads until the empty line; gives the head and the place where the body starts.
    pub(super) fn head(&mut self, bytes: &mut Vec<u8>) -> Result<(Head, usize), Failure> {
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
        while let Some(chunk) = self.chunk(&mut raw, limit.saturating_sub(body.len()))? {
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Reads one chunk of at most `limit` bytes, of which `raw` may hold the beginning; none at the
    /// end. What comes behind it is left in `raw`.
    pub(super) fn chunk(
        &mut self,
        raw: &mut Vec<u8>,
        limit: usize,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let line_end = loop {
            if let Some(end) = find(raw, b"\r\n") {
                break end;
            }
            if raw.len() > 1024 {
                return Err(BAD_CHUNK);
            }
            self.need_more(raw)?;
        };
        let size = chunk_size(&raw[..line_end]).ok_or(BAD_CHUNK)?;
        if size > limit {
            return Err(TOO_LARGE);
        }
        // Trailers after the last chunk say nothing to us.
        if size == 0 {
            return Ok(None);
        }
        let start = line_end + 2;
        while raw.len() < start + size + 2 {
            self.need_more(raw)?;
        }
        if &raw[start + size..start + size + 2] != b"\r\n" {
            return Err(BAD_CHUNK);
        }
        let chunk = raw[start..start + size].to_vec();
        raw.drain(..start + size + 2);
        Ok(Some(chunk))
    }

    fn need_more(&mut self, raw: &mut Vec<u8>) -> Result<(), Failure> {
        if self.read_more(raw)? { Ok(()) } else { Err(Failure::Garbage("the answer was cut off")) }
    }
}

const TOO_LARGE: Failure = Failure::Garbage("its answer is too large");
const BAD_CHUNK: Failure = Failure::Garbage("its answer is badly framed");

pub(super) struct Head {
    pub(super) status: u16,
    pub(super) protocol: Option<u32>,
    pub(super) length: Length,
}

pub(super) enum Length {
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
