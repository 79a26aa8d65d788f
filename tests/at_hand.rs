//! A session starts with what concerns the files at hand, and prompts are answered or not.

use std::process::Command;

use afterword_testkit::{Payload, Sandbox};
use serde_json::Value;

use crate::remember::{context_of, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// Sessions that each change a file of their own, oldest first.
fn sessions(sandbox: &Sandbox, files: &[String]) {
    for (n, file) in files.iter().enumerate() {
        let send = |payload: Payload| sandbox.send(&payload.session(&format!("s{n}"))).success();
        send(Payload::session_start("startup"));
        send(Payload::prompt(&format!("Rework part {n} of the billing pipeline")));
        send(Payload::edit(file, "before", &format!("fn part_{n}() {{}}")));
        send(Payload::stop(&format!(
            "Part {n} of the pipeline rounds amounts only at its end, in step {n}, which keeps the \
             sums of account {n} exact for every currency that part {n} knows."
        )));
        send(Payload::session_end("other"));
    }
    settle(sandbox);
}

fn start(sandbox: &Sandbox, session: &str) -> String {
    let payload = Payload::session_start("startup").session(session);
    context_of(&sandbox.send(&payload).success().stdout)
}

/// The part of a block under a heading.
fn section<'b>(block: &'b str, heading: &str) -> &'b str {
    let begin = block.find(heading).unwrap_or_else(|| panic!("no {heading} in {block}"));
    let rest = &block[begin + heading.len()..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}

#[test]
fn work_on_changed_files_gains_weight_and_the_block_stays_the_same() {
    let sandbox = Sandbox::new(BIN);
    let files: Vec<String> = (0..24).map(|n| format!("src/part_{n}.rs")).collect();
    for file in &files {
        sandbox.write(file, "before");
    }
    let commit = || {
        drop(sandbox.git(sandbox.project(), &["add", "-A"]));
        drop(sandbox.git(sandbox.project(), &["commit", "-q", "-m", "work"]));
    };
    commit();
    sessions(&sandbox, &files);
    let clean = start(&sandbox, "clean");
    let recent = |block: &str| section(block, "## Recent work").to_owned();
    assert!(!recent(&clean).contains("part_3.rs"), "old work has no place: {clean}");

    // A repository's own settings start no program.
    drop(sandbox.git(sandbox.project(), &["config", "core.fsmonitor", "/bin/false"]));
    sandbox.write("src/part_3.rs", "changed by hand");
    let changed = start(&sandbox, "changed");
    assert!(recent(&changed).contains("part_3.rs"), "{changed}");
    assert_eq!(start(&sandbox, "again"), changed, "j5: same state, same bytes");
    let shown = sandbox.afterword(&["context"]).success().stdout;
    assert_eq!(shown.trim_end_matches('\n'), changed, "`context` shows what is given");

    drop(sandbox.git(sandbox.project(), &["add", "-A"]));
    assert_eq!(start(&sandbox, "staged"), changed, "staged is changed too");
    commit();
    assert_eq!(start(&sandbox, "committed"), clean, "and committed is not");
}

#[test]
fn f1_names_of_changed_files_pass_the_boundary() {
    let sandbox = Sandbox::new(BIN);
    let _away = sandbox.keep_daemon_away();
    sandbox.write("notes/<private>canary</private>.md", "x");
    sandbox.write("other.md", "x");
    drop(sandbox.send(&Payload::session_start("startup")).success());
    let spool = std::fs::read_dir(sandbox.data().join("spool")).unwrap();
    let texts: Vec<String> =
        spool.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    let text = texts.concat();
    assert!(text.contains("changed_files") && text.contains("other.md"), "{text}");
    assert!(!text.contains("canary"), "{text}");
}

fn remember_caps(sandbox: &Sandbox) {
    for text in [
        "The retry queue caps its delay at thirty seconds because upstream punishes bursts",
        "The retry queue keeps its journal in /var/lib/queue and compacts the journal at start",
        "Retry queue delays are doubled with jitter up to the cap of the retry queue",
        "The retry queue journal is fsynced before a job of the retry queue is acknowledged",
    ] {
        drop(sandbox.afterword(&["remember", text]).success());
    }
}

fn reply(stdout: &str) -> String {
    if stdout.is_empty() {
        return String::new();
    }
    let reply: Value = serde_json::from_str(stdout).unwrap();
    assert_eq!(reply["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn j1_a_prompt_is_answered_with_three_rows_at_most_and_none_twice() {
    let sandbox = Sandbox::new(BIN);
    remember_caps(&sandbox);
    let ask = |text: &str| {
        reply(&sandbox.send(&Payload::prompt(text).session("asking")).success().stdout)
    };
    let rows = |block: &str| -> Vec<String> {
        let lines = block.lines().filter(|line| line.starts_with("- "));
        lines.map(|line| line[2..].split(' ').next().unwrap().to_owned()).collect()
    };
    let first = ask("What delay cap and journal does the retry queue have?");
    assert!((1..=3).contains(&rows(&first).len()), "{first}");
    assert!(first.encode_utf16().count() <= 1_500);
    let second = ask("Tell me the delay cap and the journal of the retry queue again");
    assert!(rows(&second).iter().all(|id| !rows(&first).contains(id)), "{first}\n{second}");
    assert_eq!(ask("Which colour has the bicycle shed behind the opera house?"), "");
}

#[test]
fn machine_made_and_tiny_prompts_are_met_with_silence() {
    let sandbox = Sandbox::new(BIN);
    remember_caps(&sandbox);
    let about = "the delay cap and the journal of the retry queue";
    for prompt in [
        "ok".to_owned(),
        "continue".to_owned(),
        "yes please".to_owned(),
        "继续".to_owned(),
        "好的".to_owned(),
        "retry queue".to_owned(),
        "/compact".to_owned(),
        format!("/review {about}"),
        format!("<task-notification>{about}</task-notification>"),
        format!("<command-name>/x</command-name> {about}"),
        format!("<local-command-stdout>{about}</local-command-stdout>"),
        format!("Caveat: The messages below were generated by the user: {about}"),
        format!("[Request interrupted by user] {about}"),
        format!("This session is being continued from a previous conversation: {about}"),
        format!("{{\"type\": \"{about}\"}}"),
        format!("! grep {about}"),
        "run the tests again and tell me the result".to_owned(),
        "🦀".to_owned(),
    ] {
        let payload = Payload::prompt(&prompt).session("asking");
        assert_eq!(sandbox.send(&payload).success().stdout, "", "{prompt}");
    }
    let real = Payload::prompt(&format!("Explain {about}")).session("asking");
    assert_ne!(sandbox.send(&real).success().stdout, "", "the words themselves are answered");
}

#[test]
fn prompt_recall_is_switched_off_by_variable_and_settings() {
    let sandbox = Sandbox::new(BIN);
    remember_caps(&sandbox);
    let ask = |set: &dyn Fn(&mut Command), session: &str| {
        let mut command = sandbox.command(BIN);
        command.args(["hook", "claude-code", "user-prompt-submit"]);
        set(&mut command);
        let prompt = Payload::prompt("What delay cap does the retry queue have?").session(session);
        let line = prompt.json(sandbox.project()).to_string();
        sandbox.run(command, line.as_bytes()).success().stdout
    };
    let off = |command: &mut Command| {
        command.env("AFTERWORD_PROMPT_RECALL", "0");
    };
    assert_eq!(ask(&off, "a"), "");
    assert_ne!(ask(&|_| {}, "b"), "");
    std::fs::write(sandbox.data().join("config.toml"), "[recall]\nprompt_recall = false\n")
        .unwrap();
    assert_eq!(ask(&|_| {}, "c"), "");
}
