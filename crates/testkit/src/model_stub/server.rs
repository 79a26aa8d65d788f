//! The listening side of the stub.

use std::collections::HashMap;
use std::io::{self, BufReader};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::requests::{Request, Sighting};
use super::script::{Turn, choose};
use super::{http, reply};
use crate::listening::{Listening, lock};

/// A model on loopback that says what a test wrote for it; stops when dropped.
#[derive(Debug)]
pub struct ModelStub {
    state: Arc<Mutex<State>>,
    listening: Listening,
}

#[derive(Debug, Default)]
struct State {
    scripts: HashMap<String, Vec<Turn>>,
    requests: Vec<Request>,
}

impl ModelStub {
    /// Listens on a free port.
    pub fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let listening = Listening::start(move |connection| serve(connection, &shared));
        Self { state, listening }
    }

    /// What the client takes as `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        self.listening.url()
    }

    /// Sets the turns that a prompt with `[[script:NAME]]` plays; afterwards the model is done.
    pub fn script(&self, name: &str, turns: impl IntoIterator<Item = Turn>) {
        lock(&self.state).scripts.insert(name.to_owned(), turns.into_iter().collect());
    }

    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// The requests after the first `count` ones.
    pub fn requests_after(&self, count: usize) -> Vec<Request> {
        lock(&self.state).requests.iter().skip(count).cloned().collect()
    }

    /// How many requests came so far.
    pub fn count(&self) -> usize {
        lock(&self.state).requests.len()
    }

    /// Where `needle` reached the model, oldest first.
    pub fn find_in_requests(&self, needle: &str) -> Vec<Sighting> {
        lock(&self.state).requests.iter().flat_map(|r| r.find(needle)).collect()
    }
}

impl Drop for ModelStub {
    fn drop(&mut self) {
        // What their turns hold must not live on in a thread that still ends its connection.
        lock(&self.state).scripts.clear();
    }
}

/// Answers the requests of one connection until its end.
fn serve(connection: &TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let (mut reader, mut writer) = (BufReader::new(connection), connection);
    while let Some(call) = http::read(&mut reader)? {
        let body: Value = serde_json::from_slice(&call.body).unwrap_or(Value::Null);
        let (status, kind, text) = match (call.method.as_str(), call.path.as_str()) {
            ("POST", "/v1/messages") => answer(&body, state),
            ("POST", "/v1/messages/count_tokens") => {
                let tokens = (call.body.len() / 4).max(1);
                (200, "application/json", json!({"input_tokens": tokens}).to_string())
            }
            // The client looks whether anything listens before it asks.
            ("HEAD", _) => (200, "application/json", String::new()),
            _ => {
                let error = json!({"type": "not_found_error", "message": "not part of the stub"});
                (404, "application/json", json!({"type": "error", "error": error}).to_string())
            }
        };
        http::write(&mut writer, status, kind, &text)?;
    }
    Ok(())
}

fn answer(body: &Value, state: &Mutex<State>) -> (u16, &'static str, String) {
    let mut locked = lock(state);
    let (script, step, turn) = choose(&locked.scripts, body);
    let number = locked.requests.len() + 1;
    locked.requests.push(Request { number, script, step, body: body.clone() });
    drop(locked);
    turn.prepare();
    let message = reply::message(&body["model"], &turn, number);
    if body["stream"] == true {
        (200, "text/event-stream", reply::stream(&message))
    } else {
        (200, "application/json", message.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::Shutdown;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn post(stub: &ModelStub, path: &str, body: &Value) -> String {
        let mut socket = TcpStream::connect(stub.listening.address()).unwrap();
        let body = body.to_string();
        write!(socket, "POST {path} HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len())
            .unwrap();
        socket.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn plays_a_script_records_what_was_asked_and_acts_on_time() {
        let stub = ModelStub::start();
        let acted = Arc::new(AtomicBool::new(false));
        let act = Arc::clone(&acted);
        stub.script(
            "work",
            [Turn::text("the answer").after(move || act.store(true, Ordering::SeqCst))],
        );
        let ask = json!({"model": "m", "messages": [
            {"role": "user", "content": "please [[script:work]]"}]});
        assert!(post(&stub, "/v1/messages?beta=true", &ask).contains("the answer"));
        assert!(acted.load(Ordering::SeqCst));
        let mut streamed = ask;
        streamed["stream"] = json!(true);
        assert!(post(&stub, "/v1/messages", &streamed).contains("text/event-stream"));
        assert!(post(&stub, "/v1/messages/count_tokens", &json!({})).contains("input_tokens"));
        assert!(post(&stub, "/v1/other", &json!({})).starts_with("HTTP/1.1 404"));
        assert_eq!(stub.count(), 2);
        let seen = stub.find_in_requests("please");
        assert_eq!(seen.iter().map(|s| s.request).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((stub.requests()[0].script.as_str(), stub.requests()[0].step), ("work", 0));
    }

    #[test]
    fn stops_when_dropped_though_a_client_stays_connected() {
        let stub = ModelStub::start();
        let address = stub.listening.address();
        let mut client = TcpStream::connect(address).unwrap();
        assert!(post(&stub, "/v1/messages", &json!({"messages": []})).contains("STUB-ANSWER"));
        drop(stub);
        assert_eq!(client.read(&mut [0]).unwrap_or(0), 0, "the connection is closed");
        assert!(TcpStream::connect(address).is_err(), "nothing listens any more");
    }
}
