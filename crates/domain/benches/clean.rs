//! How long cleaning takes at its worst: `cargo bench -p afterword-domain --bench clean`.
//!
//! The figures of `docs/reference/privacy.md`.

#![expect(clippy::print_stdout, reason = "a benchmark talks to people")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use afterword_domain::event::{Event, EventBody, ToolClass, ToolUse};
use afterword_domain::project::ProjectRef;
use afterword_domain::{Time, boundary, privacy, repair};
use serde_json::{Value, json};
use uuid::Uuid;

const MB: usize = 1 << 20;

/// The mean of five runs in processor time where the system tells it, so that a busy machine does
/// not decide; else the shortest by the clock.
fn measure(mut run: impl FnMut()) -> Duration {
    const RUNS: u32 = 5;
    let before = on_processor();
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let begun = Instant::now();
        run();
        least = least.min(begun.elapsed());
    }
    match (before, on_processor()) {
        (Some(before), Some(after)) => after.saturating_sub(before) / RUNS,
        _ => least,
    }
}

/// How long this thread has run; Linux counts it.
fn on_processor() -> Option<Duration> {
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn row(what: &str, took: Duration) {
    println!("{what:<52} {:>8.1} ms", took.as_secs_f64() * 1_000.0);
}

fn event(body: EventBody) -> Event {
    Event {
        uid: Uuid::nil(),
        at: Time::default(),
        agent: "claude-code".into(),
        agent_session_id: "s".into(),
        project: ProjectRef::named("p"),
        cwd: None,
        turn_id: None,
        subagent: None,
        model: None,
        transcript_path: None,
        body,
    }
}

fn shell(output: Value) -> EventBody {
    let (name, class) = ("Bash".to_owned(), ToolClass::Shell);
    EventBody::ToolUse { tool: ToolUse { name, class, output, ..ToolUse::default() } }
}

/// From the bytes of a payload to the bytes that are sent.
fn whole(payload: &[u8], body: impl Fn(Value) -> EventBody) -> Duration {
    measure(|| {
        let value = repair::parse(payload).expect("it is JSON");
        black_box(boundary::seal(event(body(value))));
    })
}

fn prompt(value: Value) -> EventBody {
    let Value::Object(mut members) = value else { return shell(value) };
    match members.remove("prompt") {
        Some(Value::String(text)) => EventBody::Prompt { text, private: false },
        _ => shell(Value::Object(members)),
    }
}

fn main() {
    println!("one text of 5 MB through the scanner");
    for piece in [
        "<",
        "<private>",
        "<p",
        "< ",
        "</",
        "＜",
        "<private a=\"",
        "<system-reminder>x</system-reminder>",
        "password=:",
        "TOKEN='",
        "--token ",
        "://a:@",
        "-----BEGIN PRIVATE KEY-----",
        "eyJaaaaaaaa.",
        "curl -H '",
        "Authorization: ",
        "a-",
        "a:",
        "x ",
        "fn main() { let x = self.next(); }\n",
    ] {
        let text = piece.repeat(5 * MB / piece.len());
        row(&format!("{piece:?}"), measure(|| drop(black_box(privacy::clean(&text)))));
    }
    println!("\na whole payload, parsed, sealed and encoded");
    for piece in ["<", "password=:", "plain words "] {
        let payload = json!({ "prompt": piece.repeat(15 * MB / piece.len()) }).to_string();
        row(&format!("15 MB prompt of {piece:?}"), whole(payload.as_bytes(), prompt));
    }
    let members: Value = (0..900_000).map(|i| (format!("k{i}"), Value::from(1))).collect();
    let payload = json!({ "tool_response": members }).to_string();
    row(&format!("{} MB of tiny members", payload.len() / MB), whole(payload.as_bytes(), shell));
    let fields: Vec<String> = (0..15).map(|_| "<p ".repeat(MB / 3)).collect();
    let payload = json!({ "tool_response": fields }).to_string();
    row("15 fields of 1 MB of \"<p \"", whole(payload.as_bytes(), shell));
    for piece in ["a-b-c-", "a.env-x\n", "x:y:z\n", ".env:1:X\n"] {
        let payload = json!({ "stdout": piece.repeat(15 * MB / piece.len()) }).to_string();
        row(&format!("15 MB output of {piece:?}"), whole(payload.as_bytes(), shell));
    }
    println!("\na sealed event, sealed again");
    let code = "fn main() { let x = self.next().unwrap(); }\n".repeat(700);
    let output = json!({ "stdout": vec![code; 7] });
    let sealed = boundary::seal(event(shell(output))).expect("it has a session");
    let took = measure(|| drop(black_box(boundary::seal(sealed.event.clone()))));
    row(&format!("{} KB of program text", sealed.bytes.len() / 1024), took);
}
