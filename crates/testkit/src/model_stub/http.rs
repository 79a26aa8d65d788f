//! Just enough HTTP/1.1 for one client on loopback.

use std::io::{self, BufRead, Write};

/// Largest body that is read; the client's requests are a few hundred kilobytes.
const MOST_BYTES: usize = 64 << 20;

/// A request that was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) method: String,
    /// Without what follows a question mark.
    pub(crate) path: String,
    /// In their order, as they were written.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// Reads the next request; none at the end of the connection.
pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Call>> {
    let Some(first) = line(from)? else { return Ok(None) };
    let mut words = first.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let path = words.next().unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
    let (mut length, mut chunked) = (0, false);
    let mut headers = Vec::new();
    while let Some(header) = line(from)?.filter(|l| !l.is_empty()) {
        let (name, value) = header.split_once(':').unwrap_or((&header, ""));
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().map_err(io::Error::other)?,
            ("transfer-encoding", value) => chunked = value.eq_ignore_ascii_case("chunked"),
            _ => {}
        }
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let body = if chunked { read_chunks(from)? } else { read_exactly(from, length)? };
    Ok(Some(Call { method, path, headers, body }))
}

/// Writes an answer after which the connection stays open.
pub(super) fn write(to: &mut impl Write, status: u16, kind: &str, body: &str) -> io::Result<()> {
    let reason = if status == 200 { "OK" } else { "Not Found" };
    write!(
        to,
        "HTTP/1.1 {status} {reason}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    to.flush()
}

fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut text = String::new();
    let read = from.read_line(&mut text)?;
    Ok((read > 0).then(|| text.trim_end().to_owned()))
}

fn read_exactly(from: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    if length > MOST_BYTES {
        return Err(io::Error::other("a body of this size is a mistake"));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let size = size.split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
        body.extend(read_exactly(from, size)?);
        line(from)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_requests_on_one_connection() {
        let mut wire: &[u8] =
            b"POST /v1/messages?beta=true HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}\
            POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n";
        let first = read(&mut wire).unwrap().unwrap();
        assert_eq!((first.method.as_str(), first.path.as_str()), ("POST", "/v1/messages"));
        assert_eq!(first.body, b"{}");
        assert_eq!(read(&mut wire).unwrap().unwrap().body, b"abcd");
        assert_eq!(read(&mut wire).unwrap(), None);
    }
}
