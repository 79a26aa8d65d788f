//! What the daemon is given is bounded: memory, log, payloads, the queue's start, everybody's turn.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use afterword::client::Client;
use afterword::config::Home;
use afterword_store::sqlite::faults::Faults;
use afterword_testkit::{Payload, Sandbox, eventually, setting};
use serde_json::{Value, json};

use crate::durability::assert_adds_up;
use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// Bounds a broken run.
const DEADLINE: Duration = Duration::from_mins(1);

/// Callers at a time that send as fast as they are answered.
const SENDERS: usize = 8;

/// Most bytes of the log while nothing reads for long.
const LOG_BYTES: u64 = 20 << 20;

fn faults(sandbox: &Sandbox) -> Faults {
    Faults::of(&sandbox.data().join("afterword.db"))
}

fn client(sandbox: &Sandbox) -> Client {
    Client::find(&Home::new(sandbox.data()), DEADLINE).unwrap()
}

#[track_caller]
fn post(client: &Client, path: &str, body: &Value) -> Value {
    let answer = client.post_json(path, body).unwrap();
    assert_eq!(answer.status, 200, "{path} {body:.200}");
    serde_json::from_slice(&answer.body).unwrap()
}

/// An edit of 20 KB, twenty of them to a session.
fn big_edit(project: &Path, n: usize) -> Value {
    json!({
        "claudeSessionId": format!("s{}", n / 20), "cwd": project,
        "tool_name": "Edit", "tool_response": format!("{n} {}", "ok ".repeat(3_000)),
        "tool_input": { "file_path": format!("src/file_{n}.rs"),
                        "old_string": format!("{n}"), "new_string": "word ".repeat(2_200) },
    })
}

/// Resident memory of a process in KiB.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// What a daemon took at most while events came in.
#[derive(Clone, Copy, Debug, Default)]
struct Peak {
    memory_kib: u64,
    log_bytes: u64,
}

/// What a load of events did.
#[derive(Debug)]
struct Load {
    /// While its first half came in, without the first tenth, which fills caches.
    first: Peak,
    /// While its second half came in.
    second: Peak,
    stored: u64,
    seconds: u64,
}

/// Sends events of 20 KB to the daemon as hooks do.
fn load(events: usize) -> Load {
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    let client = client(&sandbox);
    let log = sandbox.data().join("afterword.db-wal");
    let begun = Instant::now();
    let between = |from: usize, to: usize| {
        let (next, memory, bytes) = (AtomicUsize::new(from), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..SENDERS {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n >= to {
                            return;
                        }
                        let body = big_edit(sandbox.project(), n);
                        post(&client, "/api/sessions/observations", &body);
                        memory.fetch_max(resident(pid), Ordering::Relaxed);
                        let length = fs::metadata(&log).map_or(0, |m| m.len());
                        bytes.fetch_max(length, Ordering::Relaxed);
                    }
                });
            }
        });
        Peak { memory_kib: memory.into_inner(), log_bytes: bytes.into_inner() }
    };
    between(0, events / 10);
    let first = between(events / 10, events * 55 / 100);
    let second = between(events * 55 / 100, events);
    let status = settle(&sandbox);
    assert_adds_up(&status);
    let stored = status["stored"].as_u64().unwrap();
    assert_eq!(stored, events as u64);
    Load { first, second, stored, seconds: begun.elapsed().as_secs() }
}

#[test]
fn b4_memory_and_log_do_not_grow_with_the_events() {
    let load = load(3_000);
    assert!(load.second.memory_kib * 100 <= load.first.memory_kib * 125, "{load:?}");
    assert!(load.first.log_bytes.max(load.second.log_bytes) <= LOG_BYTES, "{load:?}");
}

/// Goes on for minutes, so only where `cargo xtask soak` asks for it.
#[test]
#[expect(clippy::print_stdout, reason = "a long run tells what it did")]
fn soak_memory_and_log() {
    let Some(events) = setting("SOAK_EVENTS").filter(|n| *n > 0) else { return };
    let load = load(usize::try_from(events).unwrap());
    println!(
        "{events} events of 20 KB in, {} out, {} s: at most {} KiB and {} KiB resident in the \
         first and second half, log at most {} KiB",
        load.stored,
        load.seconds,
        load.first.memory_kib,
        load.second.memory_kib,
        load.first.log_bytes.max(load.second.log_bytes) / 1024,
    );
    assert!(load.second.memory_kib * 100 <= load.first.memory_kib * 110, "{load:?}");
    assert!(load.first.log_bytes.max(load.second.log_bytes) <= LOG_BYTES, "{load:?}");
}

/// How long a daemon takes from its start until it answers with this many turns waiting, and the
/// events that wait then.
fn start_with(turns: u64) -> (Duration, u64) {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    sandbox.send(&Payload::stop("The journal is written first.").session("s")).success();
    settle(&sandbox);
    sandbox.afterword(&["daemon", "stop"]).success();
    faults(&sandbox).make_turns_wait(turns);
    let begun = Instant::now();
    sandbox.afterword(&["daemon", "start"]).success();
    let took = begun.elapsed();
    let status = sandbox.afterword(&["status", "--json"]).success().json();
    assert_adds_up(&status);
    assert_eq!(status["stored"], turns + 1, "{status}");
    // It works on them: turns come out while the others wait.
    let before = status["waiting"].as_u64().unwrap();
    sandbox.wait_for_status("a turn is distilled", |s| s["waiting"].as_u64().unwrap() < before);
    (took, before)
}

#[test]
fn i9_a_long_queue_starts_like_a_short_one() {
    let ((few, _), (many, waiting)) = (start_with(500), start_with(50_000));
    assert!(waiting > 40_000, "{waiting} wait");
    assert!(many < few * 10 + Duration::from_millis(200), "{few:?} and {many:?}");
}

/// Writes a million turns first, so only where `cargo xtask soak` asks for it.
#[test]
#[expect(clippy::print_stdout, reason = "a long run tells what it did")]
fn soak_queue() {
    let Some(turns) = setting("SOAK_TURNS").filter(|n| *n > 0) else { return };
    let ((few, _), (many, waiting)) = (start_with(turns / 100), start_with(turns));
    println!(
        "start to the first answer: {} ms with {} turns waiting, {} ms with {turns} ({waiting} \
         still wait at the first look)",
        few.as_millis(),
        turns / 100,
        many.as_millis(),
    );
    assert!(many < few * 10 + Duration::from_millis(200), "{few:?} and {many:?}");
}

/// What one hot session and others beside it did.
#[derive(Debug)]
struct Beside {
    hot: usize,
    seconds: f64,
    /// From the last event of a session until its work is found, the longest.
    slowest: Duration,
}

/// One session sends without a pause, a turn every five events, until each of the others has sent
/// five events and what it did is found.
fn beside_a_hot_session(others: usize) -> Beside {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let client = client(&sandbox);
    let (over, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    let edit = |session: &str, file: &str| {
        json!({ "claudeSessionId": session, "cwd": sandbox.project(), "tool_name": "Edit",
                "tool_input": { "file_path": file, "old_string": "a", "new_string": "b" },
                "tool_response": "ok" })
    };
    let prompt = |session: &str, text: &str| {
        json!({ "claudeSessionId": session, "cwd": sandbox.project(), "project": "demo-project",
                "userPrompt": text })
    };
    let begun = Instant::now();
    let slowest = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let n = sent.fetch_add(1, Ordering::Relaxed);
                    if n % 5 == 0 {
                        post(&client, "/sessions/init", &prompt("hot", &format!("Turn {n}")));
                    } else {
                        let file = format!("src/hot_{n}.rs");
                        post(&client, "/api/sessions/observations", &edit("hot", &file));
                    }
                }
            });
        }
        let slowest = (0..others).map(|other| one_beside(&client, other, &edit, &prompt)).max();
        over.store(true, Ordering::Relaxed);
        slowest.unwrap()
    });
    let seconds = begun.elapsed().as_secs_f64();
    let hot = sent.into_inner();
    let status = settle(&sandbox);
    assert_adds_up(&status);
    assert_eq!(status["stored"], hot + others * 6, "{status}");
    Beside { hot, seconds, slowest }
}

/// A session of a prompt, four edits and an answer; from its end until its work is found.
fn one_beside(
    client: &Client,
    other: usize,
    edit: &dyn Fn(&str, &str) -> Value,
    prompt: &dyn Fn(&str, &str) -> Value,
) -> Duration {
    let session = format!("quiet-{other}");
    post(client, "/sessions/init", &prompt(&session, "Do a little"));
    for n in 0..4 {
        let body = edit(&session, &format!("src/quiet{other}x{n}.rs"));
        post(client, "/api/sessions/observations", &body);
    }
    let stop = json!({ "claudeSessionId": session, "last_assistant_message": "Done." });
    let ended = Instant::now();
    post(client, "/api/sessions/summarize", &stop);
    let wanted = json!({ "query": format!("quiet{other}x3"), "kind": "observation" });
    eventually("the work of a session beside a hot one", DEADLINE, || {
        let found = post(client, "/api/search", &wanted);
        (found["total"].as_u64() > Some(0)).then_some(())
    });
    ended.elapsed()
}

#[test]
fn i8_one_hot_session_keeps_no_other_waiting() {
    let beside = beside_a_hot_session(5);
    assert!(beside.hot > 100, "it was hot: {beside:?}");
}

/// Goes on for minutes, so only where `cargo xtask soak` asks for it.
#[test]
#[expect(clippy::print_stdout, reason = "a long run tells what it did")]
fn soak_beside_a_hot_session() {
    let Some(others) = setting("SOAK_BESIDE").filter(|n| *n > 0) else { return };
    let beside = beside_a_hot_session(usize::try_from(others).unwrap());
    println!(
        "{others} sessions beside one that sent {} events ({:.0} a second): the work of each was \
         found at most {} ms after its end",
        beside.hot,
        f64::from(u32::try_from(beside.hot).unwrap()) / beside.seconds,
        beside.slowest.as_millis(),
    );
}

#[test]
fn e9_raw_payloads_stay_within_their_budget_and_rows_stay() {
    let sandbox = Sandbox::new(BIN);
    fs::create_dir_all(sandbox.data()).unwrap();
    fs::write(sandbox.data().join("config.toml"), "[retention]\nraw_events_mb = 1\n").unwrap();
    sandbox.start_daemon();
    let client = client(&sandbox);
    for n in 0..200 {
        post(&client, "/api/sessions/observations", &big_edit(sandbox.project(), n));
    }
    let status = settle(&sandbox);
    assert_adds_up(&status);
    assert_eq!(status["stored"], 200, "{status}");
    assert_eq!(status["distilled"], 200);
    let left = || faults(&sandbox).payloads().1;
    eventually("payloads are trimmed", DEADLINE, || (left() <= 1_000_000).then_some(()));
    assert!(left() > 800_000, "the newest stay: {}", left());
    assert_eq!(faults(&sandbox).newest_payload(), 200);
    for n in [0, 199] {
        let found = sandbox.afterword(&["search", &format!("file_{n}.rs"), "--json"]);
        assert!(found.success().json()["total"].as_u64() > Some(0), "file_{n}");
    }
    assert_adds_up(&settle(&sandbox));
}

#[test]
fn i7_a_payload_of_ten_megabytes_is_cut_with_a_mark() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let big = "words of a very long file\n".repeat(400_000);
    sandbox.send(&Payload::read("src/big.txt", &big).session("s")).success();
    // A hook that was too slow for the daemon's answer has spooled it, perhaps as well.
    sandbox.send(&Payload::edit("src/a.rs", "a", "b").session("s")).success();
    let status = settle(&sandbox);
    assert_adds_up(&status);
    assert_eq!(status["stored"], 2, "{status}");
    let payload = faults(&sandbox).largest_payload();
    assert!(payload.len() < 200_000, "{} bytes", payload.len());
    assert!(payload.contains("bytes left out …]"), "{}", &payload[..400]);
}
