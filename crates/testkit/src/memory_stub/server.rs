//! The listening side.

use std::io::{self, BufReader, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::shapes::{Asked, Spelling};
use crate::listening::{Listening, lock};
use crate::model_stub::http::{self, Call};

/// The token that it takes unless told otherwise.
const TOKEN: &str = "stub-token-4711";

/// How it behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conduct {
    /// As it should.
    Good,
    /// As it should, this much later.
    Slow(Duration),
    /// It takes requests and answers none.
    Hangs,
    /// It closes every connection.
    Closes,
    /// It answers every request with this status.
    Status(u16),
    /// It answers with what is no JSON.
    Garbage,
    /// It keeps what it is told and dies before it says so.
    ForgetsToAnswerAdds,
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct HeardCall {
    /// The method.
    pub method: String,
    /// Without what follows a question mark.
    pub path: String,
    headers: Vec<(String, String)>,
    /// The body, where it is JSON.
    pub body: Value,
}

impl HeardCall {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |(found, _): &&(String, String)| found.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// Whether it asks to keep a memory.
    pub fn is_add(&self) -> bool {
        self.method == "POST" && self.body.get("messages").is_some()
    }
}

/// A memory service on loopback; stops when dropped.
#[derive(Debug)]
pub struct MemoryStub {
    state: Arc<Mutex<State>>,
    listening: Listening,
}

#[derive(Debug)]
struct State {
    spelling: Spelling,
    conduct: Conduct,
    /// Adds are kept at once and answered as if they were not.
    queues: bool,
    /// An idempotency key is heeded.
    heeds_keys: bool,
    /// Memories can be replaced.
    replaces: bool,
    memories: Vec<Value>,
    keys: Vec<(String, String)>,
    made: usize,
    heard: Vec<HeardCall>,
}

impl MemoryStub {
    /// Listens on a free port.
    pub fn start(spelling: Spelling) -> Self {
        let state = Arc::new(Mutex::new(State {
            spelling,
            conduct: Conduct::Good,
            queues: false,
            heeds_keys: false,
            replaces: true,
            memories: Vec::new(),
            keys: Vec::new(),
            made: 0,
            heard: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        let listening = Listening::start(move |connection| serve(connection, &shared));
        Self { state, listening }
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.listening.url()
    }

    /// The token that it takes.
    pub const fn token(&self) -> &'static str {
        TOKEN
    }

    /// How it behaves from now on.
    pub fn behave(&self, conduct: Conduct) {
        lock(&self.state).conduct = conduct;
    }

    /// Answers adds as if it kept them later.
    pub fn queues(&self) {
        lock(&self.state).queues = true;
    }

    /// Heeds idempotency keys.
    pub fn heeds_keys(&self) {
        lock(&self.state).heeds_keys = true;
    }

    /// Replaces no memory.
    pub fn replaces_nothing(&self) {
        lock(&self.state).replaces = false;
    }

    /// Has a memory, found with a score.
    pub fn has(&self, user: &str, id: &str, text: &str, score: Option<f64>, metadata: &Value) {
        let mut memory = json!({
            "id": id, "memory": text, "hash": "3926bde6", "metadata": metadata, "user_id": user,
            "created_at": "2026-05-14T03:26:41.149155+00:00",
            "updated_at": "2026-05-14T03:26:41.149155+00:00",
        });
        if let Some(score) = score {
            memory["score"] = score.into();
        }
        lock(&self.state).memories.push(memory);
    }

    /// Everything that it has.
    pub fn memories(&self) -> Vec<Value> {
        lock(&self.state).memories.clone()
    }

    /// Every request so far, oldest first.
    pub fn heard(&self) -> Vec<HeardCall> {
        lock(&self.state).heard.clone()
    }
}

fn serve(connection: &TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let mut reader = BufReader::new(connection);
    while let Some(call) = http::read(&mut reader)? {
        let mut locked = lock(state);
        let conduct = locked.conduct;
        let (status, body) = match conduct {
            Conduct::Status(status) => {
                locked.hear(&call);
                (status, json!({"detail": "the stub was told to say so"}).to_string())
            }
            Conduct::Garbage => (200, "<html>not what you think</html>".to_owned()),
            Conduct::Closes => return Ok(()),
            Conduct::Hangs => {
                locked.hear(&call);
                (0, String::new())
            }
            Conduct::Good | Conduct::Slow(_) | Conduct::ForgetsToAnswerAdds => {
                let heard = locked.hear(&call);
                let (status, body) = locked.answer(&heard);
                let silent = conduct == Conduct::ForgetsToAnswerAdds && heard.is_add();
                (if silent { 0 } else { status }, body.to_string())
            }
        };
        drop(locked);
        if status == 0 {
            // Until the caller leaves, or the stub stops.
            drop(io::copy(&mut &*connection, &mut io::sink()));
            return Ok(());
        }
        if let Conduct::Slow(pause) = conduct {
            std::thread::sleep(pause);
        }
        write!(
            &mut &*connection,
            "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )?;
    }
    Ok(())
}

impl State {
    fn hear(&mut self, call: &Call) -> HeardCall {
        let heard = HeardCall {
            method: call.method.clone(),
            path: call.path.clone(),
            headers: call.headers.clone(),
            body: serde_json::from_slice(&call.body).unwrap_or(Value::Null),
        };
        self.heard.push(heard.clone());
        heard
    }

    fn answer(&mut self, call: &HeardCall) -> (u16, Value) {
        let Some(asked) = self.spelling.asked(&call.method, &call.path) else {
            return (404, json!({"detail": "Not Found"}));
        };
        let (name, value) = self.spelling.key(TOKEN);
        if call.header(name) != Some(value.as_str()) {
            return (401, json!({"detail": "Invalid API key."}));
        }
        match asked {
            Asked::Add => self.add(call),
            Asked::Search | Asked::List => {
                let filters = call.body.get("filters").cloned().unwrap_or_default();
                (200, self.spelling.list(self.of_user(&call.body, &filters)))
            }
            Asked::One(_) if !self.replaces && call.method == "PUT" => {
                (405, json!({"detail": "Method Not Allowed"}))
            }
            Asked::One(id) => self.one(call, &id),
        }
    }

    /// What a user has, best first, with every metadata that the filters name.
    fn of_user(&self, body: &Value, filters: &Value) -> Vec<Value> {
        let all = filters.get("AND").and_then(Value::as_array).cloned();
        let conditions = all.unwrap_or_else(|| vec![filters.clone(), body.clone()]);
        let user = conditions.iter().find_map(|condition| condition.get("user_id"));
        let wanted = conditions.iter().find_map(|condition| condition.get("metadata")?.as_object());
        let mut found: Vec<Value> = self
            .memories
            .iter()
            .filter(|memory| user.is_some() && memory.get("user_id") == user)
            .filter(|memory| {
                wanted.is_none_or(|w| w.iter().all(|(k, v)| memory["metadata"].get(k) == Some(v)))
            })
            .cloned()
            .collect();
        let score = |memory: &Value| memory["score"].as_f64().unwrap_or_default();
        found.sort_by(|a, b| score(b).total_cmp(&score(a)));
        found
    }

    fn add(&mut self, call: &HeardCall) -> (u16, Value) {
        let key = call.header("idempotency-key").unwrap_or_default().to_owned();
        let text = call.body["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
        let known = self.keys.iter().find(|(known, _)| self.heeds_keys && *known == key);
        let id = if let Some((_, id)) = known {
            id.clone()
        } else {
            self.made += 1;
            let id = format!("00000000-0000-4000-8000-{:012}", self.made);
            self.memories.push(json!({
                "id": id, "memory": text, "user_id": call.body["user_id"],
                "metadata": call.body["metadata"], "score": 0.9,
                "created_at": "2026-06-01T00:00:00Z", "updated_at": "2026-06-01T00:00:00Z",
            }));
            self.keys.push((key, id.clone()));
            id
        };
        let answer =
            if self.queues { self.spelling.queued() } else { self.spelling.stored(&id, &text) };
        (200, answer)
    }

    fn one(&mut self, call: &HeardCall, id: &str) -> (u16, Value) {
        let place = self.memories.iter().position(|memory| memory["id"] == id);
        let Some(place) = place else {
            return (404, json!({"error": "Memory not found!", "detail": "Memory not found!"}));
        };
        if call.method == "DELETE" {
            self.memories.remove(place);
            return (200, json!({"message": "Memory deleted successfully!"}));
        }
        for (from, to) in [("text", "memory"), ("metadata", "metadata")] {
            if let Some(value) = call.body.get(from) {
                self.memories[place][to] = value.clone();
            }
        }
        (200, self.memories[place].clone())
    }
}
