//! Live events from a real daemon, and `tail`, which follows them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use afterword_testkit::{Payload, Sandbox};
use serde_json::Value;

use crate::remember::{first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// Bounds a broken run; nothing that works comes near it.
const PATIENCE: Duration = Duration::from_mins(1);

/// One event as it stood on the wire.
#[derive(Debug, Default)]
struct Sent {
    id: Option<i64>,
    name: Option<String>,
    data: Value,
}

/// A watcher that reads the wire itself.
struct Watcher {
    reader: BufReader<TcpStream>,
}

impl Watcher {
    fn open(sandbox: &Sandbox, path: &str, last: Option<&str>) -> Self {
        let port = sandbox.endpoint().unwrap().port;
        let token = std::fs::read_to_string(sandbox.data().join("token")).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let last = last.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {}\r\n{last}\r\n",
            token.trim()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let head = head.to_lowercase();
        assert!(head.starts_with("http/1.1 200") && head.contains("text/event-stream"), "{head}");
        Self { reader }
    }

    /// The next event; none when the stream has ended.
    fn next(&mut self) -> Option<Sent> {
        let mut sent = Sent::default();
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let line = line.trim_end_matches(['\r', '\n']);
            match line.split_once(": ") {
                Some(("id", id)) => sent.id = Some(id.parse().unwrap()),
                Some(("event", name)) => sent.name = Some(name.to_owned()),
                Some(("data", data)) => sent.data = serde_json::from_str(data).unwrap(),
                _ if line.is_empty() && !sent.data.is_null() => return Some(sent),
                // Chunk sizes, remarks, and how soon to connect again.
                _ => {}
            }
        }
    }

    /// The next event that is kept.
    fn kept(&mut self) -> Sent {
        loop {
            let sent = self.next().expect("the stream goes on");
            if sent.id.is_some() {
                return sent;
            }
        }
    }
}

fn remember(sandbox: &Sandbox, text: &str) {
    drop(sandbox.afterword(&["remember", text]).success());
}

#[test]
fn the_unnamed_stream_speaks_the_observers_words() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let mut watcher = Watcher::open(&sandbox, "/stream", None);
    let hello = watcher.next().unwrap();
    assert_eq!((hello.data["type"].as_str(), hello.id), (Some("connected"), None));
    assert!(hello.data["timestamp"].as_i64() > Some(0));
    let load = watcher.next().unwrap();
    assert_eq!(load.data["type"], "initial_load");
    for list in ["projects", "sources"] {
        assert!(load.data[list].is_array(), "{:?}", load.data);
    }
    assert!(load.data["projectsBySource"].is_object());
    first_session(&sandbox);
    let (mut types, mut passing) = (Vec::new(), Vec::new());
    loop {
        let sent = watcher.next().unwrap();
        assert_eq!(sent.name, None, "the type stands in the data only");
        let kind = sent.data["type"].as_str().unwrap().to_owned();
        match kind.as_str() {
            "new_observation" => {
                let row = &sent.data["observation"];
                // Lists are texts that hold JSON.
                let files = row["files_modified"].as_str().unwrap();
                assert!(serde_json::from_str::<Value>(files).unwrap().is_array(), "{row}");
                assert!(row["created_at_epoch"].is_i64() && row["project"] == "demo-project");
                assert_eq!(row["platform_source"], "claude");
                assert!(row["memory_session_id"].is_string() && row["title"].is_string());
            }
            "new_summary" => assert!(sent.data["summary"]["request"].is_string()),
            "new_prompt" => {
                let row = &sent.data["prompt"];
                assert_eq!(row["prompt_number"], 1);
                assert!(row["prompt_text"].as_str().unwrap().contains("retry queue"), "{row}");
            }
            "session_started" | "session_completed" => {
                assert!(sent.data["sessionDbId"].is_i64() && sent.data["project"].is_string());
            }
            "observation_queued" => assert!(sent.data["sessionDbId"].is_i64()),
            "processing_status" => assert!(sent.data["isProcessing"].is_boolean()),
            "row_changed" | "replaced" => {}
            other => panic!("{other} was not expected: {:?}", sent.data),
        }
        if sent.id.is_some() {
            types.push(kind);
        } else {
            passing.push(kind);
        }
        let all = ["session_started", "new_prompt", "new_observation", "session_completed"];
        if all.iter().all(|wanted| types.iter().any(|kind| kind == wanted)) {
            break;
        }
    }
    assert_eq!(types[..2], ["session_started", "new_prompt"], "in the order of what happened");
    assert!(passing.iter().any(|kind| kind == "observation_queued"), "{passing:?}");
    assert!(passing.iter().any(|kind| kind == "processing_status"), "{passing:?}");
}

#[test]
fn ids_survive_a_killed_daemon_and_what_was_missed_comes_again_under_either_name() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let mut watcher = Watcher::open(&sandbox, "/api/events/stream", None);
    remember(&sandbox, "one");
    let one = watcher.kept();
    assert_eq!(
        (one.name.as_deref(), one.data["entry"]["title"].as_str()),
        (Some("new_memory"), Some("one"))
    );
    remember(&sandbox, "two");
    sandbox.kill_daemon();
    remember(&sandbox, "three");
    let last = one.id.unwrap().to_string();
    for (path, header) in [
        ("/api/events/stream".to_owned(), Some(last.as_str())),
        ("/stream".to_owned(), Some(last.as_str())),
        (format!("/api/events/stream?lastEventId={last}"), None),
        (format!("/stream?lastEventId={last}"), None),
        // What a browser saw since goes before where it began.
        (format!("/stream?lastEventId={}", i64::MAX), Some(last.as_str())),
    ] {
        let mut watcher = Watcher::open(&sandbox, &path, header);
        let (two, three) = (watcher.kept(), watcher.kept());
        assert_eq!(
            (two.data["entry"]["title"].as_str(), three.data["entry"]["title"].as_str()),
            (Some("two"), Some("three")),
            "{path}"
        );
        assert!(one.id < two.id && two.id < three.id);
        assert_eq!(two.name.is_some(), path.starts_with("/api/"));
    }
}

#[test]
fn a_place_that_is_not_known_is_said_to_be_missed_and_it_goes_on() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    remember(&sandbox, "one");
    for last in ["999999", "-1", "o12", "9e9"] {
        let mut watcher = Watcher::open(&sandbox, "/api/events/stream", Some(last));
        let missed = watcher.kept();
        assert_eq!(missed.name.as_deref(), Some("missed"), "{last}: {missed:?}");
        assert_eq!(missed.data["resumeFrom"], missed.id.unwrap());
        remember(&sandbox, &format!("after {last}"));
        assert_eq!(watcher.kept().data["entry"]["title"], format!("after {last}"));
    }
}

#[test]
fn forgetting_is_told_and_ends_what_can_be_told_again() {
    let sandbox = Sandbox::new(BIN);
    remember(&sandbox, "the canary is yellow");
    remember(&sandbox, "the end");
    let mut watcher = Watcher::open(&sandbox, "/api/events/stream", Some("0"));
    assert_eq!(watcher.kept().data["entry"]["id"], "m1");
    drop(sandbox.afterword(&["forget", "m1"]).success());
    assert_eq!(watcher.kept().data["entry"]["id"], "m2");
    let forgotten = watcher.kept();
    assert_eq!(forgotten.name.as_deref(), Some("forgotten"));
    assert_eq!(forgotten.data["ids"][0], "m1");
    let mut again = Watcher::open(&sandbox, "/api/events/stream", Some("0"));
    let told = [again.kept(), again.kept()];
    assert!(!format!("{told:?}").contains("canary"), "{told:?}");
    assert_eq!(told[1].name.as_deref(), Some("forgotten"));
}

#[test]
fn only_so_many_watch_and_everybody_else_is_still_answered() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let watchers: Vec<Watcher> =
        (0..64).map(|_| Watcher::open(&sandbox, "/stream", None)).collect();
    let refused = sandbox.afterword(&["tail"]);
    assert_eq!(refused.code, Some(4));
    assert!(refused.stderr.contains("too many watch"), "{}", refused.stderr);
    remember(&sandbox, "still here");
    drop(watchers);
    // Their places are free as soon as the server has seen them go.
    afterword_testkit::eventually("room for one more", PATIENCE, || {
        let port = sandbox.endpoint()?.port;
        let token = std::fs::read_to_string(sandbox.data().join("token")).ok()?;
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        let head = format!(
            "GET /stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {}\r\n\r\n",
            token.trim()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).ok()?;
        (&answer == b"HTTP/1.1 200").then_some(())
    });
}

/// A running `tail` whose lines come one by one.
struct Tail {
    child: Child,
    lines: Receiver<String>,
}

impl Tail {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut command = sandbox.command(BIN);
        command.arg("tail").args(args).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let (send, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                // The test may have ended.
                send.send(line).ok();
            }
        });
        Self { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line comes")
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn tail_goes_on_by_itself_after_a_restart_and_loses_nothing() {
    let sandbox = Sandbox::new(BIN);
    remember(&sandbox, "one");
    let tail = Tail::start(&sandbox, &["--after", "0"]);
    assert!(tail.line().contains("one"));
    for killed in [true, false] {
        if killed {
            sandbox.kill_daemon();
        } else {
            drop(sandbox.afterword(&["daemon", "restart"]).success());
        }
        remember(&sandbox, &format!("after {killed}"));
        let line = tail.line();
        assert!(line.contains(&format!("after {killed}")), "{line}");
        assert!(!line.contains('\u{1b}'), "no colour for a pipe: {line:?}");
    }
}

#[test]
fn tail_keeps_to_its_filters_and_json_carries_the_ids() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    settle(&sandbox);
    let other = sandbox.another_project("second");
    let mut command = sandbox.command(BIN);
    command.current_dir(&other).args(["remember", "elsewhere"]);
    drop(sandbox.run(command, b"").success());
    let json = |args: &[&str]| {
        let tail = Tail::start(&sandbox, args);
        move || serde_json::from_str::<Value>(&tail.line()).unwrap()
    };
    let first = json(&["--json", "--after", "0", "--kind", "memory"])();
    assert_eq!(
        (first["type"].as_str(), first["entry"]["title"].as_str()),
        (Some("new_memory"), Some("elsewhere"))
    );
    assert!(first["event_id"].as_i64() > Some(0), "{first}");
    let next = json(&["--json", "--after", "0", "--project", "second"]);
    assert_eq!(next()["entry"]["title"], "elsewhere");
    let start = sandbox.send(&Payload::session_start("startup").session("here")).success();
    drop(start);
    let mut command = sandbox.command(BIN);
    command.current_dir(&other).args(["remember", "there again"]);
    drop(sandbox.run(command, b"").success());
    assert_eq!(next()["entry"]["title"], "there again", "what happens elsewhere is left out");
    assert_eq!(sandbox.afterword(&["tail", "--project", "nowhere"]).code, Some(2));
    assert_eq!(sandbox.afterword(&["tail", "--kind", "banana"]).code, Some(2));
}
