//! The real Claude Code CLI with our hooks, against a scripted model.
//!
//! Each story has a home of its own, installs the hooks as a person would, and looks at what
//! reached the model and what `afterword` says afterwards.

mod compaction;
mod daemon_gone;
mod file_recall;
mod guard;
mod machinery;
mod next_session;
mod observer;
mod tools;

use std::sync::Arc;

use afterword_testkit::{ClaudeCode, ModelStub, Request, Sandbox, Turn};
use serde_json::{Value, json};

/// How the client labels what a session-start hook adds, up to our block.
const SESSION_BLOCK: &str = "SessionStart hook additional context: <afterword-context";

/// The client with our hooks in a fresh home.
struct Story {
    client: ClaudeCode,
    stub: ModelStub,
    sandbox: Arc<Sandbox>,
}

impl Story {
    /// Installs every hook and the guard; none, with a notice, where the client cannot be had.
    fn begin() -> Option<Self> {
        let client = ClaudeCode::locate_or_skip()?;
        let sandbox = Arc::new(Sandbox::new(env!("CARGO_BIN_EXE_afterword")));
        let install = ["install", "claude-code", "--type", "all", "--guard"];
        drop(sandbox.afterword(&install).success());
        let stub = ModelStub::start();
        stub.script("build", build_script(&sandbox));
        Some(Self { client, stub, sandbox })
    }

    /// One session of one prompt.
    fn ask(&self, prompt: &str) -> Value {
        self.client.ask(&self.sandbox, &self.stub, prompt, &[])
    }

    /// Waits until every event is stored and distilled.
    fn settle(&self) -> Value {
        self.sandbox.wait_for_status("everything stored and distilled", |status| {
            status["spooled"] == 0 && status["waiting"] == 0 && status["stored"] != 0
        })
    }

    /// What `afterword search` finds in this project.
    fn search(&self, query: &str, options: &[&str]) -> Vec<Value> {
        let mut args = vec!["search", query, "--json"];
        args.extend(options);
        let answer = self.sandbox.afterword(&args).success().json();
        answer["results"].as_array().expect("`results` is a list").clone()
    }
}

/// A session's work: a file made and changed, a failing and a passing command, and an answer with
/// a decision and next steps.
fn build_script(sandbox: &Sandbox) -> Vec<Turn> {
    let file = sandbox.project().join("src").join("retry_queue.rs");
    let bash = |command: &str| {
        Turn::tool("Bash", &json!({"command": command, "description": "Run the tests"}))
    };
    let edit = |old: &str, new: &str| {
        Turn::tool("Edit", &json!({"file_path": file, "old_string": old, "new_string": new}))
    };
    vec![
        Turn::text("I begin with the queue.").and_tool(
            "Write",
            &json!({"file_path": file, "content": "pub const FIRST_DELAY_MS: u64 = 10;\n"}),
        ),
        bash("echo 'test backoff_doubles ... FAILED'; exit 101"),
        edit("FIRST_DELAY_MS: u64 = 10", "FIRST_DELAY_MS: u64 = 250"),
        bash("echo 'test backoff_doubles ... ok'"),
        Turn::text(
            "The retry queue works and its test passes.\n\n\
             Decision: retries use exponential backoff with a cap of 30 seconds, because the \
             upstream service punishes bursts.\n\n\
             Next steps:\n- add jitter to the delay in src/retry_queue.rs\n\
             - document the cap in README.md",
        ),
    ]
}

/// The block that a session starts with, as it reached the model in this request.
///
/// Panics unless there is exactly one.
#[track_caller]
fn session_block(request: &Request) -> String {
    let number = request.number;
    assert_eq!(request.count(SESSION_BLOCK), 1, "request {number} has one block of a session");
    let text = request.find(SESSION_BLOCK).remove(0).text;
    let begin = text.find(SESSION_BLOCK).expect("it was just found") + SESSION_BLOCK.len();
    let inside = &text[begin..];
    let end = inside.find("</afterword-context>").expect("the block is closed");
    format!("<afterword-context{}</afterword-context>", &inside[..end])
}

#[track_caller]
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}
