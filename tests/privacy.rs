//! Private text and secrets are nowhere on disk and in no answer.

use std::fs;
use std::path::Path;

use afterword_testkit::{Outcome, Payload, Sandbox};

use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");
const CANARY: &str = "canary7f3a9";

/// Files of a folder that hold the canary.
fn leaks(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(leaks(&path));
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

fn payloads() -> Vec<Payload> {
    let key = format!("sk-ant-api03-{CANARY}AAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    vec![
        Payload::session_start("startup"),
        Payload::prompt(&format!("fix login <private>{CANARY}</private> please")),
        Payload::bash(
            &format!("curl -H 'Authorization: Bearer {key}' https://dev:{CANARY}@host/x"),
            &Outcome::ok(&format!("token={key}\n<PRIVATE>{CANARY}")),
        ),
        Payload::read(".env", &format!("DATABASE_PASSWORD={CANARY}\n")),
        Payload::edit(
            "src/a.rs",
            &format!("<private>{CANARY}</private>"),
            &format!("let k = \"{key}\";"),
        ),
        Payload::bash("make", &Outcome::failed(2, &format!("< private >{CANARY}"))),
        Payload::pre_compact("manual")
            .with("custom_instructions", format!("keep <private>{CANARY}</private>").into()),
        Payload::stop(&format!(
            "Done. <private><private>{CANARY}</private>{CANARY}</private> All good now."
        )),
        Payload::session_end("other"),
    ]
}

#[test]
fn f2_a_canary_on_every_path_is_nowhere_on_disk() {
    let sandbox = Sandbox::new(BIN);
    for payload in payloads() {
        sandbox.send(&payload.session("s")).success();
    }
    let text = format!("remember <private>{CANARY}</private> the milk");
    sandbox.afterword(&["remember", &text]).success();
    let line = serde_json::json!({ "text": format!("imported <private>{CANARY}") }).to_string();
    let file = sandbox.write("rows.jsonl", &line);
    sandbox.afterword(&["import", "file", &file.display().to_string()]).success();
    fs::remove_file(&file).unwrap();
    settle(&sandbox);
    assert_eq!(leaks(&sandbox.data()), Vec::<String>::new());
    sandbox.afterword(&["daemon", "stop"]).success();
    assert_eq!(leaks(&sandbox.data()), Vec::<String>::new());
}

#[test]
fn f3_the_spool_is_clean_too() {
    let sandbox = Sandbox::new(BIN);
    let _lock = sandbox.keep_daemon_away();
    for payload in payloads() {
        sandbox.send(&payload.session("s")).success();
    }
    assert!(fs::read_dir(sandbox.data().join("spool")).unwrap().count() > 4);
    assert_eq!(leaks(&sandbox.data()), Vec::<String>::new());
}

#[test]
fn a_private_prompt_keeps_its_turn_out_and_the_next_turn_in() {
    let sandbox = Sandbox::new(BIN);
    let send = |payload: Payload| sandbox.send(&payload.session("s")).success();
    send(Payload::session_start("startup"));
    send(
        Payload::prompt("<private>the acquisition of the rival</private>")
            .with("prompt_id", "p1".into()),
    );
    send(Payload::edit("src/hidden_plan.rs", "a", "b").with("prompt_id", "p1".into()));
    send(
        Payload::stop("The hidden plan is written down in the file.")
            .with("prompt_id", "p1".into()),
    );
    send(Payload::prompt("Now the public part, please").with("prompt_id", "p2".into()));
    send(Payload::edit("src/public_part.rs", "a", "b").with("prompt_id", "p2".into()));
    let status = settle(&sandbox);
    assert_eq!(status["skipped"]["private"], 3, "{status}");
    let search = |query: &str| sandbox.afterword(&["search", query, "--json"]).success().json();
    assert_eq!(search("hidden_plan")["total"], 0);
    assert!(search("public_part")["total"].as_u64() > Some(0));
}

#[cfg(unix)]
#[test]
fn f7_files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new(BIN);
    sandbox.send(&Payload::edit("src/a.rs", "a", "b").session("s")).success();
    settle(&sandbox);
    let mut folders = vec![sandbox.data()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
}
