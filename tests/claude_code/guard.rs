//! Writes to the agent's own memory files are refused; everything else goes on.

use afterword_testkit::Turn;
use serde_json::json;

use super::{Story, assert_contains};

#[test]
fn a_guarded_write_is_denied_with_the_reason_and_nothing_else_is() {
    let Some(story) = Story::begin() else { return };
    let project = story.sandbox.project();
    let write = |path: &str| {
        let input = json!({"file_path": project.join(path), "content": "remember me\n"});
        Turn::tool("Write", &input)
    };
    let redirect = json!({"command": "echo remember me >> MEMORY.md", "description": "Note"});
    story.stub.script(
        "note",
        [
            write("MEMORY.md"),
            Turn::tool("Bash", &redirect),
            write("docs/memory.md"),
            Turn::text("Noted."),
        ],
    );

    let result = story.ask("note this [[script:note]]");

    assert_eq!(result["result"], "Noted.");
    assert!(!project.join("MEMORY.md").exists());
    assert!(project.join("docs/memory.md").exists(), "a document of the project is not guarded");
    let denials = result["permission_denials"].as_array().unwrap();
    let tools: Vec<_> = denials.iter().map(|d| d["tool_name"].as_str().unwrap()).collect();
    assert_eq!(tools, ["Write", "Bash"]);
    for (number, request) in story.stub.requests().iter().enumerate().skip(1).take(2) {
        let results = request.find("\"is_error\":true");
        let last = results.last().unwrap_or_else(|| panic!("request {number} has a refusal"));
        assert_contains(&last.place, &["type=tool_result"]);
        // The model is told where memory lives instead.
        assert_contains(&last.text, &["afterword"]);
    }
    story.settle();
    let found = json!(story.search("docs memory", &[])).to_string();
    assert_contains(&found, &["docs/memory.md"]);
}
