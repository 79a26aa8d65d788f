//! The main job: what one session did is there when the next one starts.

use afterword_testkit::{Outcome, Payload, Sandbox};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// The text that a session-start hook put before the model; empty when it printed nothing.
pub(crate) fn context_of(stdout: &str) -> String {
    if stdout.is_empty() {
        return String::new();
    }
    let reply: Value = serde_json::from_str(stdout).unwrap();
    assert_eq!(reply["hookSpecificOutput"]["hookEventName"], "SessionStart");
    reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

/// A session that fails, fixes, decides and leaves something to do.
pub(crate) fn first_session(sandbox: &Sandbox) {
    let session = "session-one";
    let payloads = [
        Payload::session_start("startup"),
        Payload::prompt("The retry queue drops jobs on restart, please fix it"),
        Payload::read("src/retry_queue.rs", "pub struct RetryQueue;"),
        Payload::bash("cargo test retry", &Outcome::failed(101, "test restart ... FAILED")),
        Payload::edit("src/retry_queue.rs", "Vec<Job>", "Journal<Job>"),
        Payload::bash("cargo test retry", &Outcome::ok("test result: ok. 9 passed; 0 failed"))
            .tool_use_id("toolu_second_run"),
        Payload::stop(
            "Fixed. The root cause was that jobs were kept in memory only.\n\n\
             Decision: the retry queue writes a journal before it acknowledges a job.\n\n\
             Next steps:\n- Compact the journal at start",
        ),
        Payload::session_end("prompt_input_exit"),
    ];
    for payload in payloads {
        sandbox.send(&payload.session(session)).success();
    }
    settle(sandbox);
}

/// Waits until nothing is spooled and nothing waits.
pub(crate) fn settle(sandbox: &Sandbox) -> Value {
    sandbox.wait_for_status("everything is distilled", |status| {
        status["spooled"] == 0 && status["waiting"] == 0
    })
}

#[test]
fn a_session_gives_the_next_one_what_matters() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let start = sandbox.send(&Payload::session_start("startup").session("session-two")).success();
    let block = context_of(&start.stdout);
    assert!(block.starts_with("<afterword-context project=\"demo-project\">"), "{block}");
    for wanted in ["src/retry_queue.rs", "journal", "Compact the journal"] {
        assert!(block.contains(wanted), "'{wanted}' is missing in:\n{block}");
    }
    let shown = sandbox.afterword(&["context"]).success().stdout;
    assert_eq!(shown.trim_end(), block, "the command shows exactly what a session is given");
    let again = sandbox.send(&Payload::session_start("startup").session("session-three"));
    assert_eq!(context_of(&again.success().stdout), block, "j5: same state, same bytes");
}

#[test]
#[cfg(unix)]
fn d9_the_block_names_a_command_that_works_without_a_search_path() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let start = |session: &str| {
        let payload = Payload::session_start("startup").session(session);
        context_of(&sandbox.send(&payload).success().stdout)
    };
    assert!(start("session-two").contains("`afterword search \"WORDS\"`"), "nothing is installed");
    sandbox.afterword(&["install", "claude-code"]).success();
    let block = start("session-three");
    assert!(block.contains("`~/.afterword/bin/afterword search \"WORDS\"`"), "{block}");
    assert_eq!(start("session-four"), block, "j5: same state, same bytes");
    let shown = sandbox.afterword(&["context"]).success().stdout;
    assert_eq!(shown.trim_end(), block);
    for line in block.split('`').filter(|text| text.starts_with("~/.afterword")) {
        let mut command = sandbox.command("/bin/sh");
        command.args(["-c", &line.replace("WORDS", "journal")]).env("PATH", "/nowhere");
        let output = sandbox.run(command, b"").success();
        assert!(output.stdout.contains("journal") || line.contains("show"), "{line}: {output:?}");
        assert!(!output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn a8_the_context_comes_with_the_first_prompt_where_starts_are_not_borne() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    settle(&sandbox);
    let config = sandbox.data().join("config.toml");
    std::fs::write(&config, "[recall]\ninject_on = \"first_prompt\"\n").unwrap();
    sandbox.afterword(&["install", "claude-code"]).success();
    let registered = std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap();
    assert!(!registered.contains("SessionStart"), "{registered}");
    assert!(registered.contains("user-prompt-submit"));
    let given = |payload: Payload| -> String {
        let stdout = sandbox.send(&payload).success().stdout;
        if stdout.is_empty() {
            return String::new();
        }
        let reply: Value = serde_json::from_str(&stdout).unwrap();
        let output = &reply["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "UserPromptSubmit", "{reply}");
        output["additionalContext"].as_str().unwrap().to_owned()
    };
    let block = sandbox.afterword(&["context"]).success().stdout;
    assert!(block.contains("Compact the journal"), "{block}");
    // A hook of the days before the change says nothing, and takes nothing from the prompt.
    let start = Payload::session_start("startup").session("session-two");
    assert_eq!(sandbox.send(&start).success().stdout, "");
    let prompt = |text: &str| Payload::prompt(text).session("session-two");
    assert_eq!(given(prompt("go on")), block.trim_end(), "as a start would have been given it");
    for text in ["go on", "What became of the retry queue and its journal?", "and now"] {
        let later = given(prompt(text));
        assert!(!later.contains("## Last session"), "j4: once: {later}");
    }
    assert_eq!(given(prompt("x").session("session-three").inside_subagent("a", "b")), "");
    // What is registered for reading alone stores nothing, and gives it once all the same.
    let read = |session: &str, text: &str| {
        let mut line = prompt(text).session(session).json(sandbox.project()).to_string();
        line.push('\n');
        let args = ["hook", "claude-code", "user-prompt-submit", "--recall-only"];
        sandbox.afterword_with(&args, line.as_bytes()).success().stdout
    };
    assert!(read("session-four", "go on").contains("## Last session"));
    assert_eq!(read("session-four", "go on"), "");
    // With prompts answered by nothing the block still comes, and nothing else does.
    std::fs::write(&config, "[recall]\ninject_on = \"first_prompt\"\nprompt_recall = false\n")
        .unwrap();
    let asks = "What became of the retry queue and its journal?";
    let of = |session: &str| given(prompt(asks).session(session));
    assert!(of("session-five").contains("## Last session"));
    assert_eq!(of("session-five"), "");
    let doctor = sandbox.afterword(&["doctor"]);
    assert!(!doctor.stdout.contains("session starts"), "{}", doctor.stdout);
    std::fs::write(&config, "").unwrap();
    let doctor = sandbox.afterword(&["doctor"]).stdout;
    assert!(doctor.contains("no session is given its context"), "{doctor}");
}

#[test]
fn a_resumed_or_forked_session_is_given_nothing_and_a_cleared_one_is() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let start = |source: &str, session: &str| {
        let payload = Payload::session_start(source).session(session);
        context_of(&sandbox.send(&payload).success().stdout)
    };
    assert_eq!(start("resume", "session-one"), "");
    assert_eq!(start("fork", "session-fork"), "");
    assert!(start("clear", "session-clear").contains("src/retry_queue.rs"));
}

#[test]
fn o2_a_compacted_session_is_given_its_snapshot_once() {
    let sandbox = Sandbox::new(BIN);
    let session = "long-session";
    let send = |payload: Payload| sandbox.send(&payload.session(session)).success().stdout;
    send(Payload::session_start("startup"));
    send(Payload::prompt("Move the parser to its own crate"));
    send(Payload::edit("crates/parser/src/lib.rs", "a", "b"));
    assert_eq!(send(Payload::pre_compact("auto").with("transcript_path", "".into())), "");
    let block = context_of(&send(Payload::session_start("compact")));
    assert!(block.contains("crates/parser/src/lib.rs"), "{block}");
    let prompt = send(Payload::prompt("Go on with the parser crate"));
    assert!(!prompt.contains("crates/parser/src/lib.rs"), "given twice: {prompt}");
}

#[test]
fn j2_a_compaction_without_a_session_start_is_made_up_for_at_the_next_prompt() {
    let sandbox = Sandbox::new(BIN);
    let session = "long-session";
    let send = |payload: Payload| sandbox.send(&payload.session(session)).success().stdout;
    send(Payload::session_start("startup"));
    send(Payload::prompt("Move the parser to its own crate"));
    send(Payload::edit("crates/parser/src/lib.rs", "a", "b"));
    send(Payload::pre_compact("auto"));
    let reply = send(Payload::prompt("And now?"));
    assert!(reply.contains("crates/parser/src/lib.rs"), "{reply}");
    let reply = send(Payload::prompt("And then what comes after that?"));
    assert!(!reply.contains("afterword-context"), "given twice: {reply}");
}

#[test]
fn j7_sub_agents_are_given_nothing_and_do_not_reach_the_block() {
    let sandbox = Sandbox::new(BIN);
    let session = "session-with-agents";
    let send = |payload: Payload| sandbox.send(&payload.session(session)).success().stdout;
    send(Payload::session_start("startup"));
    send(Payload::prompt("Look into the billing module with an agent"));
    let inside = |payload: Payload| payload.inside_subagent("agent-1", "general-purpose");
    send(inside(Payload::edit("src/only_the_agent.rs", "a", "b")));
    send(Payload::edit("src/the_main_one.rs", "a", "b"));
    send(Payload::stop(
        "The billing module rounds amounts before it adds them up, which is wrong.",
    ));
    settle(&sandbox);
    let started = send(inside(Payload::session_start("startup")));
    assert_eq!(started, "");
    let next = Payload::session_start("startup").session("next");
    let block = context_of(&sandbox.send(&next).success().stdout);
    assert!(block.contains("the_main_one.rs") && !block.contains("only_the_agent.rs"), "{block}");
    let found = sandbox.afterword(&["search", "only_the_agent", "--json"]).success().json();
    assert!(found["total"].as_u64() > Some(0), "it is kept and can be found: {found}");
}

#[test]
fn two_folders_of_one_name_do_not_share() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let other = sandbox.another_project("elsewhere");
    let twin = other.join("demo-project");
    std::fs::create_dir_all(&twin).unwrap();
    let start = Payload::session_start("startup").session("twin").cwd(&twin);
    assert_eq!(sandbox.send(&start).success().stdout, "", "h1: names are labels");
}

#[test]
fn unfinished_work_is_seen_by_the_next_session() {
    let sandbox = Sandbox::new(BIN);
    let send = |payload: Payload| sandbox.send(&payload.session("killed")).success();
    send(Payload::session_start("startup"));
    send(Payload::prompt("Rename the config keys everywhere"));
    send(Payload::edit("src/settings/keys.rs", "old_key", "new_key"));
    // No stop, no session end: the agent was killed.
    settle(&sandbox);
    let next = Payload::session_start("startup").session("next");
    let block = context_of(&sandbox.send(&next).success().stdout);
    assert!(block.contains("src/settings/keys.rs"), "{block}");
    assert!(block.to_lowercase().contains("unfinished"), "{block}");
}
