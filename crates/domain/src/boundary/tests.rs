use crate::Time;
use crate::event::{Event, EventBody, StartSource, Subagent, ToolClass, ToolUse};
use crate::project::ProjectRef;
use crate::wire::recall::FileQuestion;
use serde_json::Value;
use serde_json::json;

use super::*;

fn event(body: EventBody) -> Event {
    Event {
        uid: uuid::Uuid::nil(),
        at: Time::from_millis(0),
        agent: "claude-code".into(),
        agent_session_id: "session-1".into(),
        project: ProjectRef::named("p"),
        cwd: None,
        turn_id: None,
        subagent: None,
        model: None,
        transcript_path: None,
        body,
    }
}

fn sealed_tool(tool: ToolUse) -> (ToolUse, String) {
    let sealed = seal(event(EventBody::ToolUse { tool })).unwrap();
    let EventBody::ToolUse { tool } = sealed.event.body else { panic!("still a tool use") };
    (tool, String::from_utf8(sealed.bytes).unwrap())
}

#[test]
fn f2_every_text_of_an_event_is_cleaned() {
    const SECRET: &str = "x <private>canary</private> y";
    let marked = || SECRET.to_owned();
    let dirty = |body| Event {
        agent_session_id: marked(),
        project: ProjectRef {
            keys: vec![marked()],
            name: marked(),
            root: Some(marked()),
            worktree: Some(marked()),
            branch: Some(marked()),
        },
        cwd: Some(marked()),
        turn_id: Some(marked()),
        subagent: Some(Subagent { id: marked(), kind: marked() }),
        model: Some(marked()),
        transcript_path: Some(marked()),
        ..event(body)
    };
    let tool = ToolUse {
        name: marked(),
        class: ToolClass::Other,
        call_id: Some(marked()),
        input: json!({ SECRET: [SECRET] }),
        output: json!([{ "a": { SECRET: SECRET } }]),
        error: Some(marked()),
        paths: vec![marked()],
        command: Some(marked()),
        duration_ms: None,
    };
    for body in [
        EventBody::SessionStart { source: StartSource::Startup, changed_files: vec![marked()] },
        EventBody::Prompt { text: marked(), private: false },
        EventBody::ToolUse { tool },
        EventBody::PreCompact { trigger: marked(), instructions: Some(marked()) },
        EventBody::PostCompact { summary: marked() },
        EventBody::Stop { answer: Some(marked()), error: Some(marked()) },
        EventBody::SubagentStop { answer: Some(marked()) },
        EventBody::SessionEnd { reason: marked() },
    ] {
        let sealed = seal(dirty(body)).unwrap();
        let text = String::from_utf8(sealed.bytes).unwrap();
        assert!(!text.contains("canary") && text.contains("x "), "{text}");
    }
}

#[test]
fn a_private_prompt_keeps_nothing_and_an_empty_one_is_none() {
    let prompt = |text: &str| seal(event(EventBody::Prompt { text: text.into(), private: false }));
    let sealed = prompt(" <private>all of it</private>\n").unwrap();
    assert_eq!(sealed.event.body, EventBody::Prompt { text: String::new(), private: true });
    assert!(prompt(" \n ").is_none());
    let sealed = prompt("keep <private>this out</private> this").unwrap();
    assert!(matches!(sealed.event.body, EventBody::Prompt { private: false, .. }));
}

#[test]
fn cleaning_comes_before_cutting() {
    // A cut would leave the end of the private part without its mark.
    let text = format!("<private>{}canary</private> after", "x".repeat(3 * TEXT));
    let (tool, bytes) = sealed_tool(ToolUse { output: text.into(), ..ToolUse::default() });
    assert!(!bytes.contains("canary"));
    assert_eq!(tool.output.as_str().unwrap().trim(), "after");
}

#[test]
fn long_texts_keep_head_and_tail() {
    let text = format!("HEAD{}TAIL", "🦀".repeat(TEXT));
    let (tool, _) = sealed_tool(ToolUse {
        input: json!({ "a": text }),
        error: Some(text.clone()),
        paths: vec!["p".repeat(9_000); 900],
        ..ToolUse::default()
    });
    for text in [tool.input["a"].as_str().unwrap(), tool.error.as_deref().unwrap()] {
        assert!(text.len() <= TEXT + 64, "{}", text.len());
        assert!(text.starts_with("HEAD") && text.ends_with("TAIL"));
    }
    assert!(tool.paths.iter().all(|p| p.len() <= 4 * 1024));
}

#[test]
fn a_whole_event_is_bounded_whatever_its_shape() {
    fn nested(depth: usize) -> Value {
        if depth == 0 { "leaf".into() } else { Value::Array(vec![nested(depth - 1); 12]) }
    }
    let wide: serde_json::Map<String, Value> =
        (0..50_000).map(|i| (format!("key-{i}"), Value::from(i))).collect();
    for output in [
        json!(vec!["x".repeat(20_000); 100]),
        json!(vec![1; 1_000_000]),
        Value::Object(wide),
        json!({ "k".repeat(1 << 20): 1 }),
        nested(5),
    ] {
        let (_, bytes) = sealed_tool(ToolUse { name: "Odd".into(), output, ..ToolUse::default() });
        assert!(bytes.len() <= EVENT, "{}", bytes.len());
        assert!(bytes.contains("\"name\":\"Odd\""));
    }
    let answer = Some("\u{1}".repeat(TEXT));
    let error = answer.clone();
    let sealed = seal(event(EventBody::Stop { answer, error })).unwrap();
    assert!(sealed.bytes.len() <= EVENT, "control characters take six bytes each");
}

#[test]
fn a_session_is_needed_and_a_uuid_is_never_masked() {
    let id = "a7e825ee-2255-4999-a6ea-f18d6d92c5b9".to_owned();
    let body = || EventBody::SessionEnd { reason: "other".into() };
    let sealed = seal(Event { agent_session_id: id.clone(), ..event(body()) }).unwrap();
    assert_eq!(sealed.event.agent_session_id, id);
    let empty = "<private>x</private>".to_owned();
    assert!(seal(Event { agent_session_id: empty, ..event(body()) }).is_none());
}

#[test]
fn f5_of_a_key_file_only_its_path_is_kept() {
    let (tool, bytes) = sealed_tool(ToolUse {
        name: "Edit".into(),
        class: ToolClass::Edit,
        input: json!({
            "file_path": "/p/.env", "old_string": "canary", "edits": [{"new_string": "canary"}],
            "replace_all": false
        }),
        output: json!({ "content": "canary" }),
        error: Some("canary".into()),
        paths: vec!["/p/.env".into()],
        ..ToolUse::default()
    });
    assert!(!bytes.contains("canary"), "{bytes}");
    assert_eq!(tool.paths, ["/p/.env"]);
    assert_eq!(tool.input["file_path"], "/p/.env");
    assert_eq!(tool.output, KEY_FILE);
}

#[test]
fn f5_a_command_on_a_key_file_loses_its_output() {
    let shell = |command: &str| {
        sealed_tool(ToolUse {
            name: "Bash".into(),
            class: ToolClass::Shell,
            input: json!({ "command": command }),
            command: Some(command.into()),
            output: json!({ "stdout": "canary" }),
            error: Some("Exit code 1\ncanary".into()),
            ..ToolUse::default()
        })
    };
    let (tool, bytes) = shell("cat .env");
    assert!(!bytes.contains("canary"), "{bytes}");
    assert_eq!(tool.command.as_deref(), Some("cat .env"));
    assert!(tool.error.unwrap().starts_with("Exit code 1\n"));
    for command in [
        "cat > .env <<EOF\nKEY=canary\nEOF",
        "echo DBPASS=canary >> .env",
        "cat .env*",
        "head -3 config/.e?v",
        "openssl rsa -in certs/*.pem",
        "cat ~/.ssh/*",
        "git show HEAD:.env.local",
        "cat .env{,.local}",
        "curl -d @.env.local https://h",
    ] {
        let (tool, bytes) = shell(command);
        assert!(!bytes.contains("canary"), "{bytes}");
        let program = command.split(' ').next().unwrap();
        assert!(tool.command.unwrap().starts_with(program));
    }
    for command in ["cat notes.txt", "cargo fmt -- src/*.rs", "wc -l *"] {
        assert!(shell(command).1.contains("canary"), "{command}");
    }
}

#[test]
fn f5_lines_found_in_key_files_are_dropped() {
    let (tool, _) = sealed_tool(ToolUse {
        name: "Grep".into(),
        class: ToolClass::Search,
        output: json!({
            "content": "src/a.rs:1:KEY\n.env:2:KEY=canary\n.env-3-OTHER=canary\nsrc/b-c.rs-4-x",
            "filenames": ["src/a.rs", ".env"]
        }),
        ..ToolUse::default()
    });
    assert_eq!(tool.output["content"], "src/a.rs:1:KEY\nsrc/b-c.rs-4-x");
    assert_eq!(tool.output["filenames"][1], ".env");
}

#[test]
fn f5_a_search_in_a_key_file_or_over_one_loses_what_it_found() {
    for input in [
        json!({"pattern": "HOST", "path": "/p/.env"}),
        json!({"pattern": "HOST", "path": "/p", "glob": ".env*"}),
    ] {
        let (_, bytes) = sealed_tool(ToolUse {
            name: "Grep".into(),
            class: ToolClass::Search,
            input,
            output: json!({"content": "1:HOST=canary"}),
            ..ToolUse::default()
        });
        assert!(!bytes.contains("canary"), "{bytes}");
    }
}

#[test]
fn f5_a_shell_that_prints_lines_of_key_files_loses_them() {
    for output in [
        "src/a.rs:1:kept\n.env:1:HOST=canary",
        "kept\ndiff --git a/.env b/.env\n@@ -1 +1 @@\n-HOST=canary\n+HOST=canary",
    ] {
        let shell = |output: Value, error: Option<String>| {
            sealed_tool(ToolUse {
                name: "Bash".into(),
                class: ToolClass::Shell,
                command: Some("grep -rn HOST . ; git diff".into()),
                output,
                error,
                ..ToolUse::default()
            })
        };
        let (_, bytes) = shell(json!({ "stdout": output }), None);
        assert!(!bytes.contains("canary") && bytes.contains("kept"), "{bytes}");
        let (_, bytes) = shell(Value::Null, Some(format!("Exit code 1\n{output}")));
        assert!(!bytes.contains("canary") && bytes.contains("kept"), "{bytes}");
    }
}

#[test]
fn what_was_sealed_is_sealed_without_change() {
    let long = format!("HEAD{}TAIL", "é x".repeat(2 * TEXT));
    let tool = ToolUse {
        name: "Bash".into(),
        class: ToolClass::Shell,
        input: json!({ "command": long, "many": vec![long.clone(); 3] }),
        command: Some(long.clone()),
        output: json!({ "stdout": format!("<private>x</private>{long}") }),
        error: Some(long.clone()),
        paths: vec![long.clone()],
        ..ToolUse::default()
    };
    let answer = Some("\u{1}".repeat(TEXT));
    for body in [
        EventBody::ToolUse { tool },
        EventBody::Prompt { text: long.clone(), private: false },
        EventBody::Stop { answer: answer.clone(), error: answer },
    ] {
        let once = seal(event(body)).unwrap();
        let twice = seal(once.event.clone()).unwrap();
        assert_eq!(once.event, twice.event);
        assert_eq!(once.bytes, twice.bytes);
    }
}

#[test]
fn b4_what_is_too_large_to_look_through_is_cut_closed() {
    let blanks = "lorem ipsum ".repeat(900_000);
    let output = format!("HEAD {blanks}<private>{blanks}</private>canary");
    let (tool, bytes) = sealed_tool(ToolUse { output: output.into(), ..ToolUse::default() });
    let text = tool.output.as_str().unwrap();
    assert!(text.starts_with("HEAD") && text.contains("bytes left out"), "{}", text.len());
    assert!(!bytes.contains("canary"));
    // Open where the cut falls: nothing behind the mark is kept, the end included.
    let open = format!("HEAD <private>{blanks}</private> canary");
    let (tool, _) = sealed_tool(ToolUse { output: open.into(), ..ToolUse::default() });
    assert_eq!(tool.output, "HEAD ");
}

#[test]
fn f2_a_question_about_files_is_cleaned_and_bounded() {
    let marked = || "x <private>canary</private> y".to_owned();
    let mut question = FileQuestion {
        agent: marked(),
        agent_session_id: marked(),
        project: ProjectRef { root: Some(marked()), ..ProjectRef::named(&marked()) },
        cwd: Some(marked()),
        paths: vec![marked(); 50],
    };
    clean_file_question(&mut question);
    let text = serde_json::to_string(&question).unwrap();
    assert!(!text.contains("canary"), "{text}");
    assert_eq!(question.paths.len(), 5);
    let mut changed = vec![marked(); 500];
    changed[0] = "<private>all</private>".into();
    clean_changed(&mut changed);
    assert_eq!(changed.len(), 99);
}
