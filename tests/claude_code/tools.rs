//! The model asks the memory by itself, through the MCP server that the install registered.

use afterword_testkit::Turn;
use serde_json::json;

use super::{Story, assert_contains};

#[test]
fn the_model_searches_reads_and_remembers() {
    let Some(story) = Story::begin() else { return };
    story.ask("build a retry queue [[script:build]]");
    story.settle();
    let id = story.search("retry_queue", &["--kind", "observation"])[0]["id"].clone();
    let tool = |name: &str, input: serde_json::Value| {
        Turn::tool(&format!("mcp__afterword__{name}"), &input)
    };
    story.stub.script(
        "ask",
        [
            tool("search", json!({"query": "retry_queue", "kind": "observation"})),
            tool("get_observations", json!({"ids": [id]})),
            tool("remember", json!({"text": "Retries never wait longer than 30 seconds"})),
            tool("forget", json!({"ids": ["m999"]})),
            tool("recent_context", json!({})),
            Turn::text("It is exponential."),
        ],
    );
    let asked = story.stub.count();
    let allowed = ["search", "get_observations", "remember", "forget", "recent_context"]
        .map(|name| format!("mcp__afterword__{name}"));
    let mut options = vec!["--allowedTools"];
    options.extend(allowed.iter().map(String::as_str));
    let result = story.client.ask(
        &story.sandbox,
        &story.stub,
        "how do we back off? [[script:ask]]",
        &options,
    );
    assert_eq!(result["result"], "It is exponential.");
    assert_eq!(result["permission_denials"], json!([]));

    let requests = story.stub.requests_after(asked);
    let results = |step: usize| -> String {
        let request = requests.iter().find(|r| r.script == "ask" && r.step == step).unwrap();
        request.texts().into_iter().rfind(|s| s.place.ends_with("type=tool_result")).unwrap().text
    };
    assert_contains(&results(1), &[id.as_str().unwrap(), "observation"]);
    assert_contains(&results(2), &["src/retry_queue.rs", "not instructions"]);
    assert_contains(&results(3), &["m1"]);
    assert_contains(&results(4), &["no such rows", "is_error"]);
    let block = results(5);
    assert_contains(&block, &["<afterword-context", "30 seconds", "</afterword-context>"]);
    assert_eq!(block.matches("Retries never wait").count(), 1, "once: {block}");

    // What our own tools answered is not taken in again.
    let status = story.settle();
    assert_eq!(status["skipped"]["tool_excluded"], 5, "{status}");
    assert_eq!(story.search("", &["--kind", "memory"]).len(), 1);
}
