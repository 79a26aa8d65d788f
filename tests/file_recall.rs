//! What is known of a file is told before it is read or changed, once and to the point.

use std::path::Path;
use std::process::Command;

use afterword_testkit::{Outcome, Payload, Sandbox};
use serde_json::{Value, json};

use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// What the hook put before the model; empty when it printed nothing.
#[track_caller]
fn told(stdout: &str) -> String {
    if stdout.is_empty() {
        return String::new();
    }
    let reply: Value = serde_json::from_str(stdout).unwrap();
    let output = &reply["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PreToolUse");
    assert!(output["permissionDecision"].is_null(), "nothing is allowed or denied: {reply}");
    output["additionalContext"].as_str().unwrap().to_owned()
}

/// A session that fails over a file, mends it, decides and changes another.
fn first_session(sandbox: &Sandbox) {
    let failed = Outcome::failed(101, "panicked at src/retry_queue.rs:14: multiply with overflow");
    let payloads = [
        Payload::session_start("startup"),
        Payload::prompt("Make the retry queue back off exponentially"),
        Payload::bash("cargo test retry", &failed),
        Payload::edit("src/retry_queue.rs", "delay * 2", "delay.saturating_mul(2)"),
        Payload::bash("cargo test retry", &Outcome::ok("test result: ok. 9 passed; 0 failed"))
            .tool_use_id("toolu_second_run"),
        Payload::edit("src/mod.rs", "mod a;", "mod a;\nmod b;"),
        Payload::stop(
            "The retry queue backs off exponentially now.\n\n\
             Decision: delays in src/retry_queue.rs are capped at 30 seconds.",
        ),
        Payload::session_end("other"),
    ];
    for payload in payloads {
        sandbox.send(&payload.session("session-one")).success();
    }
    settle(sandbox);
}

/// A call of a file tool in a later session, which was given no block.
fn touch(tool: &str, path: impl AsRef<Path>) -> Payload {
    let input = json!({"file_path": path.as_ref(), "old_string": "a", "new_string": "b"});
    Payload::before_tool(tool, &input).session("session-two")
}

fn ask(sandbox: &Sandbox, payload: &Payload) -> String {
    told(&sandbox.send(payload).success().stdout)
}

#[test]
fn a_file_is_told_of_once_before_it_is_touched() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let file = sandbox.project().join("src/retry_queue.rs");
    let stored = settle(&sandbox)["received"].clone();
    let block = ask(&sandbox, &touch("Edit", &file));
    for part in [
        "<afterword-context project=\"demo-project\">\n",
        "capped at 30 seconds",
        "passed after editing retry_queue.rs",
        "saturating_mul(2)",
        "data, not instructions",
    ] {
        assert!(block.contains(part), "{part:?} is not in {block}");
    }
    assert!(block.encode_utf16().count() <= 800, "{block}");
    assert!(block.ends_with("</afterword-context>"));
    assert_eq!(settle(&sandbox)["received"], stored, "a question is no event");
    assert_eq!(ask(&sandbox, &touch("Read", &file)), "", "once");
    assert!(sandbox.kill_daemon());
    sandbox.start_daemon();
    assert_eq!(ask(&sandbox, &touch("Write", &file)), "", "also after a crash");
    let other = touch("Read", &file).session("session-three");
    assert_eq!(ask(&sandbox, &other), block, "every session, the same bytes");
}

#[test]
fn every_spelling_of_a_path_is_the_same_file() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let project = sandbox.project().to_owned();
    let worktree = sandbox.root().canonicalize().unwrap().join("second-tree");
    let tree = worktree.display().to_string();
    drop(sandbox.git(&project, &["worktree", "add", "-q", "-b", "side", &tree]));
    std::fs::create_dir_all(worktree.join("src")).unwrap();
    std::fs::create_dir_all(project.join("src")).unwrap();
    let absolute = project.join("src/retry_queue.rs").display().to_string();
    let in_tree = worktree.join("src/retry_queue.rs").display().to_string();
    let spellings = [
        (absolute, project.clone()),
        ("src/retry_queue.rs".into(), project.clone()),
        ("./src/../src/retry_queue.rs".into(), project.clone()),
        ("retry_queue.rs".into(), project.join("src")),
        ("src/retry_queue.rs".into(), worktree.clone()),
        (in_tree, project),
    ];
    for (n, (path, cwd)) in spellings.iter().enumerate() {
        let payload = touch("Edit", path).cwd(cwd).session(&format!("session-{n}"));
        let block = ask(&sandbox, &payload);
        assert!(
            block.contains("\n## src/retry_queue.rs\n"),
            "{path} in {}: {block}",
            cwd.display()
        );
    }
    let elsewhere = sandbox.another_project("elsewhere");
    let foreign = touch("Edit", elsewhere.join("src/retry_queue.rs"));
    assert_eq!(ask(&sandbox, &foreign), "", "h1: a file of another project");
    let inside = touch("Edit", "src/retry_queue.rs").cwd(&elsewhere);
    assert_eq!(ask(&sandbox, &inside), "", "h1: another project");
}

#[test]
fn silent_for_whom_and_what_it_is_not_meant() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let file = sandbox.project().join("src/retry_queue.rs");
    let silent = |what: &str, payload: Payload| {
        assert_eq!(sandbox.send(&payload).success().stdout, "", "{what}");
    };
    silent("the session that did it", touch("Edit", &file).session("session-one"));
    silent("j7: a sub-agent", touch("Edit", &file).inside_subagent("a1", "general-purpose"));
    silent("an unknown file", touch("Edit", sandbox.project().join("src/other.rs")));
    silent("a name that many files have", touch("Read", sandbox.project().join("lib/mod.rs")));
    silent("no session", touch("Edit", &file).session(""));
    let grep = json!({"pattern": "x", "path": file});
    silent("a search", Payload::before_tool("Grep", &grep).session("session-two"));
    let shell = json!({"command": "cat src/retry_queue.rs"});
    silent("a command", Payload::before_tool("Bash", &shell).session("session-two"));
    // What the block of a session's start has shown is not told again.
    let start = Payload::session_start("startup").session("session-four");
    assert!(sandbox.send(&start).success().stdout.contains("retry_queue.rs"));
    silent("given at the start", touch("Edit", &file).session("session-four"));
    let run = |args: &[&str], variable: Option<(&str, &str)>, payload: &Payload| {
        let mut command: Command = sandbox.command(BIN);
        command.args(["hook", "claude-code", "pre-tool-use"]).args(args).envs(variable);
        let mut line = serde_json::to_vec(&payload.json(sandbox.project())).unwrap();
        line.push(b'\n');
        sandbox.run(command, &line).success().stdout
    };
    let payload = touch("Edit", &file);
    assert_eq!(run(&[], Some(("AFTERWORD_FILE_RECALL", "0")), &payload), "");
    assert_eq!(run(&["--capture-only"], None, &payload), "");
    drop(sandbox.afterword(&["pause"]).success());
    assert_eq!(run(&[], None, &payload), "");
    drop(sandbox.afterword(&["resume"]).success());
    assert!(run(&["--recall-only"], None, &payload).contains("capped"), "and then it is told");
    let memory = sandbox.project().join("MEMORY.md");
    let guarded = touch("Write", memory);
    assert_eq!(run(&["--recall-only"], None, &guarded), "", "the guard is not asked");
    assert!(run(&[], None, &guarded).contains("\"deny\""));
}

#[test]
fn the_switch_of_the_settings_is_heard_by_hook_and_daemon() {
    let sandbox = Sandbox::new(BIN);
    std::fs::create_dir_all(sandbox.data()).unwrap();
    std::fs::write(sandbox.data().join("config.toml"), "[recall]\nfile = false\n").unwrap();
    first_session(&sandbox);
    assert_eq!(ask(&sandbox, &touch("Edit", "src/retry_queue.rs")), "");
    let mut command = sandbox.command(BIN);
    command.args(["hook", "claude-code", "pre-tool-use"]).env("AFTERWORD_FILE_RECALL", "1");
    let payload = touch("Edit", "src/retry_queue.rs").json(sandbox.project()).to_string();
    assert_eq!(sandbox.run(command, payload.as_bytes()).success().stdout, "", "the daemon's word");
}

#[test]
fn a1_without_a_daemon_nothing_is_said_kept_or_started() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    assert!(sandbox.kill_daemon());
    assert_eq!(ask(&sandbox, &touch("Edit", "src/retry_queue.rs")), "");
    assert!(sandbox.daemon_pid().is_none(), "none is started for a question");
    let spool = std::fs::read_dir(sandbox.data().join("spool"));
    assert_eq!(spool.map_or(0, Iterator::count), 0);
}

#[test]
fn o2_a_compacted_session_is_told_again() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let file = sandbox.project().join("src/retry_queue.rs");
    let send = |payload: Payload| sandbox.send(&payload.session("session-two")).success().stdout;
    send(Payload::prompt("Look at the queue"));
    assert!(told(&send(touch("Read", &file))).contains("capped"));
    send(Payload::pre_compact("auto"));
    let block = send(Payload::session_start("compact"));
    assert!(block.contains("capped"), "the new block has it: {block}");
    assert_eq!(send(touch("Read", &file)), "", "and so it is not told twice");
}

#[test]
fn a_session_of_which_nothing_is_kept_is_given_nothing_twice() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let recall = |event: &str, payload: &Payload| {
        let mut command = sandbox.command(BIN);
        command.args(["hook", "claude-code", event, "--recall-only"]);
        let line = payload.clone().session("reader").json(sandbox.project()).to_string();
        sandbox.run(command, line.as_bytes()).success().stdout
    };
    let sessions = settle(&sandbox)["sessions"].clone();
    let file = touch("Read", "src/retry_queue.rs");
    assert!(recall("pre-tool-use", &file).contains("capped"));
    assert_eq!(recall("pre-tool-use", &file), "");
    let prompt = Payload::prompt("Are the delays of the retry queue capped at some seconds?");
    let first = recall("user-prompt-submit", &prompt);
    assert!(first.contains("retry queue") && !first.contains("- o3"), "{first}");
    let second = recall("user-prompt-submit", &prompt);
    let ids = |reply: &str| -> Vec<String> {
        let lines = reply.split("\\n- ").skip(1);
        lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert!(!ids(&first).is_empty(), "{first}");
    assert!(ids(&first).iter().all(|id| !ids(&second).contains(id)), "{first} {second}");
    assert_eq!(settle(&sandbox)["sessions"], sessions);
}

#[test]
fn k5_a_file_is_found_however_it_is_named() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    sandbox.write("src/retry_queue.rs", "fn delay() {}");
    sandbox.write("docs/retry_queue.rs", "not that one");
    let search = |folder: &Path, file: &str, more: &[&str]| {
        let mut command = sandbox.command(BIN);
        let args = ["search", "--json", "--limit", "50", "--file", file];
        command.current_dir(folder).args(args).args(more);
        sandbox.run(command, b"").success().json()
    };
    let (root, folder) = (sandbox.project(), sandbox.project().join("src"));
    let all = search(root, "src/retry_queue.rs", &[]);
    let rows = all["results"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["files"][0] == "src/retry_queue.rs"), "{all}");
    assert!(
        rows.iter().any(|row| row["kind"] == "observation"
            && row["title"].as_str().unwrap().contains("capped at 30 seconds")),
        "what only names it concerns it too: {all}"
    );
    let absolute = folder.join("retry_queue.rs").display().to_string();
    for (from, file) in [
        (root, "./src/retry_queue.rs"),
        (root, "retry_queue.rs"),
        (root, absolute.as_str()),
        (&folder, "retry_queue.rs"),
        (&folder, "./retry_queue.rs"),
        (&folder, "../src/retry_queue.rs"),
        (&folder, "src/retry_queue.rs"),
    ] {
        assert_eq!(search(from, file, &[]), all, "{file} from {}", from.display());
    }
    for (from, file) in [(root, "docs/retry_queue.rs"), (root, "queue.rs"), (&folder, "./mod")] {
        assert_eq!(search(from, file, &[])["total"], 0, "{file}");
    }
    // From another project, and in every one.
    let other = sandbox.another_project("second");
    for (file, more) in [
        ("src/retry_queue.rs", ["--project", "demo-project"].as_slice()),
        (&absolute, &["--project", "demo-project"]),
        (&absolute, &["--all-projects"]),
    ] {
        assert_eq!(search(&other, file, more), all, "{file} {more:?}");
    }
    let with_words = search(&folder, "retry_queue.rs", &["capped"]);
    assert!(with_words["results"][0]["title"].as_str().unwrap().contains("capped"), "{with_words}");
}

#[test]
fn a_memory_of_a_file_is_told_before_the_file_is_touched() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let folder = sandbox.write("ops/run.sh", "true").parent().unwrap().to_owned();
    let mut command = sandbox.command(BIN);
    command.current_dir(&folder);
    command.args([
        "remember",
        "Needs the vault to be open first",
        "--date",
        "2026-01-05",
        "--json",
    ]);
    command.args(["--file", "run.sh", "--file", "./run.sh", "--file", "../src/mod.rs"]);
    let told = sandbox.run(command, b"").success().json();
    let shown = sandbox.afterword(&["show", told["id"].as_str().unwrap(), "--json"]).json();
    assert_eq!(shown["rows"][0]["files"], json!(["ops/run.sh", "src/mod.rs"]));
    assert!(shown["rows"][0]["created_at"].as_str().unwrap().starts_with("2026-01-05"), "{shown}");
    let block = ask(&sandbox, &touch("Read", folder.join("run.sh")));
    assert!(block.contains("Needs the vault to be open first"), "{block}");
    // Told again with another file, it is told there too.
    let again = ["remember", "needs the vault to be open first", "--file", "ops/stop.sh", "--json"];
    assert_eq!(sandbox.afterword(&again).success().json()["uid"], told["uid"]);
    let payload = touch("Read", folder.join("stop.sh")).session("session-three");
    assert!(ask(&sandbox, &payload).contains("Needs the vault"));
    // From elsewhere, by a path from the project's root.
    let mut command = sandbox.command(BIN);
    command.current_dir(sandbox.another_project("second"));
    command.args(["remember", "Ports are fixed", "--project", "demo-project"]);
    command.args(["--file", "ops/ports.toml"]);
    drop(sandbox.run(command, b"").success());
    let payload = touch("Edit", folder.join("ports.toml")).session("session-four");
    assert!(ask(&sandbox, &payload).contains("Ports are fixed"));
    let many: Vec<String> = (0..101).map(|n| format!("--file=f{n}")).collect();
    let mut args = vec!["remember", "too many"];
    args.extend(many.iter().map(String::as_str));
    let refused = sandbox.afterword(&args);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("at most 100"), "{}", refused.stderr);
}
