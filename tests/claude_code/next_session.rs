//! What one session did is in the first request of the next.

use serde_json::json;

use super::{SESSION_BLOCK, Story, assert_contains, session_block};

#[test]
fn the_next_session_starts_with_what_matters() {
    let Some(story) = Story::begin() else { return };
    let first = story.ask("build a retry queue [[script:build]]");
    assert_contains(first["result"].as_str().unwrap(), &["The retry queue works"]);
    assert_eq!(story.stub.count(), 5, "no hook makes the model go on");
    story.settle();

    let announced = story.sandbox.afterword(&["context"]).success().stdout;
    let asked = story.stub.count();
    story.ask("what was I doing?");

    let requests = story.stub.requests_after(asked);
    let block = session_block(&requests[0]);
    assert_contains(
        &block,
        &["project=\"demo-project\"", "retry_queue.rs", "exponential backoff", "jitter"],
    );
    assert!(block.encode_utf16().count() <= 9_500, "{} units", block.encode_utf16().count());
    assert_eq!(announced.trim_end(), block, "`afterword context` shows what is given");
}

#[test]
fn every_tool_use_and_its_outcome_is_kept() {
    let Some(story) = Story::begin() else { return };
    story.ask("build a retry queue [[script:build]]");
    let status = story.settle();
    // Session start, prompt, four tool uses, stop and session end.
    assert!(status["stored"].as_u64() >= Some(8), "{status}");
    assert_eq!(status["received"], status["stored"], "{status}");
    assert_eq!(status["parked"], 0, "{status}");
    assert_eq!(status["duplicates"], 0, "{status}");

    let found = story.search("backoff_doubles failed", &[]);
    let text = json!(found).to_string();
    assert_contains(&text, &["backoff_doubles", "retry_queue.rs"]);
}

#[test]
fn another_project_is_told_nothing_of_it() {
    let Some(story) = Story::begin() else { return };
    story.ask("build a retry queue [[script:build]]");
    story.settle();
    let other = story.sandbox.another_project("unrelated");
    let asked = story.stub.count();
    let mut command = story.client.command(&story.sandbox, &story.stub);
    command.current_dir(other).args(["-p", "what was I doing?", "--output-format", "json"]);
    drop(story.sandbox.run(command, b"").success());
    let requests = story.stub.requests_after(asked);
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].count("retry_queue"), 0);
}

#[test]
fn a_resumed_session_gets_no_second_block() {
    let Some(story) = Story::begin() else { return };
    story.ask("build a retry queue [[script:build]]");
    story.settle();
    let session = story.ask("what was I doing?")["session_id"].as_str().unwrap().to_owned();
    let asked = story.stub.count();

    let options = ["--resume", &session];
    let resumed = story.client.ask(&story.sandbox, &story.stub, "and now?", &options);

    assert_eq!(resumed["session_id"], json!(session));
    let requests = story.stub.requests_after(asked);
    assert_eq!(requests[0].count(SESSION_BLOCK), 1, "only the one of the replayed conversation");
}
