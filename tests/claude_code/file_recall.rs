//! What is known of a file reaches the model when it touches the file for the first time.

use afterword_testkit::Turn;
use serde_json::json;

use super::{Story, assert_contains};

const NOTED: &str = "What earlier sessions noted of this file";

#[test]
fn the_model_is_told_of_a_file_with_its_first_touch_and_once() {
    let Some(story) = Story::begin() else { return };
    story.ask("build a retry queue [[script:build]]");
    story.settle();
    // Alone: the block of the start and the answer to the prompt tell as much of so small a project.
    let settings = "[recall]\nsession_start = false\nprompt_recall = false\n";
    std::fs::write(story.sandbox.data().join("config.toml"), settings).unwrap();
    let file = story.sandbox.project().join("src/retry_queue.rs");
    let edit = json!({"file_path": file, "old_string": "250", "new_string": "300"});
    story.stub.script(
        "change",
        [
            Turn::tool("Bash", &json!({"command": "ls src", "description": "Look around"})),
            Turn::tool("Read", &json!({"file_path": file})),
            Turn::tool("Edit", &edit),
            Turn::text("Changed."),
        ],
    );
    let asked = story.stub.count();
    let result = story.ask("go on [[script:change]]");
    assert_eq!(result["result"], "Changed.");
    assert_eq!(result["permission_denials"], json!([]));
    assert!(std::fs::read_to_string(&file).unwrap().contains("300"), "the tools ran");

    let requests = story.stub.requests_after(asked);
    let told: Vec<usize> = requests.iter().map(|request| request.count(NOTED)).collect();
    assert_eq!(told, [0, 0, 1, 1], "with the first touch of the file, and once");
    let text = requests[2].find(NOTED).remove(0).text;
    assert_contains(&text, &["PreToolUse", "src/retry_queue.rs", "exponential backoff"]);

    // Our own words are not taken in again.
    story.settle();
    let found = json!(story.search("earlier sessions noted of this file", &[])).to_string();
    assert!(!found.contains(NOTED), "{found}");
}
