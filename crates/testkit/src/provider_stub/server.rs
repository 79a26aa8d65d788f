//! The listening side.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::dialect::Dialect;
use super::reply::{Pace, Reply, What};
use crate::listening::{Listening, lock};
use crate::model_stub::http;

/// A request that came.
#[derive(Clone, Debug)]
pub struct Heard {
    /// Without what follows a question mark.
    pub path: String,
    /// Every byte, head and body.
    pub raw: Vec<u8>,
    /// The body, where it is JSON.
    pub body: Value,
}

impl Heard {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<String> {
        let text = String::from_utf8_lossy(&self.raw);
        let head = text.split("\r\n\r\n").next().unwrap_or_default();
        head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }
}

/// A provider on loopback; stops when dropped.
#[derive(Debug)]
pub struct ProviderStub {
    state: Arc<Mutex<State>>,
    listening: Listening,
}

/// Chooses a reply by what was asked.
type Choose = dyn Fn(&Heard) -> Reply + Send + Sync;

struct State {
    replies: VecDeque<Reply>,
    last: Reply,
    choose: Option<Arc<Choose>>,
    heard: Vec<Heard>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("heard", &self.heard.len()).finish_non_exhaustive()
    }
}

impl ProviderStub {
    /// Listens on a free port, and says `STUB-ANSWER.` unless told otherwise.
    pub fn start() -> Self {
        let state = Arc::new(Mutex::new(State {
            replies: VecDeque::new(),
            last: Reply::text("STUB-ANSWER."),
            choose: None,
            heard: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        let listening = Listening::start(move |connection| serve(connection, &shared));
        Self { state, listening }
    }

    /// The address of every dialect.
    pub fn url(&self) -> String {
        self.listening.url()
    }

    /// Answers one question like this, after those that were given before.
    pub fn then(&self, reply: Reply) {
        lock(&self.state).replies.push_back(reply);
    }

    /// Answers every question like this for which there is no reply of its own.
    pub fn otherwise(&self, reply: Reply) {
        lock(&self.state).last = reply;
    }

    /// Answers every question for which there is no reply of its own by what it asks.
    pub fn choose(&self, reply: impl Fn(&Heard) -> Reply + Send + Sync + 'static) {
        lock(&self.state).choose = Some(Arc::new(reply));
    }

    /// Every question so far, oldest first. What only looks whether somebody listens is none.
    pub fn heard(&self) -> Vec<Heard> {
        lock(&self.state).heard.clone()
    }

    /// How many questions came so far.
    pub fn count(&self) -> usize {
        lock(&self.state).heard.len()
    }
}

impl Drop for ProviderStub {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        // What their acts hold must not live on in a thread that still ends its connection.
        state.replies.clear();
        state.last = Reply::closes();
        state.choose = None;
    }
}

/// Keeps what is read from a connection.
struct Tape<'a> {
    from: &'a TcpStream,
    read: Vec<u8>,
}

impl Read for Tape<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(into)?;
        self.read.extend_from_slice(&into[..n]);
        Ok(n)
    }
}

/// Answers the requests of one connection until its end.
fn serve(connection: &TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let mut reader = BufReader::new(Tape { from: connection, read: Vec::new() });
    while let Some(call) = http::read(&mut reader)? {
        let raw = std::mem::take(&mut reader.get_mut().read);
        // Whether anybody listens is no question.
        if call.method == "HEAD" {
            respond(connection, 200, &[], "application/json", b"", Pace::AtOnce)?;
            continue;
        }
        let body: Value = serde_json::from_slice(&call.body).unwrap_or(Value::Null);
        let mut locked = lock(state);
        let heard = Heard { path: call.path.clone(), raw, body: body.clone() };
        locked.heard.push(heard.clone());
        let number = locked.heard.len();
        let (last, choose) = (locked.last.clone(), locked.choose.clone());
        let own = locked.replies.pop_front();
        drop(locked);
        let reply = own.unwrap_or_else(|| choose.map_or(last, |choose| choose(&heard)));
        reply.prepare();
        if !answer(connection, &reply, &call.path, &body, number)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Sends a reply; false where the connection ends with it.
fn answer(
    connection: &TcpStream,
    reply: &Reply,
    path: &str,
    asked: &Value,
    number: usize,
) -> io::Result<bool> {
    let dialect = Dialect::of(path);
    let (status, kind, body) = match (&reply.what, dialect) {
        (What::Closes, _) => return Ok(false),
        (What::Hangs, _) => {
            // Until the caller leaves, or the stub stops.
            drop(io::copy(&mut &*connection, &mut io::sink()));
            return Ok(false);
        }
        (What::Body { status, kind, body }, _) => (*status, kind.clone(), body.clone()),
        (_, None) => (404, "text/html".to_owned(), b"<html>no such page</html>".to_vec()),
        (What::Error { status, code, message }, Some(dialect)) => {
            let body = dialect.error(*status, code, message);
            (*status, "application/json".to_owned(), body.into_bytes())
        }
        (What::Says { text, thinking, end }, Some(dialect)) => {
            let (kind, body) = dialect.message(asked, (text, thinking, *end), reply.tokens, number);
            (200, kind.to_owned(), body.into_bytes())
        }
    };
    respond(connection, status, &reply.headers, &kind, &body, reply.pace)?;
    Ok(!matches!(reply.pace, Pace::Torn(_)))
}

fn respond(
    mut connection: &TcpStream,
    status: u16,
    headers: &[(String, String)],
    kind: &str,
    body: &[u8],
    pace: Pace,
) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.extend([name.as_str(), ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    connection.write_all(head.as_bytes())?;
    match pace {
        Pace::AtOnce => connection.write_all(body)?,
        Pace::Torn(hundredths) => connection.write_all(&body[..body.len() * hundredths / 100])?,
        Pace::Drips(each) => {
            for byte in body {
                std::thread::sleep(each);
                connection.write_all(&[*byte])?;
            }
        }
    }
    connection.flush()
}

#[cfg(test)]
mod tests {
    use std::net::Shutdown;

    use serde_json::json;

    use super::*;

    fn post(stub: &ProviderStub, path: &str, body: &Value) -> String {
        let mut socket = TcpStream::connect(stub.listening.address()).unwrap();
        let body = body.to_string();
        let length = body.len();
        write!(
            socket,
            "POST {path} HTTP/1.1\r\nX-Key: k\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        socket.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn speaks_three_dialects_from_one_script_and_keeps_every_byte() {
        let stub = ProviderStub::start();
        stub.then(Reply::text("one").costing(7, 3));
        stub.then(Reply::error(429, "slow_down", "too fast").retry_after(9));
        stub.otherwise(Reply::text("for ever"));
        let asked = json!({"model": "m"});
        let one = post(&stub, "/v1/messages?beta=true", &asked);
        assert!(one.contains("\"input_tokens\":7") && one.contains("one"), "{one}");
        let two = post(&stub, "/x/chat/completions", &asked);
        assert!(two.starts_with("HTTP/1.1 429") && two.contains("retry-after: 9"), "{two}");
        for path in ["/v1beta/models/g:generateContent", "/v1/chat/completions"] {
            assert!(post(&stub, path, &asked).contains("for ever"), "{path}");
        }
        let streamed = post(&stub, "/v1/messages", &json!({"model": "m", "stream": true}));
        assert!(streamed.contains("event: message_stop"), "{streamed}");
        assert!(post(&stub, "/elsewhere", &asked).starts_with("HTTP/1.1 404"));
        let heard = stub.heard();
        assert_eq!((stub.count(), heard[0].path.as_str()), (6, "/v1/messages"));
        assert_eq!(heard[0].header("x-key").unwrap(), "k");
        assert!(heard[0].raw.ends_with(b"{\"model\":\"m\"}"));
    }

    #[test]
    fn hostile_replies_come_as_told() {
        let stub = ProviderStub::start();
        stub.then(Reply::closes());
        stub.then(Reply::text("a long enough answer").torn());
        stub.then(Reply::garbage("not json"));
        let asked = json!({});
        assert_eq!(post(&stub, "/v1/messages", &asked), "");
        let torn = post(&stub, "/v1/messages", &asked);
        assert!(torn.contains("content-length") && !torn.ends_with('}'), "{torn}");
        assert!(post(&stub, "/v1/messages", &asked).ends_with("not json"));
        stub.choose(|heard| Reply::text(heard.body["model"].as_str().unwrap_or("nobody")));
        assert!(post(&stub, "/v1/messages", &json!({"model": "m7"})).contains("\"m7\""));
        stub.then(Reply::hangs());
        let mut waits = TcpStream::connect(stub.listening.address()).unwrap();
        write!(waits, "POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n{{}}").unwrap();
        drop(stub);
        assert_eq!(waits.read(&mut [0]).unwrap_or(0), 0, "the stub's end ends it");
    }
}
