//! A caller of a team server, one connection a request, header by header.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// How long an answer may take before the test is broken.
const DEADLINE: Duration = Duration::from_mins(1);

/// Somebody with a token.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) port: u16,
    pub(super) token: String,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }

    /// Every refusal has the one shape, with the id of its request.
    #[track_caller]
    pub(super) fn refused(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["request_id"], self.headers["x-request-id"].as_str(), "{body}");
    }
}

impl Client {
    /// Sends a request whose headers are all given, but those of its body and its end. The status is 0
    /// where nobody answers.
    pub(super) fn raw(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return Answer { status: 0, headers: BTreeMap::new(), body: String::new() };
        };
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        // A server may refuse before it has read all.
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)));
        let mut reader = BufReader::new(stream);
        let (status, headers) = head_of(&mut reader);
        let mut body = Vec::new();
        if !headers.get("content-type").is_some_and(|kind| kind.contains("event-stream")) {
            drop(reader.read_to_end(&mut body));
        }
        Answer { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
    }

    fn headers(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n", self.port, self.token)
    }

    pub(super) fn ask(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        self.raw(method, path, &self.headers(), body)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, b"")
    }

    pub(super) fn delete(&self, path: &str) -> Answer {
        self.ask("DELETE", path, b"")
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, body.to_string().as_bytes())
    }

    /// The same server with another token.
    pub(super) fn with(&self, token: &str) -> Self {
        Self { port: self.port, token: token.to_owned() }
    }

    /// Follows live events; gives the lines of each as it comes.
    pub(super) fn follow(&self) -> Follower {
        self.follow_from("/api/events/stream")
    }

    /// As [`follow`](Self::follow), on a path of one's own.
    pub(super) fn follow_from(&self, path: &str) -> Follower {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\n{}\r\n", self.headers()).unwrap();
        let mut reader = BufReader::new(stream);
        let (status, _) = head_of(&mut reader);
        assert_eq!(status, 200);
        Follower(reader)
    }
}

/// Live events on their way.
pub(super) struct Follower(BufReader<TcpStream>);

impl Follower {
    /// Reads until a line of an event satisfies `wanted`; none where the stream ends before.
    pub(super) fn until(&mut self, mut wanted: impl FnMut(&str) -> bool) -> Option<String> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if wanted(&line) {
                return Some(line);
            }
        }
    }
}

fn head_of(reader: &mut BufReader<TcpStream>) -> (u16, BTreeMap<String, String>) {
    let mut line = String::new();
    drop(reader.read_line(&mut line));
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            return (status, headers);
        }
        if let Some((name, value)) = line.trim().split_once(": ") {
            headers.insert(name.to_lowercase(), value.to_owned());
        }
    }
}
