//! The team server, by the real binary on a real PostgreSQL.

mod accounts;
mod client;
mod crossing;
mod many;
mod official;
mod server;
mod tools;
mod transport;

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody, ToolUse};
use afterword_domain::project::ProjectRef;
use serde_json::{Value, json};
use uuid::Uuid;

use client::Client;

/// A tool use of a session, as a hook sends it; the same number is the same event.
fn event(session: &str, project: &str, n: u128) -> Value {
    let input = json!({ "file_path": format!("src/file{n}.rs"), "new_string": "sorted" });
    let tool = ToolUse { name: "Edit".to_owned(), input, ..ToolUse::default() };
    body_of(session, project, n, EventBody::ToolUse { tool })
}

/// The prompt that a turn begins with.
fn prompt(session: &str, project: &str, n: u128, text: &str) -> Value {
    body_of(session, project, n, EventBody::Prompt { text: text.to_owned(), private: false })
}

/// The end of a turn.
fn stop(session: &str, project: &str, n: u128) -> Value {
    let answer = Some("Done: the queue keeps its order.".to_owned());
    body_of(session, project, n, EventBody::Stop { answer, error: None })
}

fn body_of(session: &str, project: &str, n: u128, body: EventBody) -> Value {
    let event = Event {
        uid: Uuid::from_u128(n),
        at: Time::from_millis(1_700_000_000_000 + i64::try_from(n).unwrap()),
        agent: "claude-code".to_owned(),
        agent_session_id: session.to_owned(),
        project: ProjectRef::named(project),
        cwd: None,
        turn_id: None,
        subagent: None,
        model: None,
        transcript_path: None,
        body,
    };
    serde_json::to_value(event).unwrap()
}

fn remember(client: &Client, text: &str, project: &str) -> String {
    let body = json!({ "text": text, "project": { "name": project } });
    let answer = client.post("/api/memories", &body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["id"].as_str().unwrap().to_owned()
}

/// Titles and texts that a search finds.
fn found(client: &Client, query: &str) -> Vec<String> {
    let answer = client.get(&format!("/api/search?query={query}"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let answer = answer.json();
    let texts = answer["results"].as_array().unwrap().iter();
    texts.map(|row| format!("{} {}", row["title"], row["text"])).collect()
}
