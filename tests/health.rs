//! Trouble that lasts is told once, at a session's start, to the person and not to the model.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use afterword::client::Client;
use afterword::config::{Home, SystemClock};
use afterword_domain::{Clock as _, Time};
use afterword_engine::{Engine, Settings};
use afterword_store::Store;
use afterword_store::sqlite::SqliteStore;
use afterword_testkit::{Payload, Sandbox};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::remember::{first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// What a session's start prints; null when it prints nothing.
fn start(sandbox: &Sandbox, session: &str) -> Value {
    let output = sandbox.send(&Payload::session_start("startup").session(session)).success();
    assert_eq!(output.stderr, "");
    if output.stdout.is_empty() { Value::Null } else { output.json() }
}

/// The line for the person, which is one, and says what to run.
#[track_caller]
fn line(reply: &Value) -> &str {
    let line = reply["systemMessage"].as_str().unwrap_or_else(|| panic!("no line in {reply}"));
    assert_eq!(line.lines().count(), 1, "{line}");
    assert_eq!(line.matches("afterword doctor").count(), 1, "{line}");
    line
}

fn event_files(sandbox: &Sandbox) -> usize {
    fs::read_dir(sandbox.data().join("spool")).map_or(0, Iterator::count)
}

/// Leaves a turn behind that has failed three times, as a daemon would.
fn park_a_turn(sandbox: &Sandbox) {
    sandbox.afterword(&["daemon", "stop"]).success();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let database = sandbox.data().join("afterword.db");
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&database).unwrap());
        let settings = Settings {
            skip_tools: HashSet::new(),
            session_context: false,
            prompt_recall: false,
            file_recall: false,
            retention: afterword_engine::Retention::default(),
        };
        let engine = Engine::new(Arc::clone(&store), Arc::new(SystemClock), settings);
        let event = json!({
            "uid": "019ab7a0-0000-7000-8000-000000000001", "at": SystemClock.now(),
            "agent": "claude-code", "agent_session_id": "poison",
            "project": { "name": "demo-project" },
            "body": { "kind": "stop", "answer": "This turn cannot be distilled." },
        });
        engine.intake(vec![serde_json::from_value(event).unwrap()]).await.unwrap();
        let now = SystemClock.now().plus_millis(60_000);
        let mut parked = false;
        while let Some(job) = store.claim_job(now).await.unwrap() {
            parked = store.fail_job(&job, "it fails", now).await.unwrap();
        }
        assert!(parked);
        store.checkpoint().await.unwrap();
    });
}

#[test]
fn a2_a_thousand_failing_hooks_block_nobody_and_the_next_start_says_so_once() {
    let sandbox = Sandbox::new(BIN);
    let away = sandbox.keep_daemon_away();
    for n in 0..1_000 {
        let edit = Payload::edit("src/a.rs", "a", &n.to_string()).session("s");
        let output = sandbox.send(&edit);
        assert_eq!(
            (output.code, output.stdout.as_str(), output.stderr.as_str()),
            (Some(0), "", "")
        );
    }
    let reply = start(&sandbox, "next");
    assert!(line(&reply).contains("1001 events wait"), "{reply}");
    assert_eq!(reply.as_object().unwrap().len(), 1, "nothing for the model: {reply}");
    let prompt = sandbox.send(&Payload::prompt("go on").session("next")).success();
    assert_eq!(prompt.stdout, "", "only a start says it");
    assert_eq!(event_files(&sandbox), 1_002);
    drop(away);
    sandbox.start_daemon();
    let status = settle(&sandbox);
    assert_eq!(status["stored"], 1_002, "none is lost: {status}");
    assert_eq!(start(&sandbox, "after")["systemMessage"], Value::Null, "all is well again");
}

#[test]
fn a_database_that_is_refused_is_told_by_the_hook_and_by_every_command() {
    let sandbox = Sandbox::new(BIN);
    fs::create_dir_all(sandbox.data()).unwrap();
    let database = sandbox.data().join("afterword.db");
    let garbage = b"this is no database, and nobody may touch it".repeat(200);
    fs::write(&database, &garbage).unwrap();
    let reply = start(&sandbox, "one");
    assert!(line(&reply).contains("nothing is remembered for now"), "{reply}");
    let status = sandbox.afterword(&["status", "--json"]);
    assert_eq!(status.code, Some(4), "{}", status.stderr);
    let fields = status.json();
    assert_eq!((&fields["spooled"], &fields["stored"]), (&json!(1), &Value::Null), "{fields}");
    assert!(fields["error"].as_str().is_some_and(|e| !e.is_empty()));
    let status = sandbox.afterword(&["status"]);
    assert_eq!(status.code, Some(4));
    assert!(status.stdout.contains("spooled") && status.stderr.contains("error:"), "{status:?}");
    assert_ne!(sandbox.afterword(&["doctor"]).code, Some(0));
    assert_eq!(fs::read(&database).unwrap(), garbage, "the file is intact");
    fs::remove_file(&database).unwrap();
    sandbox.start_daemon();
    assert_eq!(settle(&sandbox)["stored"], 1);
    assert!(!sandbox.data().join("health").exists());
    assert_eq!(start(&sandbox, "two"), Value::Null);
}

#[test]
fn f2_settings_that_cannot_be_read_exclude_what_they_excluded_and_that_is_told() {
    let sandbox = Sandbox::new(BIN);
    let secret = sandbox.another_project("secret");
    let stored = || settle(&sandbox)["stored"].as_u64().unwrap();
    let edit_in = |folder: &Path, session: &str| {
        let payload = Payload::edit("src/x.rs", "a", "b").session(session).cwd(folder);
        sandbox.send(&payload).success();
    };
    fs::create_dir_all(sandbox.data()).unwrap();
    let settings = sandbox.data().join("config.toml");
    let good = format!("[capture]\nexcluded_paths = ['{}']\n", secret.display());
    fs::write(&settings, &good).unwrap();
    edit_in(&secret, "one");
    edit_in(sandbox.project(), "two");
    assert_eq!(stored(), 1, "as they say");
    // The list is not even in the file any more, and a slip stands in its place.
    fs::write(&settings, "[daemon\n").unwrap();
    edit_in(&secret, "three");
    edit_in(sandbox.project(), "four");
    assert_eq!(stored(), 2, "what was excluded stays so, the rest goes on");
    let told = start(&sandbox, "five");
    assert!(line(&told).contains("what it and its last good copy exclude stays"), "{told}");
    let doctor = sandbox.afterword(&["doctor", "--json"]).json();
    let found = check(&doctor, "settings");
    assert_eq!(found["ok"], false, "{doctor}");
    let finding = found["finding"].as_str().unwrap();
    assert!(finding.contains("line 1") && finding.contains("last good copy"), "{finding}");
    let before = stored();
    // The slip is in the very list, of a folder that was never excluded before.
    let other = sandbox.another_project("other");
    fs::write(&settings, format!("[capture]\nexcluded_paths = ['{}'\n", other.display())).unwrap();
    edit_in(&other, "six");
    assert_eq!(stored(), before);
    fs::write(&settings, "[capture]\nexcluded_paths = \n").unwrap();
    edit_in(sandbox.project(), "seven");
    assert_eq!(stored(), before, "nobody knows what");
    let told = start(&sandbox, "eight");
    assert!(line(&told).contains("nothing is remembered: config.toml"), "{told}");
    assert_eq!(told["hookSpecificOutput"], Value::Null, "nor given");
    fs::write(&settings, "").unwrap();
    edit_in(&secret, "nine");
    assert_eq!(stored(), before + 1, "good settings count alone");
    assert_eq!(start(&sandbox, "ten")["systemMessage"], Value::Null, "all is well again");
}

#[test]
fn j12_turns_that_cannot_be_distilled_are_told_beside_the_block_never_in_it() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let reply = start(&sandbox, "well");
    assert_eq!(reply["systemMessage"], Value::Null, "{reply}");
    settle(&sandbox);
    park_a_turn(&sandbox);
    sandbox.start_daemon();
    let reply = start(&sandbox, "ill");
    assert!(line(&reply).contains("1 event could not be distilled"), "{reply}");
    let block = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(block.contains("src/retry_queue.rs") && !block.contains("doctor"), "{block}");
    assert_eq!(start(&sandbox, "ill")["systemMessage"], Value::Null, "a start that was told");
    let compacted = Payload::session_start("compact").session("ill");
    assert!(!sandbox.send(&compacted).success().stdout.contains("systemMessage"));
    let resumed = sandbox.send(&Payload::session_start("resume").session("old")).success().json();
    assert_eq!(resumed["hookSpecificOutput"], Value::Null);
    line(&resumed);
    assert_eq!(sandbox.afterword(&["status", "--json"]).success().json()["parked"], 1);
    let doctor = sandbox.afterword(&["doctor", "--json"]).json();
    let parked = check(&doctor, "distilling");
    assert_eq!(parked["ok"], false, "{doctor}");
    assert!(parked["remedy"].as_str().unwrap().contains("doctor --retry-parked"), "{doctor}");
    drop(sandbox.afterword(&["doctor", "--retry-parked"]));
    sandbox.wait_for_status("the turn is distilled", |s| s["parked"] == 0 && s["waiting"] == 0);
    assert_eq!(start(&sandbox, "cured")["systemMessage"], Value::Null);
}

/// What a prompt of an install that only captures prints; null when it prints nothing.
fn captured_prompt(sandbox: &Sandbox, session: &str, transcript: &Path) -> Value {
    let mut payload = Payload::prompt("go on").session(session).json(sandbox.project());
    payload["transcript_path"] = transcript.to_str().unwrap().into();
    let args = ["hook", "claude-code", "user-prompt-submit", "--capture-only"];
    let output = sandbox.afterword_with(&args, payload.to_string().as_bytes()).success();
    assert_eq!(output.stderr, "");
    if output.stdout.is_empty() { Value::Null } else { output.json() }
}

#[test]
fn an_install_that_only_captures_tells_it_with_the_first_prompt_of_a_session() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    park_a_turn(&sandbox);
    sandbox.start_daemon();
    let transcript = sandbox.root().join("transcript.jsonl");
    let first = captured_prompt(&sandbox, "one", &transcript);
    assert!(line(&first).contains("could not be distilled"), "{first}");
    assert_eq!(first.as_object().unwrap().len(), 1, "nothing for the model: {first}");
    assert_eq!(captured_prompt(&sandbox, "one", &transcript), Value::Null, "once a session");
    // Where starts are reported, they tell it.
    line(&start(&sandbox, "two"));
    assert_eq!(captured_prompt(&sandbox, "two", &transcript), Value::Null);
    // Without a daemon the hook knows a session's first prompt by the agent's log.
    sandbox.afterword(&["daemon", "stop"]).success();
    let away = sandbox.keep_daemon_away();
    fs::write(sandbox.data().join("health"), "the database is of a newer release").unwrap();
    let told = captured_prompt(&sandbox, "three", &transcript);
    assert!(line(&told).contains("newer release"), "{told}");
    fs::write(&transcript, "{}\n").unwrap();
    assert_eq!(captured_prompt(&sandbox, "three", &transcript), Value::Null);
    drop(away);
}

#[test]
fn without_context_at_the_start_the_line_is_there_all_the_same() {
    let sandbox = Sandbox::new(BIN);
    fs::create_dir_all(sandbox.data()).unwrap();
    fs::write(sandbox.data().join("config.toml"), "[recall]\nsession_start = false\n").unwrap();
    first_session(&sandbox);
    park_a_turn(&sandbox);
    sandbox.start_daemon();
    let reply = start(&sandbox, "one");
    assert!(line(&reply).contains("could not be distilled"), "{reply}");
    assert_eq!(reply.as_object().unwrap().len(), 1, "nothing for the model: {reply}");
    let away = (sandbox.afterword(&["daemon", "stop"]).success(), sandbox.keep_daemon_away()).1;
    fs::write(sandbox.data().join("health"), "the database is of a newer release").unwrap();
    assert!(line(&start(&sandbox, "two")).contains("newer release"));
    drop(away);
}

#[test]
fn j12_sessions_that_bring_nothing_are_told_after_a_day() {
    let sandbox = Sandbox::new(BIN);
    let client = |sandbox: &Sandbox| {
        sandbox.start_daemon();
        Client::find(&Home::new(sandbox.data()), Duration::from_secs(30)).unwrap()
    };
    let hours = |n: i64| SystemClock.now().plus_millis(-n * 3_600_000);
    let report = |session: &str, at: Time, body: Value| {
        let event = json!({
            "uid": Uuid::now_v7(), "at": at, "agent": "claude-code", "agent_session_id": session,
            "project": { "name": "demo-project" }, "body": body,
        });
        assert_eq!(client(&sandbox).post_json("/api/events", &event).unwrap().status, 200);
    };
    let began = || json!({ "kind": "session-start", "source": "startup" });
    report("worked", hours(50), json!({ "kind": "stop", "answer": "All done." }));
    report("silent one", hours(49), began());
    report("silent two", hours(30), began());
    let since = hours(50).date();
    let reply = start(&sandbox, "silent three");
    let told = format!("nothing was kept since {since}, though 3 sessions began");
    assert!(line(&reply).contains(&told), "{reply}");
    let status = sandbox.afterword(&["status", "--json"]).success().json();
    assert_eq!(status["silence"]["sessions"], 3, "{status}");
    let doctor = sandbox.afterword(&["doctor", "--json"]).json();
    assert_eq!(check(&doctor, "recent work")["ok"], false, "{doctor}");
    sandbox.send(&Payload::prompt("go on").session("silent three")).success();
    assert_eq!(start(&sandbox, "four")["systemMessage"], Value::Null, "work came");
    assert!(sandbox.afterword(&["status", "--json"]).success().json()["silence"]["sessions"] == 1);
}

#[test]
fn an_event_that_can_be_kept_nowhere_is_told_at_once_and_for_a_day() {
    let sandbox = Sandbox::new(BIN);
    let away = sandbox.keep_daemon_away();
    fs::write(sandbox.data().join("spool"), "a file where the folder should be").unwrap();
    let reply = start(&sandbox, "one");
    assert!(line(&reply).contains("cannot be kept"), "{reply}");
    fs::remove_file(sandbox.data().join("spool")).unwrap();
    drop(away);
    sandbox.start_daemon();
    let reply = start(&sandbox, "two");
    assert!(line(&reply).contains("1 event could not be kept anywhere"), "{reply}");
}

#[test]
fn doctor_tries_every_promise_that_can_be_tried_here() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["install", "claude-code"]).success();
    first_session(&sandbox);
    let doctor = sandbox.afterword(&["doctor", "--json"]).success().json();
    let names: Vec<&str> =
        doctor["checks"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    for promise in [
        "settings",
        "data folder",
        "program",
        "hook",
        "spool",
        "daemon",
        "token",
        "database",
        "distilling",
        "counts",
        "context",
        "hooks",
        "capture",
    ] {
        assert!(names.contains(&promise), "{promise} in {names:?}");
    }
    assert!(doctor["checks"].as_array().unwrap().iter().all(|c| c["ok"] == true), "{doctor}");
    // The registered program is replaced by one that is in the way.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let program = sandbox.data().join("bin/afterword");
        fs::remove_file(&program).unwrap();
        fs::write(&program, "#!/bin/sh\necho loud\nexit 2\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let doctor = sandbox.afterword(&["doctor", "--json"]);
        assert_eq!(doctor.code, Some(1));
        assert_eq!(check(&doctor.json(), "hook")["ok"], false);
    }
    fs::write(sandbox.data().join("spool/1-x.tmp"), "").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let logs = sandbox.data().join("logs");
        fs::set_permissions(&logs, fs::Permissions::from_mode(0o755)).unwrap();
        let doctor = sandbox.afterword(&["doctor", "--json"]).json();
        assert!(check(&doctor, "data folder")["finding"].as_str().unwrap().contains("logs"));
    }
}

fn check<'a>(doctor: &'a Value, name: &str) -> &'a Value {
    let checks = doctor["checks"].as_array().unwrap();
    checks.iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("no {name} in {doctor}"))
}
