//! Whole-process measures: the hook as an agent runs it, the daemon as people have it.
//!
//! `cargo bench --bench process -- [--rows 10000] [--runs 200]` prints the rows of
//! `docs/reference/performance.md`. Everything runs in a temporary home, on loopback.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to people")]

mod measure;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use afterword::client::Client;
use afterword::config::Home;
use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody, ToolClass, ToolUse};
use afterword_domain::project::ProjectRef;
use afterword_domain::wire::status::Status;
use measure::{Dice, Spread, Vocabulary, children_cpu_ms, resident_mb, spread};
use serde_json::json;
use uuid::Uuid;

const EXE: &str = env!("CARGO_BIN_EXE_afterword");

/// A temporary home with a project in it, and its daemon.
struct Bench {
    folder: tempfile::TempDir,
    daemon: Option<Child>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(folder.path().join("shop")).expect("a project folder");
        Self { folder, daemon: None }
    }

    fn home(&self) -> Home {
        Home::new(self.folder.path().join("memory"))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("AFTERWORD_HOME", self.home().folder())
            .env("AFTERWORD_PORT", "0")
            .env("AFTERWORD_LOG", "warn")
            .current_dir(self.folder.path().join("shop"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Starts the daemon; gives the time until it answers.
    fn start(&mut self) -> Duration {
        let begun = Instant::now();
        let child = self.command(EXE).args(["daemon", "run"]).spawn().expect("the daemon starts");
        self.daemon = Some(child);
        loop {
            let budget = Duration::from_millis(200);
            if Client::find(&self.home(), budget).is_ok_and(|c| c.ping().is_ok()) {
                return begun.elapsed();
            }
            std::thread::sleep(Duration::from_micros(300));
        }
    }

    fn stop(&mut self) {
        if let Some(mut child) = self.daemon.take() {
            drop(self.command(EXE).args(["daemon", "stop"]).status());
            drop(child.wait());
        }
    }

    fn pid(&self) -> u32 {
        self.daemon.as_ref().map_or(0, Child::id)
    }

    fn client(&self) -> Client {
        Client::find(&self.home(), Duration::from_secs(30)).expect("the daemon runs")
    }

    fn status(&self) -> Status {
        self.client().call("GET", "/api/stats", None).expect("the daemon answers")
    }

    /// Waits until nothing is left to distil.
    fn settle(&self) {
        while self.status().waiting > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn hook(&self, event: &str, payload: &str) -> Duration {
        Self::hook_by(self.command(EXE), event, payload)
    }

    fn hook_by(mut command: Command, event: &str, payload: &str) -> Duration {
        let begun = Instant::now();
        let mut child = command
            .args(["hook", "claude-code", event])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the hook starts");
        if let Some(mut stdin) = child.stdin.take() {
            drop(stdin.write_all(payload.as_bytes()));
        }
        drop(child.wait_with_output());
        begun.elapsed()
    }

    fn project_path(&self) -> PathBuf {
        self.folder.path().join("shop")
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.stop();
    }
}

fn option(name: &str, default: usize) -> usize {
    let args: Vec<String> = std::env::args().collect();
    args.iter()
        .position(|a| a == name)
        .and_then(|i| args.get(i + 1)?.parse().ok())
        .unwrap_or(default)
}

fn main() {
    // `cargo test --benches` only asks whether this compiles.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let (rows, runs) = (option("--rows", 10_000), option("--runs", 200));
    let mut bench = Bench::new();
    bench.start();
    fill(&bench, rows);
    println!("| what | p50 | p95 | p99 | note |\n| --- | --- | --- | --- | --- |");
    let mut starts: Vec<Duration> = (0..20)
        .map(|_| {
            bench.stop();
            bench.start()
        })
        .collect();
    line("daemon start to ready, ms", spread(&mut starts), &format!("{rows} observations"));
    std::thread::sleep(Duration::from_secs(2));
    println!(
        "| daemon resident, idle, MB | {:.1} | | | {rows} observations |",
        resident_mb(bench.pid())
    );
    hooks(&bench, rows, runs);
    intake(&bench);
    println!("| daemon resident after load, MB | {:.1} | | | |", resident_mb(bench.pid()));
    let size = std::fs::metadata(EXE).map_or(0, |m| m.len());
    #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
    let size = size as f64 / 1_048_576.0;
    println!("| binary, MB | {size:.1} | | | |");
}

fn line(what: &str, s: Spread, note: &str) {
    println!("| {what} | {:.2} | {:.2} | {:.2} | {note} |", s.p50, s.p95, s.p99);
}

/// Observations of the project, through the import that people use.
fn fill(bench: &Bench, rows: usize) {
    let vocabulary = Vocabulary::new(20_000);
    let mut dice = Dice::new(1);
    let path = bench.folder.path().join("rows.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    for i in 0..rows {
        let row = json!({
            "kind": "observation",
            "title": vocabulary.text(&mut dice, 8),
            "text": vocabulary.text(&mut dice, 60),
            "files": [format!("src/{}.rs", vocabulary.word(&mut dice))],
            "created_at": 1_760_000_000_000_i64 + i64::try_from(i).unwrap_or(0) * 60_000,
        });
        writeln!(file, "{row}").expect("the disk has room");
    }
    drop(file);
    let begun = Instant::now();
    let done = bench.command(EXE).args(["import", "file"]).arg(&path).status().expect("it runs");
    assert!(done.success(), "the import failed");
    eprintln!("imported {rows} rows in {:.1} s", begun.elapsed().as_secs_f64());
}

fn hooks(bench: &Bench, rows: usize, runs: usize) {
    let cwd = bench.project_path();
    let tool = |i: usize| {
        json!({
            "session_id": "bench", "cwd": cwd, "hook_event_name": "PostToolUse",
            "prompt_id": "p", "tool_name": "Bash", "tool_use_id": format!("toolu_{i}"),
            "tool_input": {"command": "cargo test"},
            "tool_response": {"stdout": "x".repeat(12_000), "stderr": ""},
        })
        .to_string()
    };
    let start = |i: usize| {
        json!({
            "session_id": format!("start-{i}"), "cwd": cwd,
            "hook_event_name": "SessionStart", "source": "startup",
        })
        .to_string()
    };
    for i in 0..10 {
        bench.hook("post-tool-use", &tool(1_000_000 + i));
    }
    let guarded = json!({
        "session_id": "bench", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": "/a/b.rs", "content": "x".repeat(12_000)},
    })
    .to_string();
    let (mut floor, mut capture) = (Vec::new(), Vec::new());
    let (mut off, mut guard) = (Vec::new(), Vec::new());
    for i in 0..runs {
        let begun = Instant::now();
        drop(bench.command("/bin/true").status());
        floor.push(begun.elapsed());
        let mut switched_off = bench.command(EXE);
        switched_off.env("AFTERWORD_DISABLED", "1");
        off.push(Bench::hook_by(switched_off, "post-tool-use", &tool(i)));
        guard.push(bench.hook("pre-tool-use", &guarded));
        capture.push(bench.hook("post-tool-use", &tool(i)));
    }
    line("spawn of /bin/true, ms", spread(&mut floor), "the floor");
    line("hook switched off, ms", spread(&mut off), "start of this program");
    line("guard hook, ms", spread(&mut guard), "reads 12 kB, finds the project, asks nobody");
    line("capture hook, whole process, ms", spread(&mut capture), "12.7 kB payload");
    let before = children_cpu_ms();
    for i in 0..runs {
        bench.hook("post-tool-use", &tool(500_000 + i));
    }
    #[expect(clippy::cast_precision_loss, reason = "runs are few")]
    let cpu = (children_cpu_ms() - before) / runs as f64;
    println!("| capture hook, CPU, ms | {cpu:.2} | | | mean of {runs} |");
    bench.settle();
    let mut starts: Vec<Duration> =
        (0..runs).map(|i| bench.hook("session-start", &start(i))).collect();
    line("session-start hook, ms", spread(&mut starts), &format!("{rows} observations"));
}

/// Events over HTTP from four callers at once, one connection an event as hooks make them.
fn intake(bench: &Bench) {
    const CALLERS: usize = 4;
    const SECONDS: u64 = 5;
    let before = bench.status().stored;
    let sent = AtomicU64::new(0);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let (client, sent) = (bench.client(), &sent);
            scope.spawn(move || {
                let mut n = 0_u64;
                while begun.elapsed() < Duration::from_secs(SECONDS) {
                    let event = event(caller, n);
                    let answer = client.post_json("/api/events", &event);
                    assert!(answer.is_ok_and(|a| a.status == 200), "an event was refused");
                    n += 1;
                }
                sent.fetch_add(n, Ordering::Relaxed);
            });
        }
    });
    let seconds = begun.elapsed().as_secs_f64();
    let (sent, stored) = (sent.load(Ordering::Relaxed), bench.status().stored - before);
    assert_eq!(sent, stored, "events were lost");
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let rate = sent as f64 / seconds;
    println!(
        "| intake over HTTP, events/s | {rate:.0} | | | 2 kB events, {CALLERS} callers, none lost |"
    );
}

fn event(caller: usize, n: u64) -> Event {
    let tool = ToolUse {
        name: "Bash".into(),
        class: ToolClass::Shell,
        call_id: Some(format!("{caller}-{n}")),
        input: json!({"command": "cargo test"}),
        output: json!({"stdout": "y".repeat(2_000)}),
        command: Some("cargo test".into()),
        ..ToolUse::default()
    };
    Event {
        uid: Uuid::new_v4(),
        at: Time::from_millis(1_790_000_000_000 + i64::try_from(n).unwrap_or(0)),
        agent: "claude-code".into(),
        // A new turn every hundred events, as in a lively session.
        agent_session_id: format!("load-{caller}-{}", n / 100),
        project: ProjectRef::named("load"),
        cwd: None,
        turn_id: Some("t".into()),
        subagent: None,
        model: None,
        transcript_path: None,
        body: EventBody::ToolUse { tool },
    }
}
