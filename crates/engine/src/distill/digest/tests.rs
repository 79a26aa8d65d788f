use afterword_domain::event::{StartSource, ToolClass, ToolUse};
use afterword_domain::project::ProjectRef;
use afterword_domain::time::Time;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;

fn event(body: EventBody) -> Event {
    Event {
        uid: Uuid::nil(),
        at: Time::default(),
        agent: "claude-code".to_owned(),
        agent_session_id: "s".to_owned(),
        project: ProjectRef {
            root: Some("/home/dev/project".to_owned()),
            ..ProjectRef::named("p")
        },
        cwd: Some("/home/dev/project/api".to_owned()),
        turn_id: None,
        subagent: None,
        model: None,
        transcript_path: None,
        body,
    }
}

fn tool(class: ToolClass, path: &str, input: Value, output: Value) -> Digest {
    let paths = if path.is_empty() { Vec::new() } else { vec![path.to_owned()] };
    let command = input["command"].as_str().map(str::to_owned);
    let tool = ToolUse {
        name: "T".to_owned(),
        class,
        input,
        output,
        paths,
        command,
        ..ToolUse::default()
    };
    digest(&event(EventBody::ToolUse { tool }))
}

fn failed(command: &str, error: &str) -> Digest {
    let tool = ToolUse {
        name: "Bash".to_owned(),
        class: ToolClass::Shell,
        command: Some(command.to_owned()),
        error: Some(error.to_owned()),
        ..ToolUse::default()
    };
    digest(&event(EventBody::ToolUse { tool }))
}

#[test]
fn an_edit_keeps_its_changed_lines() {
    let patch = json!([{"oldStart": 1, "lines": [" fn a() {", "-    old()", "+    new()", " }"]}]);
    let d = tool(
        ToolClass::Edit,
        "/home/dev/project/src/a.rs",
        json!({"old_string": "old()", "new_string": "new()"}),
        json!({"structuredPatch": patch, "originalFile": "x".repeat(100_000)}),
    );
    assert_eq!(d.paths, ["src/a.rs"]);
    assert_eq!(d.detail, "- old()\n+ new()");
    let d = tool(
        ToolClass::Edit,
        "./b.rs",
        json!({"old_string": "same\nold\nend", "new_string": "same\nnew 1\nnew 2\nend"}),
        Value::Null,
    );
    assert_eq!(d.paths, ["api/b.rs"]);
    assert_eq!(d.detail, "- old\n+ new 1\n+ new 2");
}

#[test]
fn a_write_keeps_what_the_file_defines() {
    let content =
        "//! Store.\nuse std::fmt;\n\npub struct Store;\n\nimpl Store {\n    pub fn open() {}\n}\n";
    let d = tool(
        ToolClass::Write,
        "/elsewhere/store.rs",
        json!({"content": content}),
        json!({"type": "create", "structuredPatch": []}),
    );
    assert_eq!(d.paths, ["/elsewhere/store.rs"]);
    assert_eq!(d.outcome, "created, 8 lines");
    assert!(
        d.detail.contains("pub struct Store;") && d.detail.contains("pub fn open() {}"),
        "{}",
        d.detail
    );
    let d = tool(ToolClass::Write, "a.md", json!({"content": "x"}), json!({"type": "update"}));
    assert_eq!(d.outcome, "updated, 1 lines");
}

#[test]
fn a_command_keeps_what_came_of_it() {
    let lines: Vec<String> = (0..500).map(|n| format!("test case_{n} ... ok")).collect();
    let stdout =
        format!("running 500 tests\n{}\ntest result: ok. 500 passed; 0 failed\n", lines.join("\n"));
    let d = tool(
        ToolClass::Shell,
        "",
        json!({"command": "cargo test", "description": "Run the tests"}),
        json!({"stdout": stdout, "stderr": "\u{1b}[32mdone\u{1b}[0m"}),
    );
    assert_eq!(
        (d.command.as_str(), d.detail.as_str(), d.failed),
        ("cargo test", "Run the tests", false)
    );
    assert!(d.outcome.contains("test result: ok. 500 passed; 0 failed"), "{}", d.outcome);
    assert!(d.outcome.ends_with("done"), "{}", d.outcome);
    assert!(d.outcome.len() < 1_000);
    assert_eq!(result_line(&d.outcome, 100), "test result: ok. 500 passed; 0 failed");
}

#[test]
fn a_failure_is_known_by_error_code_or_words() {
    let d =
        failed("cargo test", "Exit code 101\nerror[E0308]: mismatched types\n  --> src/a.rs:3:5");
    assert!(d.failed);
    assert_eq!(error_line(&d.outcome, 100), "error[E0308]: mismatched types");
    let hidden = json!({"stdout": "--- FAIL: TestA (0.00s)\nFAIL\n", "stderr": ""});
    assert!(
        tool(ToolClass::Shell, "", json!({"command": "go test ./... | tail -20"}), hidden.clone())
            .failed
    );
    assert!(!tool(ToolClass::Shell, "", json!({"command": "cat test.log"}), hidden).failed);
    let coded = json!({"output": "boom", "metadata": {"exit_code": 2}});
    assert!(tool(ToolClass::Shell, "", json!({"command": "x"}), coded).failed);
    let fine = json!({"stdout": "test result: ok. 3 passed; 0 failed"});
    assert!(!tool(ToolClass::Shell, "", json!({"command": "cargo test"}), fine).failed);
    let go =
        "Exit code 1\n[test] ERROR task failed\ncmd/paths/paths.go:149:28: undefined: regexp\nFAIL";
    assert_eq!(
        error_line(&failed("go test", go).outcome, 100),
        "paths.go:149:28: undefined: regexp"
    );
}

#[test]
fn a_command_that_writes_a_file_names_it() {
    let written = |command: &str| {
        tool(ToolClass::Shell, "", json!({"command": command}), json!({"stdout": ""})).paths
    };
    assert_eq!(written("cat > src/a.rs <<'EOF'\nfn main() { x > 1.5; }\nEOF"), ["api/src/a.rs"]);
    assert_eq!(written("mkdir -p x && echo hi >> /home/dev/project/notes.md"), ["notes.md"]);
    assert_eq!(written("make 2>&1 | tee build.log"), ["api/build.log"]);
    assert_eq!(written("sed -i 's/a/b/' conf/app.toml"), ["api/conf/app.toml"]);
    for command in [
        "cat a.rs",
        "cargo test > /dev/null",
        "echo $X > $FILE",
        "cat > /tmp/x.txt",
        "sed -n 1,5p a.rs",
        "echo 'a > b.c'",
    ] {
        assert!(written(command).is_empty(), "{command}: {:?}", written(command));
    }
}

#[test]
fn searches_web_mcp_and_agents_keep_question_and_gist() {
    let d = tool(
        ToolClass::Search,
        "/home/dev/project/src",
        json!({"pattern": "retry", "path": "/home/dev/project/src"}),
        json!({"mode": "files_with_matches", "numFiles": 3}),
    );
    assert_eq!(
        (d.detail.as_str(), d.outcome.as_str(), d.paths.len()),
        ("retry in src", "3 hits", 0)
    );
    let d = tool(ToolClass::Web, "", json!({"url": "https://example.com/a"}), json!("page"));
    assert_eq!(d.detail, "https://example.com/a");
    let d = tool(
        ToolClass::Mcp,
        "",
        json!({"id": 7, "q": "x"}),
        json!([{"type": "text", "text": "found"}]),
    );
    assert_eq!((d.detail.as_str(), d.outcome.as_str()), ("id: 7, q: x", "found"));
    let d = tool(
        ToolClass::Agent,
        "",
        json!({"description": "Find it", "prompt": "long"}),
        json!({"content": [{"type": "text", "text": "It is in a.rs"}], "totalTokens": 5}),
    );
    assert_eq!((d.detail.as_str(), d.outcome.as_str()), ("Find it", "It is in a.rs"));
    let answers = json!({"answers": {"Which database?": "SQLite"}});
    assert_eq!(
        tool(ToolClass::Other, "", json!({"questions": []}), answers).detail,
        "Which database? → SQLite"
    );
}

#[test]
fn words_are_cut_and_injected_blocks_are_gone() {
    let text = format!(
        "Fix it <afterword-context project=\"p\">old</afterword-context>now{}",
        "x".repeat(9_000)
    );
    let d = digest(&event(EventBody::Prompt { text, private: false }));
    assert!(d.detail.starts_with("Fix it nowx") && d.detail.chars().count() == 2_000);
    let d = digest(&event(EventBody::Prompt { text: "secret".to_owned(), private: true }));
    assert!(d.detail.is_empty());
    let d = digest(&event(EventBody::Stop { answer: Some("好".repeat(5_000)), error: None }));
    assert!(d.detail.len() < 6_200 && !d.failed);
    let d = digest(&event(EventBody::Stop { answer: None, error: Some("overloaded".to_owned()) }));
    assert_eq!((d.outcome.as_str(), d.failed), ("overloaded", true));
    let summary = "<analysis>thinking</analysis>\n<summary>\n1. Request\n</summary>".to_owned();
    assert_eq!(digest(&event(EventBody::PostCompact { summary })).detail, "1. Request");
    let start = EventBody::SessionStart { source: StartSource::Compact, changed_files: Vec::new() };
    assert_eq!(digest(&event(start)).detail, "compact");
    assert_eq!(
        digest(&event(EventBody::SessionEnd { reason: "clear".to_owned() })).detail,
        "clear"
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let name = prop_oneof![
            Just("stdout".to_owned()),
            Just("content".to_owned()),
            Just("structuredPatch".to_owned()),
            Just("lines".to_owned()),
            Just("answers".to_owned()),
            Just("todos".to_owned()),
            Just("command".to_owned()),
            Just("edits".to_owned()),
            "[a-z_]{1,8}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..6).prop_map(|m| json!(m)),
        ]
    })
}

proptest! {
    #[test]
    fn l7_any_shape_gives_a_small_digest(
        input in any_json(), output in any_json(), class in 0usize..9, path in ".{0,60}", command in proptest::option::of(".{0,80}"),
    ) {
        let class = [
            ToolClass::Read, ToolClass::Write, ToolClass::Edit, ToolClass::Shell, ToolClass::Search, ToolClass::Web,
            ToolClass::Mcp, ToolClass::Agent, ToolClass::Other,
        ][class];
        let tool = ToolUse { class, input, output, paths: vec![path], command, ..ToolUse::default() };
        let d = digest(&event(EventBody::ToolUse { tool }));
        prop_assert!(d.detail.len() + d.outcome.len() + d.command.len() < 6_000);
    }
}
