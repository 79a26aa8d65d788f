//! What a compaction or `/clear` drops from the conversation comes back from memory.

use serde_json::json;

use super::{Story, assert_contains, session_block};

#[test]
fn after_a_compaction_the_block_is_there_once_with_the_snapshot() {
    let Some(story) = Story::begin() else { return };
    let mut talk = story.client.converse(&story.sandbox, &story.stub, &[]);
    let first = talk.say("build a retry queue [[script:build]]");

    talk.say("/compact");
    assert_eq!(story.stub.requests().pop().unwrap().script, "(compaction)");
    let asked = story.stub.count();
    let after = talk.say("go on");

    assert_eq!(after["session_id"], first["session_id"]);
    let request = story.stub.requests_after(asked).remove(0);
    assert_eq!(request.count("STUB-SUMMARY"), 1, "the client's own summary is in place");
    // The summary names nothing, so this can only come from what was kept before.
    assert_contains(&session_block(&request), &["retry_queue.rs", "exponential backoff"]);
    drop(talk.end().success());

    story.settle();
    let snapshots = story.search("retry_queue", &["--kind", "snapshot"]);
    assert_eq!(snapshots.len(), 1, "{snapshots:?}");
    assert_contains(&snapshots[0]["text"].to_string(), &["retry_queue.rs"]);
    assert_eq!(snapshots[0]["session"], first["session_id"]);
}

#[test]
fn a_cleared_conversation_starts_with_the_work_before_it() {
    let Some(story) = Story::begin() else { return };
    let mut talk = story.client.converse(&story.sandbox, &story.stub, &[]);
    let first = talk.say("build a retry queue [[script:build]]");

    talk.say("/clear");
    let asked = story.stub.count();
    let cleared = talk.say("who are you?");

    assert_ne!(cleared["session_id"], first["session_id"]);
    let request = story.stub.requests_after(asked).remove(0);
    assert_eq!(request.count("I begin with the queue"), 0, "the conversation is gone");
    assert_contains(&session_block(&request), &["retry_queue.rs", "jitter"]);
    drop(talk.end().success());

    let status = story.settle();
    assert_eq!(status["sessions"], 2, "{status}");
    let prompts = story.search("who are you", &["--kind", "prompt"]);
    let sessions = json!(prompts).to_string();
    assert_contains(&sessions, &[cleared["session_id"].as_str().unwrap()]);
}
