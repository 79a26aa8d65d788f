//! People's commands as a person or a program uses them.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use afterword::client::Client;
use afterword::config::Home;
use afterword_testkit::{Payload, Sandbox};
use serde_json::{Value, json};

use crate::remember::{context_of, first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

#[test]
fn remember_search_and_forget_in_english_chinese_and_code() {
    let sandbox = Sandbox::new(BIN);
    let remember = |text: &str| -> String {
        let answer = sandbox.afterword(&["remember", text, "--json"]).success().json();
        assert!(answer["uid"].is_string());
        answer["id"].as_str().unwrap().to_owned()
    };
    let english = remember("We deploy on Tuesdays, never on Fridays");
    let chinese = remember("数据库迁移必须先在预发环境验证");
    let code = remember("retryQueue is flushed by flush_pending() before bd-42 runs");
    assert_eq!(
        remember("We deploy on  Tuesdays, never on Fridays "),
        english,
        "said twice is once"
    );
    let first = |query: &str| -> Value {
        let answer = sandbox.afterword(&["search", query, "--json"]).success().json();
        answer["results"].as_array().unwrap().first().cloned().unwrap_or_default()
    };
    assert_eq!(first("deploying tuesday")["id"], english.as_str());
    assert_eq!(first("迁移")["id"], chinese.as_str());
    assert_eq!(first("预发环境")["id"], chinese.as_str());
    assert_eq!(first("retry queue")["id"], code.as_str());
    assert_eq!(first("bd-42")["id"], code.as_str());
    assert!(first("deploying tuesday")["score"].as_f64() > Some(0.5));
    sandbox.afterword(&["forget", &english]).success();
    assert_ne!(first("deploying tuesday")["id"], english.as_str());
    assert_eq!(sandbox.afterword(&["forget", &english]).code, Some(2));
    let export = sandbox.afterword(&["export"]).success().stdout;
    assert!(!export.contains("Tuesdays") && export.contains("预发环境"));
}

#[test]
fn k3_any_text_is_a_query() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["remember", "bd-42 is the ticket of the auto-memory feature"]).success();
    for query in [
        "bd-42",
        "auto-memory",
        "title:x",
        "C:\\x",
        "-x",
        "don't",
        "AND",
        "foo OR",
        "(",
        ")",
        "a\"b",
        "*",
        "\"",
        "NEAR(a b)",
        "^",
        "🦀",
        "{}",
        "';--",
        "%",
        "\u{7}",
    ] {
        let output = sandbox.afterword(&["search", "--json", "--", query]);
        assert_eq!(output.code, Some(0), "{query:?}: {}", output.stderr);
        assert!(output.json()["results"].is_array());
    }
    let newest = sandbox.afterword(&["search", "--json"]).success().json();
    assert_eq!(newest["results"].as_array().unwrap().len(), 1, "k4: nothing lists the newest");
}

#[test]
fn k3_a_query_of_a_megabyte_or_of_control_characters_is_answered() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["remember", "the retry queue of the shop"]).success();
    let door = Client::find(&Home::new(sandbox.data()), Duration::from_secs(30)).unwrap();
    let ask = |query: &str| {
        let body = serde_json::json!({ "query": query, "highlight": true });
        let answer = door.post_json("/api/search", &body).unwrap();
        assert_eq!(answer.status, 200, "{}", afterword_domain::text::cut_chars(query, 40));
        serde_json::from_slice::<serde_json::Value>(&answer.body).unwrap()
    };
    for query in [
        "retry ".repeat(175_000),
        "x".repeat(1 << 20),
        "重试队列".repeat(90_000),
        "(\"".repeat(500_000),
        "🦀".repeat(262_144),
        "retry\0queue".into(),
        "\0".into(),
        "\u{202e}[({\"'`".into(),
    ] {
        assert!(ask(&query)["results"].is_array());
    }
    assert_eq!(ask("retry\0queue")["results"][0]["id"], "m1", "a NUL is a gap");
    assert_eq!(ask(" \n*\t")["results"][0]["id"], "m1", "nothing lists the newest");
}

#[test]
fn k3_a_long_query_comes_by_standard_input_and_is_sent_as_a_body() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["remember", "the retry queue of the shop"]).success();
    let long = "zebra ".repeat(170_000) + "retry";
    let found = sandbox.afterword_with(&["search", "-", "--json"], long.as_bytes()).success();
    assert!(found.json()["results"].is_array());
    let found = sandbox.afterword_with(&["search", "-", "--json"], b"retry\nqueue\n").success();
    assert_eq!(found.json()["results"][0]["id"], "m1");
    let words = "zebra ".repeat(20_000) + "retry";
    sandbox.afterword(&["search", &words, "--json"]).success();
    let refused = sandbox.afterword_with(&["search", "-"], "x".repeat((1 << 20) + 1).as_bytes());
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("more than 1048576 bytes"), "{}", refused.stderr);
}

#[test]
fn r3_a_dash_is_standard_output_and_input() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["remember", "The journal lives in var/journal"]).success();
    let rows = sandbox.afterword(&["export", "--out", "-"]).success().stdout;
    assert_eq!(rows, sandbox.afterword(&["export"]).success().stdout);
    assert!(rows.contains("var/journal"));
    assert!(!sandbox.project().join("-").exists(), "no file of that name");
    sandbox.afterword(&["daemon", "stop"]).success();
    fs::remove_dir_all(sandbox.data()).unwrap();
    let input = format!("{rows}no row\n");
    let args = ["import", "file", "-", "--json"];
    let report = sandbox.afterword_with(&args, input.as_bytes()).success().json();
    assert_eq!((&report["stored"], &report["failed"]), (&json!(1), &json!(1)), "{report}");
    let found = sandbox.afterword(&["search", "journal", "--json"]).success().json();
    assert_eq!(found["total"], 1);
}

#[test]
fn where_it_stands_is_told_in_words_a_person_understands() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["remember", "We retried the queues of the shop"]).success();
    let status = sandbox.afterword(&["status"]).success().stdout;
    for line in
        ["last event      none yet", "memory                1", "by meaning      no: rows are"]
    {
        assert!(status.contains(line), "{line:?} is not in\n{status}");
    }
    let sections = ["Events", "Memory", "Health", "Provider", "Cost"];
    let heads: Vec<&str> = status.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(heads, sections, "each once");
    let doctor = sandbox.afterword(&["doctor"]).stdout;
    assert!(doctor.contains("language models were paid for 0 tokens"), "{doctor}");
    let told = sandbox.afterword(&["search", "retry", "queue", "--explain"]).success().stdout;
    assert!(told.contains("why: words (retried, queues) 0."), "{told}");
}

#[test]
#[cfg(unix)]
fn a_terminal_is_told_as_wide_as_it_is_and_a_pipe_plainly() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    settle(&sandbox);
    let shown = |columns: u16, plain: bool| {
        let mut command = sandbox.command(BIN);
        command.arg("status").env("TERM", "xterm-256color");
        if plain {
            command.env("NO_COLOR", "1");
        }
        sandbox.run_on_terminal(command, columns).success().stdout
    };
    let coloured = shown(100, false);
    assert!(coloured.contains("\u{1b}[1mEvents\u{1b}[0m"), "{coloured}");
    assert!(!coloured.contains("\u{1b}[2m\u{1b}[0m"), "nothing is not coloured: {coloured:?}");
    for columns in [40, 57, 100] {
        let plain = shown(columns, true);
        assert!(!plain.contains('\u{1b}'), "NO_COLOR: {plain:?}");
        let widest = plain.lines().map(console::measure_text_width).max().unwrap();
        assert!(widest <= usize::from(columns), "{widest} columns of {columns}:\n{plain}");
        assert!(plain.contains("last event      just now"), "{plain}");
        assert_eq!(plain.contains('░'), columns > 60, "a meter where there is room:\n{plain}");
        let meaning = plain.contains("waiting in files for the daemon");
        assert_eq!(meaning, columns > 60, "what does not fit is cut:\n{plain}");
    }
    let piped = sandbox.afterword(&["status"]).success().stdout;
    assert!(!piped.contains('\u{1b}') && !piped.contains('░'), "{piped}");
    assert!(piped.contains("waiting in files for the daemon"), "{piped}");
    let exact = piped.lines().find(|line| line.starts_with("  last event")).unwrap();
    assert!(exact.ends_with('Z') && exact.contains('T'), "{exact}");
}

#[test]
fn r3_export_wipe_and_import_give_the_same_rows() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    sandbox.afterword(&["remember", "The journal lives in var/journal"]).success();
    let file = sandbox.root().join("all.jsonl");
    let path = file.display().to_string();
    sandbox.afterword(&["export", "--out", &path]).success();
    let lines = |text: &str| -> Vec<Value> {
        let mut rows: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        rows.sort_by_key(|row| row["uid"].as_str().unwrap().to_owned());
        rows
    };
    let before = lines(&fs::read_to_string(&file).unwrap());
    assert!(before.len() >= 4, "{before:?}");
    sandbox.afterword(&["daemon", "stop"]).success();
    fs::remove_dir_all(sandbox.data()).unwrap();
    for round in 0..3 {
        let report = sandbox.afterword(&["import", "file", &path, "--json"]).success().json();
        assert_eq!(report["failed"], 0, "{report}");
        let stored = if round == 0 { before.len() } else { 0 };
        assert_eq!(report["stored"], stored, "g5: {report}");
    }
    let after = lines(&sandbox.afterword(&["export"]).success().stdout);
    assert_eq!(after, before, "an export is lossless");
    let why = sandbox.afterword(&["search", "journal", "--json", "--explain"]).success().json();
    assert_eq!(why["results"][0]["why"]["matched"][0], "journal", "{why}");
    let told = sandbox.afterword(&["search", "journal", "--explain"]).success().stdout;
    assert!(told.contains("why: words (journal) 0."), "{told}");
    let found = sandbox.afterword(&["search", "journal", "--json"]).success().json();
    assert!(found["results"][0].get("why").is_none(), "{found}");
    assert!(found["total"].as_u64() > Some(0));
}

#[test]
fn r3_one_bad_line_in_many_is_reported_and_skipped() {
    let sandbox = Sandbox::new(BIN);
    let mut text = String::new();
    for n in 0..1000 {
        match n {
            100 => text.push_str("{\"text\": \"half a li\n"),
            500 => text.push_str("[1, 2]\n"),
            900 => text.push_str("{\"title\": \"no text\"}\n"),
            _ => writeln!(text, "{}", json!({ "text": format!("row number {n}") })).unwrap(),
        }
    }
    let file = sandbox.write("many.jsonl", &text);
    let path = file.display().to_string();
    let report = sandbox.afterword(&["import", "file", &path, "--json"]).success().json();
    assert_eq!(report["read"], 1000);
    assert_eq!(report["stored"], 997);
    assert_eq!(report["failed"], 3);
    let bad: Vec<u64> = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["line"].as_u64().unwrap())
        .collect();
    assert_eq!(bad, [101, 501, 901]);
    let file = sandbox.write("none.jsonl", "no row\nnor this\n").display().to_string();
    let none = sandbox.afterword(&["import", "file", &file, "--json"]);
    assert_eq!((none.code, &none.json()["failed"]), (Some(1), &json!(2)), "nothing was usable");
}

#[test]
fn pause_stops_capture_and_context_until_resume() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let before = settle(&sandbox)["stored"].clone();
    sandbox.afterword(&["pause", "--project", "."]).success();
    let start = sandbox.send(&Payload::session_start("startup").session("paused")).success();
    assert_eq!(start.stdout, "");
    sandbox.send(&Payload::edit("src/x.rs", "a", "b").session("paused")).success();
    assert_eq!(settle(&sandbox)["stored"], before);
    sandbox.afterword(&["resume", "--project", "."]).success();
    let start = sandbox.send(&Payload::session_start("startup").session("awake")).success();
    assert!(!context_of(&start.stdout).is_empty());
}

#[test]
fn a_project_is_paused_by_its_name_and_a_name_that_nobody_has_is_a_mistake() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let stored = || settle(&sandbox)["stored"].clone();
    let edit = |session: &str| {
        sandbox.send(&Payload::edit("src/x.rs", "a", session).session(session)).success();
    };
    let before = stored();
    let answer = sandbox.afterword(&["pause", "--project", "demo-project", "--json"]).success();
    assert_eq!(answer.json(), json!({ "paused": true, "project": "demo-project" }));
    let start = sandbox.send(&Payload::session_start("startup").session("paused")).success();
    assert_eq!(start.stdout, "");
    edit("paused");
    assert_eq!(stored(), before);
    sandbox.afterword(&["resume", "--project", "demo-project"]).success();
    edit("awake");
    assert_ne!(stored(), before);
    sandbox.afterword(&["remember", "kept by name", "--project", "name-only"]).success();
    for (command, name, says) in [
        (vec!["pause"], "dmo-project", "known are"),
        (vec!["resume"], "dmo-project", "demo-project"),
        (vec!["pause"], "name-only", "no hook works in it"),
        (vec!["pause"], "./nowhere", "no folder"),
        (vec!["export"], "dmo-project", "demo-project"),
        (vec!["search", "x"], "dmo-project", "demo-project"),
        (vec!["context"], "dmo-project", "demo-project"),
    ] {
        let output = sandbox.afterword(&[command.as_slice(), &["--project", name]].concat());
        assert_eq!(output.code, Some(2), "{command:?} {name}: {}", output.stdout);
        assert!(output.stderr.contains(says), "{command:?} {name}: {}", output.stderr);
    }
    assert!(!sandbox.data().join("paused").exists(), "nothing was paused by a mistake");
}

#[test]
fn a_pause_is_no_leave_to_write_the_agents_memory_files() {
    let sandbox = Sandbox::new(BIN);
    let file = sandbox.home().join(".claude/memory/fact.md");
    let write = Payload::before_tool("Write", &json!({ "file_path": file, "content": "x" }));
    let denied = || sandbox.send(&write).success().stdout.contains("\"deny\"");
    assert!(denied());
    sandbox.afterword(&["pause", "--project", "."]).success();
    assert!(denied(), "paused here");
    sandbox.afterword(&["pause"]).success();
    assert!(denied(), "paused everywhere");
    sandbox.write(".afterword.toml", "enabled = false\n");
    assert!(!denied(), "a project that afterword has nothing to do with");
}

#[test]
fn a_name_reaches_the_memory_of_its_project_from_anywhere() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let elsewhere = sandbox.another_project("elsewhere");
    let there = |args: &[&str]| {
        let mut command = sandbox.command(sandbox.binary());
        command.current_dir(&elsewhere).args(args).args(["--project", "demo-project"]);
        sandbox.run(command, b"").success().stdout
    };
    assert!(there(&["search", "journal", "--json"]).contains("retry_queue"));
    assert!(there(&["context"]).contains("src/retry_queue.rs"));
    assert!(there(&["export"]).contains("journal"));
    there(&["remember", "Said from elsewhere"]);
    let here = sandbox.afterword(&["search", "elsewhere", "--json"]).success().json();
    assert!(here["results"][0]["id"].is_string(), "{here}");
    let new = sandbox.afterword(&["remember", "first words", "--project", "brand-new"]).success();
    assert!(new.stderr.contains("a new one is made"), "{}", new.stderr);
}

#[test]
fn resuming_one_project_while_everything_is_paused_says_that_it_is_not_enough() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["pause"]).success();
    let resumed = sandbox.afterword(&["resume", "--project", "."]).success();
    assert!(resumed.stderr.contains("everything is still paused"), "{}", resumed.stderr);
    let json = sandbox.afterword(&["resume", "--project", ".", "--json"]).success().json();
    assert_eq!(json["paused"], true);
    sandbox.afterword(&["resume"]).success();
    assert!(!sandbox.data().join("paused").exists());
}

#[test]
fn the_switch_in_the_project_keeps_it_out() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    sandbox.write(".afterword.toml", "enabled = false\n");
    sandbox.send(&Payload::edit("src/x.rs", "a", "b").session("s")).success();
    assert_eq!(settle(&sandbox)["stored"], 0);
}

#[test]
fn the_daemon_starts_says_where_it_is_and_stops() {
    let sandbox = Sandbox::new(BIN);
    let down = sandbox.afterword(&["daemon", "status", "--json"]).success().json();
    assert_eq!(down["running"], false);
    let pid = sandbox.start_daemon();
    let up = sandbox.afterword(&["daemon", "status", "--json"]).success().json();
    for field in ["pid", "port", "protocol", "uptime_s"] {
        assert!(up[field].is_u64(), "{field} in {up}");
    }
    assert_eq!(up["pid"], pid);
    assert_eq!(sandbox.start_daemon(), pid, "a second start finds the first");
    sandbox.afterword(&["daemon", "stop"]).success();
    assert!(sandbox.endpoint().is_none(), "the endpoint is withdrawn");
    let down = sandbox.afterword(&["daemon", "status", "--json"]).success().json();
    assert_eq!(down["running"], false);
}

#[test]
fn install_doctor_and_uninstall_leave_no_trace() {
    let sandbox = Sandbox::new(BIN);
    let settings = sandbox.home().join(".claude/settings.json");
    let before = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    fs::write(&settings, before).unwrap();
    let dry = sandbox.afterword(&["install", "claude-code", "--dry-run"]).success();
    assert!(dry.stdout.contains('+') && dry.stdout.contains("SessionStart"), "{}", dry.stdout);
    assert_eq!(fs::read_to_string(&settings).unwrap(), before, "a dry run changes nothing");
    sandbox.afterword(&["install", "claude-code"]).success();
    let text = fs::read_to_string(&settings).unwrap();
    assert!(text.contains("// mine") && text.contains("post-tool-use"), "{text}");
    assert!(text.contains("pre-tool-use --recall-only"), "{text}");
    assert!(!text.contains("PowerShell"), "a local install has no guard unless asked");
    sandbox.send(&Payload::session_start("startup").session("s")).success();
    let doctor = sandbox.afterword(&["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}{}", doctor.stdout, doctor.stderr);
    assert!(doctor.stdout.contains("the MCP server is registered in"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("the MCP server answers with 7 tools"), "{}", doctor.stdout);
    let servers = sandbox.home().join(".claude.json");
    let registered = fs::read_to_string(&servers).unwrap();
    fs::write(&servers, registered.replace("\"mcp\"", "\"other\"")).unwrap();
    let doctor = sandbox.afterword(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("is not as installed"), "{}", doctor.stdout);
    fs::write(&servers, registered).unwrap();
    sandbox.afterword(&["uninstall"]).success();
    assert_eq!(fs::read_to_string(&settings).unwrap(), before);
    assert_ne!(sandbox.afterword(&["doctor"]).code, Some(0), "doctor misses the hooks");
}

#[test]
fn the_demo_shows_a_memory_crossing() {
    let sandbox = Sandbox::new(BIN);
    let demo = sandbox.afterword(&["demo", "--json"]).success().json();
    assert_eq!(demo["crossed"], true, "{demo}");
    let context = demo["context"].as_str().unwrap();
    assert!(context.contains("金额") && context.contains("cents"), "{context}");
    assert!(!context.contains("4111"), "private text crossed: {context}");
    assert!(!sandbox.data().exists(), "the demo touches nothing of the person's");
}

#[test]
fn mistakes_get_a_sentence_and_the_right_exit_code() {
    let sandbox = Sandbox::new(BIN);
    for (args, code, says) in [
        (vec!["forget", "banana"], 2, "is no id"),
        (vec!["install", "notepad"], 2, "claude-code"),
        (vec!["import", "file", "/does/not/exist"], 2, "cannot read"),
        (vec!["search", "x", "--since", "yesterday"], 2, "YYYY-MM-DD"),
        (vec!["search", "x", "--limit", "0"], 2, "1..=200"),
        (vec!["serch", "x"], 2, "'search'"),
        (vec!["forget"], 2, "<IDS>..."),
        (vec!["remember", "<private>all of it</private>"], 2, "nothing to remember"),
    ] {
        let output = sandbox.afterword(&args);
        assert_eq!(output.code, Some(code), "{args:?}: {}", output.stderr);
        assert!(output.stderr.contains(says), "{args:?}: {}", output.stderr);
        let output = sandbox.afterword(&[&args[..], &["--json"]].concat());
        assert_eq!((output.code, output.stdout.as_str()), (Some(code), ""), "{args:?}");
        let told: Value = serde_json::from_str(&output.stderr).unwrap();
        assert!(told["error"].as_str().unwrap().contains(says), "{args:?}: {told}");
    }
}
