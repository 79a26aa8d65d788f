use std::collections::BTreeMap;
use std::path::Path;

use afterword_domain::event::{EventBody, ToolClass};
use serde_json::json;

use super::*;
use crate::hook::agents::{Draft, by_name};

fn fixtures() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hooks/claude-code");
    let mut payloads = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "json") && name != "http-hook-request.json" {
            let payload = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            payloads.insert(name, payload);
        }
    }
    payloads
}

fn read_as(moment: Moment, payload: Value) -> Reading {
    ClaudeCode.read(moment, payload, Instant::now())
}

fn kept(moment: Moment, payload: Value) -> Draft {
    match read_as(moment, payload) {
        Reading::Keep(draft) => *draft,
        other => panic!("{other:?}"),
    }
}

fn tool(payload: Value) -> afterword_domain::event::ToolUse {
    match kept(Moment::PostTool, payload).body {
        EventBody::ToolUse { tool } => tool,
        other => panic!("{other:?}"),
    }
}

fn shown(reading: Reading) -> Value {
    match reading {
        Reading::Ignore => "ignored".into(),
        Reading::Ask(question) => json!({ "asks": question.tool_name, "of": question.tool_input }),
        Reading::Keep(draft) => json!({
            "session": draft.session_id,
            "turn": draft.turn_id,
            "subagent": draft.subagent,
            "model": draft.model,
            "cwd": draft.cwd,
            "body": draft.body,
        }),
    }
}

#[test]
fn captured_payloads_are_read_as_recorded() {
    let golden: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("golden.json")).unwrap();
    let mut seen = BTreeMap::new();
    for (name, payload) in fixtures() {
        let reading = match ClaudeCode.moment(&payload) {
            Some(moment) => shown(read_as(moment, payload)),
            None => "unknown".into(),
        };
        seen.insert(name, reading);
    }
    for (name, wanted) in &golden {
        assert_eq!(seen.get(name), Some(wanted), "{name}");
    }
    let new: Vec<_> = seen.keys().filter(|name| !golden.contains_key(*name)).collect();
    assert!(new.is_empty(), "payloads without a record: {new:?}");
}

#[test]
fn no_field_is_needed_but_the_session() {
    for (_, payload) in fixtures() {
        let Some(moment) = ClaudeCode.moment(&payload) else { continue };
        let fields: Vec<String> = payload.as_object().unwrap().keys().cloned().collect();
        for field in &fields {
            for wrong in [Value::Null, json!(42), json!(true), json!([[]]), json!({"a": {}})] {
                let mut broken = payload.clone();
                broken[field] = wrong;
                drop(read_as(moment, broken));
            }
            let mut without = payload.clone();
            without.as_object_mut().unwrap().remove(field);
            let reading = read_as(moment, without);
            if field == "session_id" && moment != Moment::PreTool {
                assert_eq!(reading, Reading::Ignore, "ids are never made up");
            }
        }
    }
}

#[test]
fn wrong_types_are_tolerated_field_by_field() {
    let draft = kept(
        Moment::Prompt,
        json!({"session_id": "s", "prompt": 42, "cwd": null, "prompt_id": [], "model": {}}),
    );
    assert_eq!(draft.body, EventBody::Prompt { text: "42".into(), private: false });
    assert_eq!((draft.cwd, draft.turn_id, draft.model), (None, None, None));
    let blocks = json!([{"type": "text", "text": "a"}, {"type": "image"}, "b"]);
    let draft = kept(Moment::Prompt, json!({"session_id": 7, "prompt": blocks}));
    assert_eq!(draft.session_id, "7");
    assert_eq!(draft.body, EventBody::Prompt { text: "a\nb".into(), private: false });
    for response in [json!("text"), json!([1, "a"]), json!({"x": 1}), json!(3), Value::Null] {
        let tool = tool(json!({
            "session_id": "s", "tool_name": "Odd", "tool_input": 1, "tool_response": response,
            "duration_ms": 12.7, "is_interrupt": "no"
        }));
        assert_eq!(tool.output, response);
        assert_eq!(tool.duration_ms, Some(12));
    }
}

#[test]
fn f9_prompts_of_machines_are_no_prompts() {
    for text in [
        "<task-notification>\n<task-id>1</task-id>",
        "  <command-name>/clear</command-name>",
        "<command-message>x</command-message>",
        "<local-command-stdout>x",
        "<local-command-caveat>x",
        "[Request interrupted by user]",
        "",
        " \n",
    ] {
        let payload = json!({"session_id": "s", "prompt": text});
        assert_eq!(read_as(Moment::Prompt, payload), Reading::Ignore, "{text}");
    }
    let payload = json!({"session_id": "s", "prompt": "explain <task-notification>"});
    assert_ne!(read_as(Moment::Prompt, payload), Reading::Ignore);
}

#[test]
fn p3_a_stop_from_inside_a_subagent_is_the_subagents() {
    let payload = json!({"session_id": "s", "agent_id": "a", "last_assistant_message": "x"});
    let draft = kept(Moment::Stop, payload);
    assert_eq!(draft.body, EventBody::SubagentStop { answer: Some("x".into()) });
    assert_eq!(draft.subagent.unwrap().id, "a");
    let draft =
        kept(Moment::PostTool, json!({"session_id": "s", "agent_type": "x", "tool_name": "Bash"}));
    assert_eq!(draft.subagent, None, "under --agent the session itself has a type");
}

#[test]
fn weight_is_left_out_and_the_rest_stays() {
    let code = "Ab0+".repeat(5_000);
    let edit = tool(json!({
        "session_id": "s", "tool_name": "Edit",
        "tool_input": {"file_path": "/p/a.rs", "old_string": "x", "new_string": "y"},
        "tool_response": {"originalFile": "the whole file", "structuredPatch": [{"lines": ["-x"]}]}
    }));
    assert_eq!(edit.output, json!({"structuredPatch": [{"lines": ["-x"]}]}));
    assert_eq!((edit.class, edit.paths), (ToolClass::Edit, vec!["/p/a.rs".to_owned()]));
    let image = json!({"stdout": code, "isImage": true, "stderr": "s"});
    let bash = tool(json!({"session_id": "s", "tool_name": "Bash", "tool_response": image}));
    assert_eq!(bash.output, json!({"stdout": "[image left out]", "isImage": true, "stderr": "s"}));
    let file = json!({"type": "image", "file": {"base64": code, "type": "image/png"}});
    let read = tool(json!({"session_id": "s", "tool_name": "Read", "tool_response": file}));
    assert_eq!(read.output["file"]["base64"], "[file left out]");
    let raw = tool(json!({"session_id": "s", "tool_name": "X", "tool_response": {"k": [code]}}));
    assert_eq!(raw.output["k"][0], "[encoded data left out]");
    let words = "word ".repeat(5_000);
    let text = tool(json!({"session_id": "s", "tool_name": "X", "tool_response": words}));
    assert_eq!(text.output, words.as_str());
}

#[test]
fn l7_mcp_answers_are_unwrapped_whatever_their_shape() {
    let answer = |response: Value| {
        let payload =
            json!({"session_id": "s", "tool_name": "mcp__m__t", "tool_response": response});
        tool(payload).output
    };
    let blocks = json!([
        {"type": "text", "text": "a"}, {"type": "image", "data": "QUJD", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "x", "text": "b"}}
    ]);
    assert_eq!(answer(blocks), "a\n[image left out]\nb");
    assert_eq!(answer(json!("{\"hits\":[1]}")), json!({"hits": [1]}));
    assert_eq!(
        answer(json!([{"type": "text", "text": "{\"password\":\"x\"}"}])),
        json!({"password": "x"})
    );
    assert_eq!(answer(json!("{broken")), "{broken");
    assert_eq!(answer(json!([])), json!([]));
    assert_eq!(answer(json!([1, {"type": 2}])), json!([1, {"type": 2}]));
}

#[test]
fn commands_and_failures_are_seen() {
    let bash =
        tool(json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}));
    assert_eq!(
        (bash.class, bash.command.as_deref(), bash.failed()),
        (ToolClass::Shell, Some("ls"), false)
    );
    for (extra, wanted) in [
        (json!({}), "failed"),
        (json!({"is_interrupt": true}), "interrupted by the user"),
        (json!({"error": "Exit code 3"}), "Exit code 3"),
    ] {
        let mut payload = json!({"session_id": "s", "tool_name": "Bash", "tool_input": "make"});
        payload.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let EventBody::ToolUse { tool } = kept(Moment::PostToolFailure, payload).body else {
            panic!("a tool use");
        };
        assert_eq!((tool.error.as_deref(), tool.command.as_deref()), (Some(wanted), Some("make")));
    }
}

#[test]
fn context_is_said_under_the_events_own_name_and_nowhere_else() {
    let reply = Reply::Context { text: "remember".into(), notice: Some("for you".into()) };
    let answer = reply::encode(Moment::SessionStart, &reply).unwrap();
    assert_eq!(
        answer,
        json!({
            "hookSpecificOutput":
                {"hookEventName": "SessionStart", "additionalContext": "remember"},
            "systemMessage": "for you"
        })
    );
    let prompt = reply::encode(Moment::Prompt, &reply).unwrap();
    assert_eq!(prompt["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    let tool = reply::encode(Moment::PreTool, &reply).unwrap();
    assert_eq!(tool["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert!(tool["hookSpecificOutput"]["permissionDecision"].is_null(), "nothing is allowed");
    let notice = Reply::Context { text: String::new(), notice: Some("n".into()) };
    assert_eq!(reply::encode(Moment::Prompt, &notice), Some(json!({"systemMessage": "n"})));
    let deny = Reply::Deny { reason: "no".into() };
    for (_, moment) in Moment::WORDS {
        assert_eq!(reply::encode(moment, &Reply::None), None);
        if !matches!(moment, Moment::SessionStart | Moment::Prompt | Moment::PreTool) {
            assert_eq!(reply::encode(moment, &reply), None, "{moment:?}");
        }
        if moment != Moment::PreTool {
            assert_eq!(reply::encode(moment, &deny), None, "{moment:?}");
        }
    }
}

#[test]
fn a_denial_is_said_in_both_dialects() {
    let answer = reply::encode(Moment::PreTool, &Reply::Deny { reason: "why".into() }).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(answer["hookSpecificOutput"]["permissionDecisionReason"], "why");
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert_eq!((&answer["decision"], &answer["reason"]), (&json!("block"), &json!("why")));
}

#[test]
fn the_table_knows_the_words_of_the_command_line() {
    assert_eq!(by_name("claude-code").map(Adapter::name), Some("claude-code"));
    assert!(by_name("Claude").is_none());
    for (word, moment) in Moment::WORDS {
        assert_eq!(Moment::from_word(word), Some(moment));
        assert_eq!(wire::moment(wire::name(moment)), Some(moment));
    }
}
