//! What afterword does not do: repeat itself, take its own words in, touch what is not its own.

use std::fs;

use afterword_testkit::{Outcome, Payload, Sandbox};
use serde_json::json;

use crate::remember::{context_of, first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

#[test]
fn f10_a_block_that_the_agent_repeats_is_not_taken_in_again() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let before = settle(&sandbox)["rows"].clone();
    for n in 0..10 {
        let session = format!("echo-{n}");
        let start = sandbox.send(&Payload::session_start("startup").session(&session)).success();
        let block = context_of(&start.stdout);
        assert!(block.contains("journal"), "{block}");
        let payloads = [
            Payload::prompt("What do you know?"),
            Payload::bash("cat notes.txt", &Outcome::ok(&block)).tool_use_id(&session),
            Payload::stop(&format!("I was given this:\n\n{block}")),
        ];
        for payload in payloads {
            sandbox.send(&payload.session(&session)).success();
        }
    }
    let after = settle(&sandbox)["rows"].clone();
    assert_eq!(after["memory"], before["memory"], "{after}");
    let args = ["search", "journal acknowledges job", "--limit", "100", "--json"];
    let found = sandbox.afterword(&args).success().json();
    let of_echoes: Vec<_> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["session"].as_str().unwrap().starts_with("echo"))
        .filter(|row| row["text"].as_str().unwrap().contains("acknowledges"))
        .collect();
    assert!(of_echoes.is_empty(), "{of_echoes:#?}");
}

#[test]
fn h12_nothing_of_it_is_in_the_repository() {
    let sandbox = Sandbox::new(BIN);
    sandbox.afterword(&["install", "claude-code"]).success();
    first_session(&sandbox);
    for n in 0..5 {
        let session = format!("later-{n}");
        sandbox.send(&Payload::session_start("startup").session(&session)).success();
        sandbox.send(&Payload::pre_compact("auto").session(&session)).success();
    }
    settle(&sandbox);
    let git = sandbox.git(sandbox.project(), &["status", "--porcelain", "--ignored"]);
    assert_eq!(git.stdout, "");
}

#[test]
fn d9_a_search_path_of_any_length_is_no_trouble() {
    let sandbox = Sandbox::new(BIN);
    let path = vec!["/nowhere/in/particular"; 1_000].join(":");
    let payload = Payload::edit("src/a.rs", "a", "b").session("s").json(sandbox.project());
    let mut hook = sandbox.command(sandbox.binary());
    hook.args(["hook", "claude-code", "post-tool-use"]).env("PATH", path);
    let output = sandbox.run(hook, payload.to_string().as_bytes()).success();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
    assert_eq!(settle(&sandbox)["stored"], 1);
}

#[test]
fn i2_an_agent_that_works_in_the_data_folder_is_not_listened_to() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let inside = sandbox.data().join("observer/work");
    fs::create_dir_all(&inside).unwrap();
    for payload in [Payload::prompt("Compress this"), Payload::stop("Compressed.")] {
        let output = sandbox.hook(payload.event(), &payload.json(&inside)).success();
        assert_eq!(output.stdout, "");
    }
    let status = settle(&sandbox);
    assert_eq!((&status["received"], &status["sessions"]), (&0.into(), &0.into()), "{status}");
}

#[test]
fn j4_o4_compacted_again_and_again_it_gives_one_block_each_time_and_none_between() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let session = "long";
    sandbox.send(&Payload::session_start("startup").session(session)).success();
    let prompt = |n: usize| {
        let prompt = Payload::prompt(&format!("carry on {n}")).session(session);
        sandbox.send(&prompt.with("prompt_id", json!(format!("turn-{n}")))).success().stdout
    };
    for n in 0..10 {
        sandbox.send(&Payload::pre_compact("auto").session(session)).success();
        let start = sandbox.send(&Payload::session_start("compact").session(session)).success();
        let block = context_of(&start.stdout);
        assert_eq!(block.matches("<afterword-context").count(), 1, "{n}: {block}");
        assert_eq!(prompt(n), "", "{n}");
    }
    let log = fs::read_to_string(sandbox.data().join("logs/daemon.log")).unwrap();
    assert_eq!(log.matches(" ready").count(), 1, "{log}");
}
