//! Looking around in what is remembered: `timeline`, `show`, narrowed searches, and their routes.

use std::time::Duration;

use afterword::client::Client;
use afterword::config::Home;
use afterword_testkit::{Payload, Sandbox};
use serde_json::{Value, json};

use crate::remember::{first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

fn run(sandbox: &Sandbox, args: &[&str]) -> Value {
    let mut args = args.to_vec();
    args.push("--json");
    sandbox.afterword(&args).success().json()
}

fn ids(rows: &Value) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_timeline_shows_rows_of_every_kind_around_one() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    sandbox.afterword(&["remember", "The journal lives in var/journal"]).success();
    let newest = run(&sandbox, &["timeline"]);
    let all = ids(&newest["entries"]);
    assert!(all.len() >= 5, "{newest}");
    assert_eq!((all[0].as_str(), all.last().unwrap().as_str()), ("p1", "m1"), "oldest first");
    assert!(["o", "s"].iter().all(|kind| all.iter().any(|id| id.starts_with(kind))), "{all:?}");
    let times: Vec<&str> = newest["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["created_at"].as_str().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!((&newest["anchor"], &newest["more_after"]), (&Value::Null, &json!(false)));

    let middle = run(&sandbox, &["timeline", &all[2], "--before", "1", "--after", "1"]);
    assert_eq!(ids(&middle["entries"]), all[1..4]);
    assert_eq!(middle["anchor"], all[2]);
    assert_eq!((&middle["more_before"], &middle["more_after"]), (&json!(true), &json!(true)));
    let ends = run(&sandbox, &["timeline", &all[0], "--before", "0", "--after", "100"]);
    assert_eq!(ids(&ends["entries"]), all);
    assert_eq!((&ends["more_before"], &ends["more_after"]), (&json!(false), &json!(false)));
    let by_words = run(&sandbox, &["timeline", "journal", "lives", "var"]);
    assert_eq!(by_words["anchor"], "m1");
    let by_day = run(&sandbox, &["timeline", "2000-01-01", "--after", "2"]);
    assert_eq!((&by_day["anchor"], ids(&by_day["entries"])), (&Value::Null, all[..2].to_vec()));
    assert_eq!(run(&sandbox, &["timeline", "zebra"])["entries"], json!([]));

    // An id leads into its own project, wherever one stands.
    let other = sandbox.another_project("second");
    let mut command = sandbox.command(BIN);
    command.current_dir(other).args(["timeline", "m1", "--json"]);
    let there = sandbox.run(command, b"").success().json();
    assert_eq!(ids(&there["entries"]), all);
    assert_eq!(sandbox.afterword(&["timeline", "o999"]).code, Some(2));

    let shown = sandbox.afterword(&["timeline", &all[2]]).success().stdout;
    assert_eq!(shown.lines().filter(|line| line.starts_with('>')).count(), 1, "{shown}");
    assert!(shown.contains("m1") && shown.contains("told"), "{shown}");
}

#[test]
fn a_row_is_shown_whole_with_what_is_behind_it() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let found = run(&sandbox, &["search", "retry_queue", "--kind", "observation"]);
    let with_file = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["files"].to_string().contains("src/retry_queue.rs"))
        .unwrap();
    let id = with_file["id"].as_str().unwrap();
    let answer = run(&sandbox, &["show", id, "p1", id]);
    assert_eq!(ids(&answer["rows"]), [id, "p1"], "each once, in the order asked");
    let row = &answer["rows"][0];
    assert_eq!(row["fields"]["files_modified"], json!(["src/retry_queue.rs"]), "{row}");
    assert_eq!(row["fields"]["source"], "rules");
    let evidence = row["evidence"].as_array().unwrap();
    assert!(!evidence.is_empty());
    assert!(evidence.iter().any(|e| e["line"].as_str().unwrap().starts_with("Edit ")), "{row}");
    let shown = sandbox.afterword(&["show", id]).success().stdout;
    assert!(shown.contains("Evidence") && shown.contains("src/retry_queue.rs"), "{shown}");
    let missing = sandbox.afterword(&["show", "o999", id]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("No such row: o999") && missing.stdout.contains(id));
}

#[test]
fn remembered_text_does_not_steer_the_terminal() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["remember", "red \u{1b}[31malert\u{7}\nsecond line"]).success();
    for args in [["show", "m1"], ["timeline", "m1"], ["search", "red"]] {
        let shown = sandbox.afterword(&args).success().stdout;
        assert!(shown.contains("alert") && !shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    }
}

#[test]
fn k5_a_search_is_narrowed_by_file_and_agent() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let send = |payload: Payload| sandbox.send(&payload.session("two")).success();
    send(Payload::prompt("The retry policy is documented"));
    send(Payload::edit("docs/retry.md", "a", "b"));
    settle(&sandbox);
    let search = |options: &[&str]| run(&sandbox, &[&["search"], options].concat());
    let files = |found: &Value| -> Vec<String> {
        found["results"].as_array().unwrap().iter().map(|r| r["files"].to_string()).collect()
    };
    let found = search(&["retry", "--file", "docs/retry.md"]);
    assert!(!files(&found).is_empty());
    assert!(files(&found).iter().all(|f| f.contains("docs/retry.md")), "{found}");
    let absolute = sandbox.project().join("src/retry_queue.rs").display().to_string();
    let newest = search(&["--file", &absolute]);
    assert!(!files(&newest).is_empty());
    assert!(files(&newest).iter().all(|f| f.contains("src/retry_queue.rs")), "{newest}");
    assert_eq!(newest["total"], files(&newest).len());
    assert_eq!(search(&["retry", "--file", "queue.rs"])["total"], 0);
    let all = search(&["retry"])["total"].as_u64().unwrap();
    sandbox.afterword(&["remember", "retry nothing by hand"]).success();
    let of_agent = search(&["retry", "--agent", "claude-code"]);
    assert_eq!(of_agent["total"], all, "a memory has no session: {of_agent}");
    let none = search(&["retry", "--agent", "codex"]);
    let hint = "there is no session of the agent 'codex'; there are sessions of claude-code";
    assert_eq!((&none["total"], &none["hint"]), (&json!(0), &json!(hint)));
    let told = sandbox.afterword(&["search", "retry", "--agent", "codex"]).success().stdout;
    assert_eq!(told, format!("Nothing found in demo-project: {hint}.\n"));
    let told = sandbox.afterword(&["search", "zebra", "--agent", "claude-code"]).success().stdout;
    let tries = "Try --all-projects, without --agent, or other words.";
    assert_eq!(told, format!("Nothing found in demo-project. {tries}\n"));
}

#[test]
fn the_routes_answer_as_the_commands_do() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["remember", "one"]).success();
    sandbox.afterword(&["remember", "two"]).success();
    let door = Client::find(&Home::new(sandbox.data()), Duration::from_secs(30)).unwrap();
    let get = |path: &str| {
        let answer = door.get(path).unwrap();
        (answer.status, serde_json::from_slice::<Value>(&answer.body).unwrap())
    };
    let (status, answer) = get("/api/timeline?anchor=m2&before=5&after=0&project=demo-project");
    assert_eq!((status, ids(&answer["entries"])), (200, vec!["m1".into(), "m2".into()]));
    let (_, answer) = get("/api/timeline?query=two&before=0");
    assert_eq!(answer["anchor"], "m2");
    let (_, answer) = get("/api/timeline?project=nowhere");
    assert_eq!(answer["entries"], json!([]));
    for (path, expected) in [
        ("/api/timeline?anchor=banana", 400),
        ("/api/timeline?anchor=m1&before=-1", 400),
        ("/api/timeline?anchor=o999", 404),
        ("/api/timeline?anchor=m1&project=demo-project&after=100", 200),
        ("/api/timeline?anchor=m1&project=demo-project&after=101", 400),
        ("/api/timeline?before=9999999", 400),
        ("/api/search?limit=200", 200),
        ("/api/search?limit=201", 400),
        ("/api/export?limit=501", 400),
    ] {
        assert_eq!(get(path).0, expected, "{path}");
    }
    let (_, refused) = get("/api/search?limit=201");
    assert_eq!(refused["error"], "limit is 201, and may be 1 to 200");
    let refused = sandbox.afterword(&["timeline", "--before", "101"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("before is 101, and may be 0 to 100"), "{}", refused.stderr);
    assert_eq!(sandbox.afterword(&["search", "--limit", "201"]).code, Some(2));
    let rows = |body: &Value| door.post_json("/api/rows", body).unwrap();
    let found: Value = serde_json::from_slice(&rows(&json!({ "ids": ["m2", "m9"] })).body).unwrap();
    assert_eq!((ids(&found["rows"]), &found["unknown"]), (vec!["m2".into()], &json!(["m9"])));
    assert_eq!(found["rows"][0]["fields"]["origin"], "told");
    let many: Vec<String> = (0..101).map(|n| format!("m{n}")).collect();
    assert_eq!(rows(&json!({ "ids": many })).status, 400);
}

#[test]
fn a_search_shows_what_matched_and_where() {
    let sandbox = Sandbox::new(BIN);
    let far = "Nothing of note happens here. ".repeat(30);
    let text = format!("Deploy notes\n{far}The retryQueue drains before a restart. {far}");
    sandbox.afterword(&["remember", &text]).success();
    let found = run(&sandbox, &["search", "queue", "restarts"]);
    let row = &found["results"][0];
    let joined = |parts: &Value| -> String {
        let parts = parts.as_array().unwrap().iter();
        parts.map(|part| part["text"].as_str().unwrap()).collect()
    };
    let marked: Vec<&str> = row["highlight"]["snippet"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["match"] == true)
        .map(|part| part["text"].as_str().unwrap())
        .collect();
    assert_eq!(marked, ["retryQueue", "restart"], "{row}");
    let snippet = joined(&row["highlight"]["snippet"]);
    assert!(snippet.chars().count() <= 240 && snippet.starts_with('…'), "{snippet}");
    assert_eq!(joined(&row["highlight"]["title"]), row["title"].as_str().unwrap());
    assert_eq!(row["text"].as_str().unwrap().len(), text.trim().len(), "the whole text is there");
    let shown = sandbox.afterword(&["search", "queue", "restarts"]).success().stdout;
    assert!(shown.contains("The retryQueue drains before a restart."), "{shown}");
    assert!(!shown.contains('\u{1b}'), "a pipe is given no colour: {shown:?}");
    let newest = run(&sandbox, &["search"]);
    assert!(newest["results"][0]["highlight"].is_null(), "nothing was asked for: {newest}");
}

#[test]
fn k5_a_search_ends_with_the_day_that_it_names() {
    let sandbox = Sandbox::new(BIN);
    let days = ["2026-03-01T08:00:00Z", "2026-03-02T23:59:59Z", "2026-03-03T00:00:00Z"];
    let lines: Vec<String> = days
        .iter()
        .map(|at| json!({"text": format!("backup ran at {at}"), "created_at": at}).to_string())
        .collect();
    let file = sandbox.write("rows.jsonl", &lines.join("\n"));
    sandbox.afterword(&["import", "file", file.to_str().unwrap()]).success();
    let dates = |options: &[&str]| -> Vec<String> {
        let found = run(&sandbox, &[&["search"], options].concat());
        let mut dates: Vec<String> = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["created_at"].as_str().unwrap()[..10].to_owned())
            .collect();
        assert_eq!(found["total"], dates.len());
        dates.sort();
        dates
    };
    for query in [&["backup"][..], &[]] {
        let ask = |options: &[&str]| dates(&[query, options].concat());
        assert_eq!(ask(&["--until", "2026-03-02"]), ["2026-03-01", "2026-03-02"]);
        assert_eq!(ask(&["--since", "2026-03-02", "--until", "2026-03-02"]), ["2026-03-02"]);
        assert_eq!(ask(&["--until", "2026-02-28"]), [""; 0]);
        assert_eq!(ask(&["--since", "2026-03-02"]).len(), 2);
    }
    assert_eq!(sandbox.afterword(&["search", "x", "--until", "soon"]).code, Some(2));
    let door = Client::find(&Home::new(sandbox.data()), Duration::from_secs(30)).unwrap();
    let path = "/api/search?query=backup&until=2026-03-01&highlight=true";
    let answer: Value = serde_json::from_slice(&door.get(path).unwrap().body).unwrap();
    assert_eq!(answer["total"], 1);
    assert!(answer["results"][0]["highlight"]["title"].is_array(), "{answer}");
}
