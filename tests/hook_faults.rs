//! A hook is never in the way: whatever listens, whatever comes in, it ends well, says nothing or
//! one JSON object, and what was usable is in the spool.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use afterword::config::SystemClock;
use afterword_domain::Clock;
use afterword_domain::event::{Event, EventBody};
use afterword_domain::proof;
use afterword_domain::wire::spool;
use afterword_testkit::eventually;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Bounds a broken run.
const DEADLINE: Duration = Duration::from_mins(1);

/// A home and a project of one test's own. No daemon starts here: the brake is on.
struct World {
    _folder: TempDir,
    home: PathBuf,
    data: PathBuf,
    project: PathBuf,
    variables: Vec<(&'static str, String)>,
}

struct Output {
    stdout: String,
    spooled: Vec<Event>,
}

impl Output {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (home, project) = (base.join("home"), base.join("项目 a b'c"));
        let data = home.join(".afterword");
        fs::create_dir_all(&data).unwrap();
        fs::create_dir(&project).unwrap();
        let world = Self { _folder: folder, home, data, project, variables: Vec::new() };
        world.brake();
        world
    }

    fn brake(&self) {
        let now = SystemClock.now().millis();
        fs::write(self.data.join("daemon.starting"), format!("{now} 20 failed\n")).unwrap();
    }

    fn set(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    fn publish(&self, port: u16) {
        let endpoint = json!({
            "port": port, "pid": std::process::id(), "started_at_ms": 0,
            "protocol": 1, "version": "0.1.0"
        });
        fs::write(self.data.join("token"), "secret-token\n").unwrap();
        fs::write(self.data.join("daemon.json"), endpoint.to_string()).unwrap();
    }

    fn start(&self, args: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_afterword"))
            .args(args)
            .current_dir(&self.project)
            .env_clear()
            .env("HOME", &self.home)
            .envs(self.variables.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs a hook to its end and checks what every hook promises.
    fn hook(&self, args: &[&str], stdin: &[u8]) -> Output {
        let mut child = self.start(&[&["hook"], args].concat());
        let mut pipe = child.stdin.take().unwrap();
        let bytes = stdin.to_owned();
        let writer = thread::spawn(move || drop(pipe.write_all(&bytes)));
        let output = self.finish(child);
        writer.join().unwrap();
        output
    }

    fn finish(&self, child: Child) -> Output {
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
        let stdout = String::from_utf8(ended.stdout).unwrap();
        if !stdout.is_empty() {
            assert!(serde_json::from_str::<Value>(&stdout).unwrap().is_object());
            assert!(stdout.ends_with('\n') && stdout.lines().count() == 1, "{stdout}");
        }
        Output { stdout, spooled: self.spooled() }
    }

    /// The events in the spool, oldest first; each test looks at its own.
    fn spooled(&self) -> Vec<Event> {
        let Ok(entries) = fs::read_dir(self.data.join("spool")) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths.iter().map(|p| spool::decode(&fs::read(p).unwrap()).unwrap()).collect()
    }

    fn prompt(&self, text: &str) -> Vec<u8> {
        json!({ "session_id": "s-1", "cwd": self.project, "prompt": text }).to_string().into_bytes()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.data.join("logs/hook.log")).unwrap_or_default()
    }
}

fn ok(body: &Value) -> Vec<u8> {
    answer("200 OK", "x-afterword-protocol: 1\r\n", &body.to_string())
}

fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// Gives every connection, in turn, one of the answers (the last for ever) and hands out requests.
fn listen(answers: Vec<Vec<u8>>) -> (u16, Receiver<String>) {
    listen_as(true, answers)
}

/// As [`listen`]; who knows the token proves it first, on the same connection. The proofs are not
/// among the requests handed out.
fn listen_as(knows_token: bool, answers: Vec<Vec<u8>>) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, requests) = channel();
    thread::spawn(move || {
        let mut answers = answers.into_iter().peekable();
        let mut current = Vec::new();
        for stream in listener.incoming() {
            current = answers.next().unwrap_or(current);
            let mut stream = stream.unwrap();
            let mut request = request(&mut stream);
            if knows_token && prove(&mut stream, &request, port) {
                request = self::request(&mut stream);
            }
            // A hook that has given up has closed its end; so has a test that has ended.
            stream.write_all(&current).ok();
            // Not every test looks at them.
            sender.send(request).ok();
        }
    });
    (port, requests)
}

/// Answers the question that comes before everything else; false where it was another one.
fn prove(stream: &mut TcpStream, request: &str, port: u16) -> bool {
    let Some(rest) = request.strip_prefix("GET /api/prove?nonce=") else { return false };
    let nonce = rest.split(' ').next().unwrap();
    let proof = proof::answer("secret-token", nonce, port);
    stream.write_all(&answer("200 OK", "x-afterword-protocol: 1\r\n", &proof)).is_ok()
}

fn request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0_u8; 8 * 1024];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|l| l.strip_prefix("Content-Length: "));
            if body.len() >= length.map_or(0, |l| l.parse().unwrap()) {
                return text.into_owned();
            }
        }
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&chunk[..n]),
            _ => return String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

fn stored(reply: &Value) -> Vec<u8> {
    ok(&json!({
        "outcome": { "status": "stored", "session_id": 1, "prompt_number": 1 }, "reply": reply
    }))
}

const EVENTS: [&str; 9] = [
    "session-start",
    "user-prompt-submit",
    "post-tool-use",
    "post-tool-use-failure",
    "pre-compact",
    "stop",
    "subagent-stop",
    "session-end",
    "stop-failure",
];

fn any_payload(world: &World) -> Vec<u8> {
    json!({
        "session_id": "s-1", "cwd": world.project, "prompt": "hello", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "source": "startup", "last_assistant_message": "done",
        "agent_type": "x", "trigger": "auto", "reason": "other"
    })
    .to_string()
    .into_bytes()
}

#[test]
fn a1_with_nothing_listening_every_event_is_spooled() {
    let world = World::new();
    for (i, event) in EVENTS.iter().enumerate() {
        let output = world.hook(&["claude-code", event], &any_payload(&world));
        assert_eq!(output.stdout, "", "{event}");
        assert_eq!(output.spooled.len(), i + 1, "{event}");
    }
    let output = world.hook(&["claude-code", "pre-tool-use"], &any_payload(&world));
    assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", EVENTS.len()));
    assert!(world.log().lines().all(|l| l.contains("claude-code ") && l.contains("not running")));
}

#[test]
fn a1_whatever_listens_the_event_is_kept_and_nothing_is_said() {
    let foreign = answer("200 OK", "", r#"{"reply":{"kind":"context","text":"not ours"}}"#);
    let newer = answer("200 OK", "x-afterword-protocol: 101\r\n", "{}");
    let broken = answer("500 Oops", "x-afterword-protocol: 1\r\n", "{}");
    let torn =
        b"HTTP/1.1 200 OK\r\nx-afterword-protocol: 1\r\nContent-Length: 99\r\n\r\n{".to_vec();
    for (what, bytes) in [
        ("garbage", b"\x16\x03\x01\xff\xff not http".to_vec()),
        ("nothing", Vec::new()),
        ("refused", answer("401 Unauthorized", "x-afterword-protocol: 1\r\n", "{}")),
        ("foreign", foreign),
        ("newer", newer),
        ("broken", broken),
        ("torn", torn),
        ("no answer of ours", ok(&json!({"hello": 1}))),
    ] {
        for knows_token in [false, true] {
            let world = World::new();
            world.publish(listen_as(knows_token, vec![bytes.clone()]).0);
            for (i, event) in ["post-tool-use", "session-start"].iter().enumerate() {
                let output = world.hook(&["claude-code", event], &any_payload(&world));
                assert_eq!(output.stdout, "", "{what} {event}");
                assert_eq!(output.spooled.len(), i + 1, "{what} {event}");
            }
            assert!(!world.log().contains("secret-token"), "{what}");
        }
    }
}

#[test]
fn b7_a_frozen_listener_costs_the_budget_and_loses_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let world = World::new();
    world.publish(listener.local_addr().unwrap().port());
    for (i, event) in ["post-tool-use", "session-start"].iter().enumerate() {
        let output = world.hook(&["claude-code", event], &any_payload(&world));
        assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", i + 1), "{event}");
    }
    assert!(world.log().contains("did not answer within"));
}

#[test]
fn an_answer_that_trickles_in_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let world = World::new();
    let port = listener.local_addr().unwrap().port();
    world.publish(port);
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let question = request(&mut stream);
        assert!(prove(&mut stream, &question, port));
        // One byte at a time for as long as the hook listens: each read succeeds in time.
        stream.write_all(b"HTTP/1.1 200 OK\r\n").unwrap();
        while stream.write_all(b"x").is_ok() {
            thread::yield_now();
        }
    });
    let output = world.hook(&["claude-code", "stop"], &any_payload(&world));
    assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", 1));
}

#[test]
fn a_stored_event_is_answered_and_not_spooled() {
    let world = World::new();
    let reply = json!({"kind": "context", "text": "<afterword-context>x</afterword-context>"});
    let (port, requests) = listen(vec![stored(&reply)]);
    world.publish(port);
    let output = world.hook(&["claude-code", "session-start"], &any_payload(&world));
    let said = output.json();
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "SessionStart");
    assert_eq!(said["hookSpecificOutput"]["additionalContext"], reply["text"]);
    let request = requests.recv().unwrap();
    assert!(request.starts_with("POST /api/events HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("Authorization: Bearer secret-token\r\n"), "{request}");
    for (event, args) in [
        ("stop", vec![]),
        ("pre-compact", vec![]),
        ("session-start", vec!["--capture-only"]),
        ("user-prompt-submit", vec!["--capture-only"]),
    ] {
        let args = [vec!["claude-code", event], args].concat();
        assert_eq!(world.hook(&args, &any_payload(&world)).stdout, "", "{event}");
        assert!(requests.recv().unwrap().starts_with("POST /api/events?reply=false "), "{event}");
    }
    assert_eq!(world.spooled(), []);
}

#[test]
fn recall_alone_stores_nothing_even_when_nobody_answers() {
    let world = World::new();
    let args = ["claude-code", "user-prompt-submit", "--recall-only"];
    assert_eq!(world.hook(&args, &world.prompt("hello")).spooled, []);
    let reply = json!({"kind": "context", "text": "known"});
    let (port, requests) = listen(vec![stored(&reply)]);
    world.publish(port);
    assert!(world.hook(&args, &world.prompt("hello")).stdout.contains("known"));
    assert!(requests.recv().unwrap().starts_with("POST /api/events?store=false "));
    let args = ["claude-code", "stop", "--recall-only"];
    assert_eq!(world.hook(&args, &any_payload(&world)).stdout, "");
    assert!(requests.try_recv().is_err(), "nothing to recall on a stop");
}

#[test]
fn j7_o1_subagents_and_resumed_sessions_are_given_no_context() {
    let reply = json!({"kind": "context", "text": "known", "notice": "for the person"});
    let (port, _requests) = listen(vec![stored(&reply)]);
    let world = World::new();
    world.publish(port);
    let prompt = json!({"session_id": "s", "prompt": "x", "agent_id": "a"}).to_string();
    assert_eq!(world.hook(&["claude-code", "user-prompt-submit"], prompt.as_bytes()).stdout, "");
    for source in ["resume", "fork"] {
        let start = json!({"session_id": "s", "source": source}).to_string();
        let output = world.hook(&["claude-code", "session-start"], start.as_bytes());
        assert_eq!(output.json(), json!({"systemMessage": "for the person"}));
    }
}

#[test]
fn a_draining_daemon_gets_the_event_behind_the_others() {
    let draining = answer(
        "503 Service Unavailable",
        "x-afterword-protocol: 1\r\n",
        r#"{"error":"draining","code":"draining"}"#,
    );
    let world = World::new();
    world.publish(listen(vec![draining.clone()]).0);
    let output = world.hook(&["claude-code", "post-tool-use"], &any_payload(&world));
    assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", 1));
    assert_eq!(world.log(), "", "this is how it should be");
    // A session that starts meanwhile waits for what is being drained.
    let reply = json!({"kind": "context", "text": "drained"});
    world.publish(listen(vec![draining.clone(), draining, stored(&reply)]).0);
    let output = world.hook(&["claude-code", "session-start"], &any_payload(&world));
    assert!(output.stdout.contains("drained"), "{}", world.log());
    assert_eq!(output.spooled.len(), 1);
}

#[test]
fn a12_switched_off_means_nothing_is_touched() {
    for name in ["AFTERWORD_DISABLED", "AFTERWORD_OBSERVER"] {
        let world = World::new().set(name, "1");
        fs::remove_dir_all(&world.data).unwrap();
        for event in EVENTS {
            assert_eq!(world.hook(&["claude-code", event], &any_payload(&world)).stdout, "");
        }
        assert!(!world.data.exists(), "{name}");
    }
}

#[test]
fn unknown_agents_and_events_are_silent() {
    let world = World::new();
    for args in [
        vec![],
        vec!["no-such-agent"],
        vec!["no-such-agent", "stop"],
        vec!["claude-code", "no-such-event"],
        vec!["--help"],
    ] {
        let output = world.hook(&args, &any_payload(&world));
        assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", 0), "{args:?}");
    }
    // Without a word the payload's own name decides.
    let named = json!({"session_id": "s", "hook_event_name": "SessionEnd", "reason": "clear"});
    let output = world.hook(&["claude-code"], named.to_string().as_bytes());
    assert_eq!(output.spooled[0].body, EventBody::SessionEnd { reason: "clear".into() });
    let unknown = json!({"session_id": "s", "hook_event_name": "MessageDisplay"});
    assert_eq!(world.hook(&["claude-code"], unknown.to_string().as_bytes()).spooled.len(), 1);
}

#[test]
fn a10_payloads_with_nothing_in_them_are_silent() {
    let huge = "x".repeat(1 << 20);
    for stdin in ["", "{", " \n\t", "[]", "null", "42", "\u{feff}", "{}", "not json", &huge] {
        let world = World::new();
        for event in ["user-prompt-submit", "pre-tool-use", "session-start"] {
            let output = world.hook(&["claude-code", event], stdin.as_bytes());
            assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", 0), "{event}");
        }
        assert!(world.log().lines().count() <= 3, "one line a call at most");
    }
}

#[test]
fn d1_d2_payloads_with_something_in_them_are_kept() {
    let deep = format!(
        r#"{{"session_id":"s","prompt":"kept","x":{}{}}}"#,
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    for (what, stdin) in [
        ("BOM", "\u{feff}{\"session_id\":\"s\",\"prompt\":\"kept\"}".as_bytes().to_vec()),
        ("lone surrogate", br#"{"session_id":"s","prompt":"kept \ud83d"}"#.to_vec()),
        ("reversed surrogates", br#"{"session_id":"s","prompt":"kept \ude00\ud83d"}"#.to_vec()),
        ("invalid UTF-8", b"{\"session_id\":\"s\",\"prompt\":\"kept \xff\xfe\"}".to_vec()),
        ("deep nesting", deep.into_bytes()),
        ("cut off", br#"{"session_id":"s","prompt":"kept"#.to_vec()),
        ("more behind it", br#"{"session_id":"s","prompt":"kept"} trailing {"#.to_vec()),
        ("control characters", b"{\"session_id\":\"s\",\"prompt\":\"kept\x01\n\"}".to_vec()),
        ("wrong types", br#"{"session_id":"s","prompt":["kept"],"cwd":null,"model":7}"#.to_vec()),
    ] {
        let world = World::new();
        let output = world.hook(&["claude-code", "user-prompt-submit"], &stdin);
        let [event] = output.spooled.as_slice() else { panic!("{what}: not kept") };
        let EventBody::Prompt { text, .. } = &event.body else { panic!("{what}") };
        assert!(text.starts_with("kept"), "{what}: {text}");
    }
}

#[test]
fn ten_megabytes_are_cut_to_size() {
    let world = World::new();
    let text = format!("HEAD {} TAIL", "lorem ipsum ".repeat(900_000));
    let payload = json!({
        "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "cat big"},
        "tool_response": {"stdout": text}
    });
    let mut child = world.start(&["hook", "claude-code", "post-tool-use"]);
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(payload.to_string().as_bytes()).ok();
    drop(pipe);
    let output = world.finish(child);
    assert!(spool::encode(&output.spooled[0]).unwrap().len() <= 256 * 1024);
}

#[test]
fn a9_stdin_that_is_never_closed_is_not_waited_for() {
    let world = World::new();
    for (stdin, spooled) in [(world.prompt("whole"), 1), (b"{\"session_id\":".to_vec(), 1)] {
        let mut child = world.start(&["hook", "claude-code", "user-prompt-submit"]);
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(&stdin).unwrap();
        let output = world.finish(child);
        drop(pipe);
        assert_eq!(output.spooled.len(), spooled);
    }
}

#[test]
fn a_payload_that_never_comes_is_not_waited_for_and_told_as_lost() {
    let world = World::new();
    let mut child = world.start(&["hook", "claude-code", "stop"]);
    let pipe = child.stdin.take().unwrap();
    let output = world.finish(child);
    drop(pipe);
    assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", 0));
    assert!(world.log().contains(spool::LOST), "{}", world.log());
    // Nothing at all is no event.
    world.hook(&["claude-code", "stop"], b"");
    assert_eq!(world.log().matches(spool::LOST).count(), 1, "{}", world.log());
}

#[test]
fn a_reader_that_has_gone_away_is_no_trouble() {
    let world = World::new();
    let reply = json!({"kind": "context", "text": "x".repeat(9_000)});
    world.publish(listen(vec![stored(&reply)]).0);
    let mut child = world.start(&["hook", "claude-code", "session-start"]);
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(&any_payload(&world)).unwrap();
    world.finish(child);
}

#[test]
fn a_home_that_cannot_be_used_is_no_trouble() {
    let world = World::new();
    fs::remove_dir_all(&world.data).unwrap();
    fs::write(&world.data, "a file where the folder should be").unwrap();
    for event in EVENTS {
        assert_eq!(world.hook(&["claude-code", event], &any_payload(&world)).stdout, "");
    }
    let world = World::new();
    fs::write(world.data.join("config.toml"), "[nonsense").unwrap();
    let output = world.hook(&["claude-code", "stop"], &any_payload(&world));
    assert_eq!(output.spooled.len(), 1);
    assert!(world.log().contains("config.toml is not valid"));
}

#[test]
fn switched_off_projects_leave_no_trace() {
    let off = |prepare: fn(&World)| {
        let world = World::new();
        prepare(&world);
        for event in EVENTS {
            let output = world.hook(&["claude-code", event], &any_payload(&world));
            assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", 0), "{event}");
        }
    };
    off(|w| fs::write(w.data.join("paused"), "*\n").unwrap());
    off(|w| {
        let key = format!("name:x\ndir:{}\n", w.project.display());
        fs::write(w.data.join("paused"), key).unwrap();
    });
    off(|w| fs::write(w.project.join(".afterword.toml"), "enabled = false").unwrap());
    off(|w| {
        let config = format!("[capture]\nexcluded_paths = [\"{}\"]\n", w.project.display());
        fs::write(w.data.join("config.toml"), config).unwrap();
    });
}

#[test]
fn h6_h7_the_agents_project_folder_wins_over_a_folder_that_moves_or_is_missing() {
    let world = World::new();
    let web = world.project.join("web");
    fs::create_dir(&web).unwrap();
    let told = world.project.display().to_string();
    let world = world.set("CLAUDE_PROJECT_DIR", &told);
    for cwd in [json!(world.project), json!(web), json!("/nowhere"), Value::Null] {
        let payload = json!({"session_id": "s", "cwd": cwd, "prompt": "x"}).to_string();
        world.hook(&["claude-code", "user-prompt-submit"], payload.as_bytes());
    }
    let spooled = world.spooled();
    assert_eq!(spooled.len(), 4);
    assert!(spooled.iter().all(|e| e.project == spooled[0].project));
    assert_eq!(spooled[0].project.name, "项目 a b'c");
    assert_eq!(spooled[1].cwd.as_deref(), web.to_str());
}

#[test]
fn f3_private_text_is_in_neither_spool_nor_request() {
    let world = World::new();
    let prompt = world.prompt("open <private>canary-1</private> end");
    world.hook(&["claude-code", "user-prompt-submit"], &prompt);
    world
        .hook(&["claude-code", "user-prompt-submit"], &world.prompt("<private>canary-2</private>"));
    let (port, requests) = listen(vec![stored(&json!({"kind": "none"}))]);
    world.publish(port);
    world.hook(&["claude-code", "user-prompt-submit"], &prompt);
    let request = requests.recv().unwrap();
    let spooled = world.spooled();
    assert_eq!(spooled.len(), 2);
    assert!(!request.contains("canary") && !format!("{spooled:?}").contains("canary"));
    assert!(
        matches!(&spooled[1].body, EventBody::Prompt { text, private: true } if text.is_empty())
    );
}

#[test]
fn a4_b8_a_daemon_that_is_down_is_started_once() {
    let world = World::new();
    fs::remove_file(world.data.join("daemon.starting")).unwrap();
    // Whoever holds the lock is the daemon: the one that is started leaves again.
    let lock = File::create(world.data.join("daemon.lock")).unwrap();
    lock.lock().unwrap();
    for event in ["post-tool-use", "post-tool-use", "stop"] {
        world.hook(&["claude-code", event], &any_payload(&world));
    }
    let brake = fs::read_to_string(world.data.join("daemon.starting")).unwrap();
    // Two where more than a second passed between the first and the last.
    let attempts: u32 = brake.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((1..3).contains(&attempts), "{brake}");
    assert_eq!(world.spooled().len(), 3);
    // The one that waits for the lock must not get it when this test is over.
    world.publish(1);
    let started = brake.split_whitespace().find_map(|word| word.strip_prefix("pid=")).unwrap();
    let stat = format!("/proc/{started}/stat");
    eventually("the end of a daemon that finds another in charge", DEADLINE, || {
        let state = fs::read_to_string(&stat).unwrap_or_default();
        (state.is_empty() || state.contains(") Z ")).then_some(())
    });
}

#[cfg(unix)]
fn pipe(path: &std::path::Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a7_pipes_in_the_place_of_files_are_not_waited_for() {
    let world = World::new();
    let transcript = world.home.join("transcript.jsonl");
    pipe(&transcript);
    pipe(&world.project.join(".afterword.toml"));
    pipe(&world.project.join(".git/config"));
    fs::write(world.project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let payload = json!({
        "session_id": "s-1", "cwd": world.project, "transcript_path": transcript,
        "agent_transcript_path": transcript, "agent_type": "x", "agent_id": "a"
    });
    for (i, event) in ["stop", "subagent-stop", "session-start"].iter().enumerate() {
        let output = world.hook(&["claude-code", event], payload.to_string().as_bytes());
        assert_eq!(output.spooled.len(), i + 1, "{event}");
    }
    assert!(!world.log().contains("took too long"), "{}", world.log());
}

#[cfg(unix)]
#[test]
fn a6_a_hook_that_is_stuck_ends_itself() {
    let world = World::new();
    // Opened for writing, a pipe that nobody reads holds whoever opens it.
    pipe(&world.data.join("logs/hook.log"));
    for event in ["stop", "session-start"] {
        let output = world.hook(&["claude-code", event], b"no payload");
        assert_eq!((output.stdout.as_str(), output.spooled.len()), ("", 0), "{event}");
    }
}

#[test]
fn a9_a_payload_that_comes_late_is_taken_at_a_sessions_start() {
    let world = World::new();
    let mut child = world.start(&["hook", "claude-code", "session-start"]);
    let mut pipe = child.stdin.take().unwrap();
    // Longer than a capture waits; what is tested is the wait itself.
    thread::sleep(std::time::Duration::from_millis(400));
    pipe.write_all(&any_payload(&world)).unwrap();
    let output = world.finish(child);
    drop(pipe);
    assert_eq!(output.spooled.len(), 1);
}

#[test]
fn b4_a_payload_of_tiny_members_is_kept_within_its_size() {
    let world = World::new();
    let members: serde_json::Map<String, Value> =
        (0..200_000).map(|i| (format!("member-{i}"), json!(i))).collect();
    let payload = json!({
        "session_id": "s", "tool_name": "mcp__x__y", "tool_input": {}, "tool_response": members
    });
    let output = world.hook(&["claude-code", "post-tool-use"], payload.to_string().as_bytes());
    assert!(spool::encode(&output.spooled[0]).unwrap().len() <= 256 * 1024);
}
