//! The observer's own hooks and MCP server, driven against our daemon: its own server never runs.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use afterword_testkit::{ObserverClient, Output, Sandbox};
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};

use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

const PROMPT: &str = "Make the export stream its rows";
const ANSWER: &str = "Decision: the export streams its rows, for a million of them did not fit.\n\nNext steps:\n- stream the import too";

/// A sandbox whose daemon the client takes for its own server: it sends no token.
fn opened() -> (Sandbox, u16) {
    let sandbox = Sandbox::new(BIN);
    fs::create_dir_all(sandbox.data()).unwrap();
    let settings = sandbox.data().join("config.toml");
    fs::write(settings, "[api]\nobserver_auth = \"off\"\n").unwrap();
    sandbox.start_daemon();
    let port = sandbox.endpoint().unwrap().port;
    (sandbox, port)
}

/// Payloads as Claude Code sends them.
struct Session<'s> {
    sandbox: &'s Sandbox,
    id: &'s str,
}

impl Session<'_> {
    fn payload(&self, event: &str, more: &Value) -> Value {
        let mut payload = json!({
            "session_id": self.id,
            "cwd": self.sandbox.project(),
            "transcript_path": self.sandbox.root().join("transcript.jsonl"),
            "hook_event_name": event,
        });
        for (name, value) in more.as_object().unwrap() {
            payload[name.as_str()] = value.clone();
        }
        payload
    }
}

/// What a hook printed; it never fails.
#[track_caller]
fn reply(output: Output) -> Value {
    let output = output.success();
    assert!(!output.stderr.contains("Stale worker"), "{}", output.stderr);
    output.json()
}

/// Plays a whole session through the hooks on a port.
fn play(client: &ObserverClient, sandbox: &Sandbox, port: u16) {
    let session = Session { sandbox, id: "conf-1" };
    let file = sandbox.write("src/export.ts", &"x".repeat(4_000));
    let said = json!({ "type": "assistant", "message": { "role": "assistant",
        "content": [{ "type": "text", "text": ANSWER }] } });
    fs::write(sandbox.root().join("transcript.jsonl"), format!("{said}\n")).unwrap();
    let hook = |event: &str, name: &str, more: Value| {
        reply(client.hook(sandbox, port, event, &session.payload(name, &more)))
    };
    let first = hook("context", "SessionStart", json!({ "source": "startup" }));
    assert_eq!(
        first["hookSpecificOutput"]["additionalContext"], "",
        "nothing is known yet: {first}"
    );
    hook("session-init", "UserPromptSubmit", json!({ "prompt": PROMPT }));
    for (call, tool, input) in [
        (
            "toolu_1",
            "Edit",
            json!({ "file_path": file, "old_string": "rows()", "new_string": "stream()" }),
        ),
        ("toolu_2", "Bash", json!({ "command": "npm test" })),
    ] {
        let used = json!({
            "tool_name": tool, "tool_use_id": call, "tool_input": input, "tool_response": { "stdout": "ok" },
        });
        hook("observation", "PostToolUse", used);
    }
    hook(
        "summarize",
        "Stop",
        json!({ "stop_hook_active": false, "last_assistant_message": ANSWER }),
    );
    hook("session-end", "SessionEnd", json!({ "reason": "other" }));
}

/// The text that a hook adds to a conversation.
fn added(reply: &Value) -> &str {
    reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

#[test]
fn the_observers_hooks_fill_our_store_and_the_next_session_gets_its_context() {
    let Some(client) = ObserverClient::locate_or_skip() else { return };
    let (sandbox, port) = opened();
    let started = reply(client.start(&sandbox, port));
    assert_eq!(started["status"], "ready", "our daemon passes for its server: {started}");
    play(&client, &sandbox, port);
    let status = settle(&sandbox);
    assert_eq!(status["stored"], 5, "prompt, two tools, stop, end: {status}");
    assert_eq!((&status["parked"], &status["rows"]["prompt"]), (&0.into(), &1.into()), "{status}");

    let next = Session { sandbox: &sandbox, id: "conf-2" };
    let start = next.payload("SessionStart", &json!({ "source": "startup" }));
    let begun = reply(client.hook(&sandbox, port, "context", &start));
    let block = added(&begun);
    assert!(block.starts_with("<afterword-context project=\"demo-project\">"), "{begun}");
    for known in [PROMPT, "src/export.ts", "stream the import too", "did not fit"] {
        assert!(block.contains(known), "{known} is not in {block}");
    }
    let banner = begun["systemMessage"].as_str().unwrap();
    assert!(banner.contains(PROMPT) && !banner.contains("<afterword-context"), "{banner}");
    // What the hook sees first is whether the file is older than what is known of it.
    let file = sandbox.project().join("src/export.ts");
    let old = fs::File::options().write(true).open(&file).unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let read = json!({ "tool_name": "Read", "tool_input": { "file_path": file } });
    let told = client.hook(&sandbox, port, "file-context", &next.payload("PreToolUse", &read));
    let told = reply(told);
    assert!(added(&told).contains("export.ts"), "{told}");
    assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "allow");

    let own = ObserverClient::data(&sandbox);
    assert!(!own.join("worker.pid").exists(), "its own server never ran");
    assert!(!own.join("state/hook-failures.json").exists(), "no hook failed");
}

/// What stands in front of the daemon and notes what is asked.
struct Between {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Between {
    fn open(daemon: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&asked);
        drop(thread::spawn(move || {
            for caller in listener.incoming() {
                let (Ok(caller), notes) = (caller, Arc::clone(&notes)) else { return };
                drop(thread::spawn(move || pass(caller, daemon, &notes)));
            }
        }));
        Self { port, asked }
    }

    /// The routes that were asked since this was last asked, without their query strings.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().drain(..).collect()
    }
}

/// Passes on one connection, and notes the first line of what each piece begins with.
fn pass(mut caller: TcpStream, daemon: u16, notes: &Mutex<Vec<String>>) {
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", daemon)) else { return };
    let (mut back, mut answers) = (caller.try_clone().unwrap(), server.try_clone().unwrap());
    drop(thread::spawn(move || std::io::copy(&mut answers, &mut back)));
    let mut piece = vec![0; 64 * 1024];
    while let Ok(n @ 1..) = caller.read(&mut piece) {
        let text = String::from_utf8_lossy(&piece[..n]);
        let line = text.lines().next().unwrap_or_default();
        if let Some((asked, _)) = line.rsplit_once(" HTTP/1.") {
            notes.lock().unwrap().push(asked.split('?').next().unwrap().to_owned());
        }
        if server.write_all(&piece[..n]).is_err() {
            return;
        }
    }
}

#[test]
fn every_hook_asks_what_the_table_of_routes_has() {
    let Some(client) = ObserverClient::locate_or_skip() else { return };
    let (sandbox, daemon) = opened();
    let between = Between::open(daemon);
    play(&client, &sandbox, between.port);
    let routes = afterword::api::routes();
    let asked = between.asked();
    for wanted in [
        "GET /api/health",
        "GET /api/readiness",
        "GET /api/context/inject",
        "POST /api/sessions/init",
        "POST /api/sessions/observations",
        "POST /api/sessions/summarize",
        "POST /api/sessions/session-end",
    ] {
        assert!(asked.iter().any(|asked| asked == wanted), "{wanted} was not asked: {asked:?}");
    }
    for asked in &asked {
        let known = routes.iter().any(|route| *asked == format!("{} {}", route.method, route.path));
        assert!(known, "{asked} is no route of ours");
    }
}

type Tools = RunningService<RoleClient, ()>;

async fn call(tools: &Tools, name: &'static str, arguments: Value) -> String {
    let asked =
        CallToolRequestParams::new(name).with_arguments(arguments.as_object().unwrap().clone());
    let result: CallToolResult = tools.call_tool(asked).await.unwrap();
    let text = result.content.iter().filter_map(|block| block.as_text());
    let text: String = text.map(|block| block.text.as_str()).collect();
    assert_ne!(result.is_error, Some(true), "{name}: {text}");
    assert!(!text.is_empty(), "{name} shows nothing");
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn the_observers_mcp_server_answers_from_our_store() {
    let Some(client) = ObserverClient::locate_or_skip() else { return };
    let (sandbox, port) = opened();
    play(&client, &sandbox, port);
    settle(&sandbox);
    let command = tokio::process::Command::from(client.mcp_server(&sandbox, port));
    let tools: Tools = ().serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
    assert_eq!(tools.peer_info().unwrap().server_info.as_ref().unwrap().name, "claude-mem");

    let found = call(&tools, "search", json!({ "query": "why does the export stream?" })).await;
    assert!(found.contains("did not fit"), "{found}");
    let narrow = json!({
        "query": "export", "type": "observations", "obs_type": "decision", "project": "demo-project",
        "dateStart": "2020-01-01", "orderBy": "date_desc", "limit": 5, "offset": 0,
    });
    let found = call(&tools, "search", narrow).await;
    let id = found.split("| #").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let id: i64 = id.parse().unwrap_or_else(|e| panic!("{e}: {found}"));
    let around = json!({ "anchor": id, "depth_before": 5, "depth_after": 5 });
    let around = call(&tools, "timeline", around).await;
    assert!(around.contains("ANCHOR") && around.contains("src/export.ts"), "{around}");
    let around =
        call(&tools, "timeline", json!({ "query": "export", "project": "demo-project" })).await;
    assert!(around.contains("ANCHOR"), "{around}");
    let whole = call(&tools, "get_observations", json!({ "ids": [id] })).await;
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!((&whole[0]["id"], &whole[0]["type"]), (&id.into(), &"decision".into()), "{whole}");
    assert!(whole[0]["facts"].is_string() && whole[0]["created_at_epoch"].is_i64(), "{whole}");
    let raw = call(&tools, "get_tool_uses", json!({ "ids": ["toolu_1"] })).await;
    let raw: Value = serde_json::from_str(&raw).unwrap();
    assert!(raw[0]["tool_input"].as_str().unwrap().contains("stream()"), "{raw}");
    let block = call(&tools, "session_start_context", json!({ "project": "demo-project" })).await;
    assert!(block.contains("stream the import too"), "{block}");

    let corpus = json!({ "name": "exports", "types": "decision", "project": "demo-project" });
    let built = call(&tools, "build_corpus", corpus).await;
    assert!(built.contains("\"observation_count\": 1"), "{built}");
    assert!(call(&tools, "list_corpora", json!({})).await.contains("exports"));
    assert!(
        call(&tools, "prime_corpus", json!({ "name": "exports" })).await.contains("session_id")
    );
    let question = json!({ "name": "exports", "question": "why does the export stream?" });
    let answer = call(&tools, "query_corpus", question).await;
    assert!(answer.contains("did not fit"), "{answer}");
    call(&tools, "rebuild_corpus", json!({ "name": "exports" })).await;
    call(&tools, "reprime_corpus", json!({ "name": "exports" })).await;

    // What cannot be answered is told with its reason.
    let asked = CallToolRequestParams::new("timeline")
        .with_arguments(json!({ "anchor": 99_999 }).as_object().unwrap().clone());
    let refused = tools.call_tool(asked).await.unwrap();
    assert_eq!(refused.is_error, Some(true), "{refused:?}");
    assert!(format!("{:?}", refused.content).contains("there is no row o99999"), "{refused:?}");
    tools.cancel().await.unwrap();
}
