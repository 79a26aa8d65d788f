//! The client, the stub and the sandbox work together, without any hook of ours.

use afterword_testkit::{ClaudeCode, ModelStub, Sandbox, Turn};
use serde_json::json;

#[test]
fn stub_drives_the_real_cli() {
    let Some(client) = ClaudeCode::locate_or_skip() else { return };
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_afterword"));
    let stub = ModelStub::start();
    let notes = sandbox.project().join("notes.txt");
    stub.script(
        "work",
        [
            Turn::text("I write a note.")
                .and_tool("Write", &json!({"file_path": notes, "content": "alpha\n"})),
            Turn::tool("Bash", &json!({"command": "cat notes.txt; exit 3", "description": "Look"})),
            Turn::text("The note is written."),
        ],
    );

    let result = client.ask(&sandbox, &stub, "write a note [[script:work]]", &[]);

    assert_eq!(result["result"], "The note is written.");
    assert_eq!(std::fs::read_to_string(notes).unwrap(), "alpha\n");
    let steps: Vec<(String, usize)> =
        stub.requests().into_iter().map(|r| (r.script, r.step)).collect();
    assert_eq!(steps, [("work".into(), 0), ("work".into(), 1), ("work".into(), 2)]);
    let failure = stub.find_in_requests("Exit code 3");
    assert_eq!(failure.iter().map(|s| s.request).collect::<Vec<_>>(), [3], "{failure:?}");
    assert_eq!(stub.find_in_requests("afterword-context"), []);
}

#[test]
fn a_conversation_is_compacted_and_cleared() {
    let Some(client) = ClaudeCode::locate_or_skip() else { return };
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_afterword"));
    let stub = ModelStub::start();
    stub.script("talk", [Turn::text("First answer.")]);

    let mut talk = client.converse(&sandbox, &stub, &[]);
    let first = talk.say("hello [[script:talk]]");
    assert_eq!(first["result"], "First answer.");
    talk.say("/compact");
    assert_eq!(stub.requests().last().unwrap().script, "(compaction)");
    let after = talk.say("and now?");
    assert_eq!(after["session_id"], first["session_id"]);
    let request = stub.requests().pop().unwrap();
    assert_eq!((request.count("STUB-SUMMARY"), request.count("First answer.")), (1, 0));
    talk.say("/clear");
    let cleared = talk.say("who are you?");
    assert_ne!(cleared["session_id"], first["session_id"]);
    assert_eq!(stub.requests().pop().unwrap().count("STUB-SUMMARY"), 0);
    drop(talk.end().success());
}
