//! Integrations of the five-stage observer, old spellings and new, against the daemon.

use std::time::Duration;

use afterword::client::Client;
use afterword::config::Home;
use afterword_testkit::Sandbox;
use serde_json::{Value, json};

use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// The daemon's door, opened with its token.
pub(crate) struct Door(pub(crate) Client);

impl Door {
    pub(crate) fn open(sandbox: &Sandbox) -> Self {
        sandbox.start_daemon();
        Self(Client::find(&Home::new(sandbox.data()), Duration::from_secs(30)).unwrap())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.0.post_json(path, body).unwrap();
        assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    pub(crate) fn text(&self, path: &str) -> String {
        let answer = self.0.get(path).unwrap();
        let status = answer.status;
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
        String::from_utf8(answer.body).unwrap()
    }
}

#[test]
fn a_whole_session_in_the_old_spelling() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let prompt = "Make the export stream its rows";
    let init = door.post(
        "/sessions/init",
        &json!({ "sessionId": "ide-1", "project": "shop", "userPrompt": prompt }),
    );
    assert_eq!(init["promptNumber"], 1);
    let id = init["sessionDbId"].as_i64().unwrap();
    let again = door.post(
        &format!("/sessions/{id}/init"),
        &json!({ "project": "shop", "userPrompt": prompt, "promptNumber": 1 }),
    );
    assert_eq!((&again["sessionDbId"], &again["promptNumber"]), (&id.into(), &1.into()));
    let queued = door.post(
        "/api/sessions/observations",
        &json!({
            "claudeSessionId": "ide-1", "tool_name": "Edit", "cwd": "/home/dev/shop",
            "tool_input": { "file_path": "/home/dev/shop/src/export.rs", "old_string": "a", "new_string": "b" },
            "tool_response": "ok",
        }),
    );
    assert_eq!(queued["status"], "queued");
    let skipped = door.post(
        "/api/sessions/observations",
        &json!({ "claudeSessionId": "ide-1", "tool_name": "TodoWrite", "tool_input": {} }),
    );
    assert_eq!(
        (&skipped["status"], &skipped["reason"]),
        (&"skipped".into(), &"tool_excluded".into())
    );
    let summary = door.post(
        "/api/sessions/summarize",
        &json!({
            "claudeSessionId": "ide-1", "last_user_message": prompt,
            "last_assistant_message": "The export streams now.\n\nNext steps:\n- stream the import too",
        }),
    );
    assert_eq!(summary["status"], "queued");
    door.post("/api/processing", &json!({ "isProcessing": false }));
    let done = door
        .post("/api/sessions/complete", &json!({ "claudeSessionId": "ide-1", "reason": "exit" }));
    assert_eq!(done["status"], "accepted");
    let status = settle(&sandbox);
    assert_eq!((&status["stored"], &status["parked"]), (&4.into(), &0.into()), "{status}");
    let block = door.text("/api/context/inject?project=shop");
    assert!(block.contains("src/export.rs") && block.contains("stream the import too"), "{block}");
}

#[test]
fn the_new_spelling_shares_the_routes_and_private_prompts_stay_out() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let body = |prompt: &str| json!({ "contentSessionId": "c-1", "project": "shop", "prompt": prompt, "platformSource": "claude" });
    let first = door.post("/api/sessions/init", &body("Look at the cart"));
    assert_eq!((&first["skipped"], &first["status"]), (&false.into(), &"initialized".into()));
    let second = door.post("/api/sessions/init", &body("<private>secret</private>"));
    assert_eq!((&second["skipped"], &second["reason"]), (&true.into(), &"private".into()));
    let tool = json!({ "contentSessionId": "c-1", "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "t1" });
    assert_eq!(door.post("/api/sessions/observations", &tool)["reason"], "private");
    let third = door.post("/api/sessions/init", &body("And now the basket"));
    assert_eq!(third["promptNumber"], 2);
    let ended = json!({ "contentSessionId": "c-1" });
    assert_eq!(door.post("/api/sessions/session-end", &ended)["status"], "accepted");
    let unknown = json!({ "contentSessionId": "nobody" });
    assert_eq!(door.post("/api/sessions/session-end", &unknown)["status"], "unknown_session");
}

#[test]
fn a_prompt_that_comes_again_is_told_as_a_duplicate() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let body =
        json!({ "contentSessionId": "c-1", "project": "shop", "prompt": "Look at the cart" });
    let first = door.post("/api/sessions/init", &body);
    let again = door.post("/api/sessions/init", &body);
    assert_eq!((&again["skipped"], &again["reason"]), (&true.into(), &"duplicate".into()));
    for key in ["sessionDbId", "promptNumber"] {
        assert_eq!(again[key], first[key], "{again}");
    }
    assert_eq!(settle(&sandbox)["rows"]["prompt"], 1);
}

#[test]
fn a_session_without_a_prompt_keeps_what_its_tools_did() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    // As the OpenCode plug-in begins, which never learns of a prompt.
    let begun = json!({ "contentSessionId": "opencode-1", "project": "shop", "prompt": "" });
    let begun = door.post("/api/sessions/init", &begun);
    assert_eq!((&begun["skipped"], &begun["promptNumber"]), (&false.into(), &0.into()), "{begun}");
    let tool = json!({
        "contentSessionId": "opencode-1", "tool_name": "write", "cwd": "/home/dev/shop",
        "tool_input": { "filePath": "/home/dev/shop/src/basket.rs", "content": "x" }, "tool_response": "ok",
    });
    assert_eq!(door.post("/api/sessions/observations", &tool)["status"], "queued");
    let summary = json!({ "contentSessionId": "opencode-1", "last_assistant_message": "" });
    assert_eq!(door.post("/api/sessions/summarize", &summary)["status"], "queued");
    settle(&sandbox);
    assert!(door.text("/api/context/inject?project=shop").contains("src/basket.rs"));
}

#[test]
fn i15_an_observation_of_an_unknown_session_makes_it() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let tool = json!({
        "claudeSessionId": "late", "tool_name": "Write", "cwd": "/home/dev/late-project",
        "tool_input": { "file_path": "/home/dev/late-project/a.rs", "content": "fn main() {}" },
    });
    assert_eq!(door.post("/api/sessions/observations", &tool)["status"], "queued");
    settle(&sandbox);
    assert!(door.text("/api/context/inject?project=late-project").contains("a.rs"));
}

#[test]
fn an_editor_that_saves_files_is_understood() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    door.post(
        "/sessions/init",
        &json!({ "sessionId": "ide", "project": "shop", "userPrompt": "Round the totals" }),
    );
    for (tool, input) in [
        ("FileSave", json!({ "path": "/home/dev/shop/src/saved.rs" })),
        ("write_file", json!({ "absolute_path": "/home/dev/shop/src/written.rs", "content": "x" })),
        ("apply_patch", json!({ "input": "*** Update File: src/patched.rs\n" })),
        ("FileEdit", json!({ "uri": "file:///home/dev/shop/src/an%20edit.rs" })),
    ] {
        let body = json!({
            "claudeSessionId": "ide", "tool_name": tool, "tool_input": input,
            "tool_response": "File saved successfully",
        });
        assert_eq!(door.post("/api/sessions/observations", &body)["status"], "queued", "{tool}");
    }
    settle(&sandbox);
    let export = sandbox.afterword(&["export", "--project", "shop"]).success().stdout;
    for file in ["src/saved.rs", "src/written.rs", "src/patched.rs", "src/an edit.rs"] {
        assert!(export.contains(file), "{file} in {export}");
    }
    let observation = export.lines().find(|l| l.contains("src/saved.rs")).unwrap();
    let row: Value = serde_json::from_str(observation).unwrap();
    assert!(row["content"]["files_modified"].to_string().contains("saved.rs"), "{row}");
}

#[test]
fn a_caller_that_reports_no_prompts_still_says_what_was_asked() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let summarize = json!({
        "claudeSessionId": "quiet", "project": "shop",
        "last_user_message": "Why does the basket forget its coupons?",
        "last_assistant_message": "The coupon was kept in the page only. Next steps:\n- add a test",
    });
    for _ in 0..2 {
        assert_eq!(door.post("/api/sessions/summarize", &summarize)["status"], "queued");
    }
    let status = settle(&sandbox);
    assert_eq!(status["rows"]["prompt"], 1, "said twice is once: {status}");
    assert_eq!(status["stored"], 2, "{status}");
    let block = door.text("/api/context/inject?project=shop");
    assert!(block.contains("basket forget its coupons"), "{block}");
    // A session whose prompts came is not told again what was asked.
    let init = json!({ "sessionId": "loud", "project": "shop", "userPrompt": "Sort the basket" });
    door.post("/sessions/init", &init);
    let mut again = summarize;
    again["claudeSessionId"] = "loud".into();
    door.post("/api/sessions/summarize", &again);
    assert_eq!(settle(&sandbox)["rows"]["prompt"], 2);
    let private = json!({
        "claudeSessionId": "private", "last_user_message": "<private>my salary</private>",
        "last_assistant_message": "It is a lot.",
    });
    assert_eq!(door.post("/api/sessions/summarize", &private)["reason"], "private");
}

#[test]
fn bodies_are_read_leniently() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let both = json!({
        "claudeSessionId": "one", "contentSessionId": "one", "session_id": "one",
        "project": 2026, "prompt": "a", "userPrompt": "a", "promptNumber": "1",
    });
    let first = door.post("/api/sessions/init", &both);
    let number = json!({ "sessionId": 7, "project": "shop", "userPrompt": "b" });
    let second = door.post("/sessions/init", &number);
    assert_ne!(first["sessionDbId"], second["sessionDbId"]);
    let text = json!({ "sessionId": "7", "project": "shop", "userPrompt": "b" });
    assert_eq!(door.post("/sessions/init", &text)["sessionDbId"], second["sessionDbId"]);
    door.post("/api/processing", &json!({}));
}

#[test]
fn of_several_projects_the_most_special_that_is_known_is_given() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    for (session, project) in [("a", "parent"), ("b", "worktree")] {
        let text = format!("Work on the {project} part of the shop");
        let body = json!({ "sessionId": session, "project": project, "userPrompt": text });
        door.post("/sessions/init", &body);
        let tool = json!({
            "sessionId": session, "tool_name": "FileSave",
            "tool_input": { "path": format!("src/{project}.rs") },
        });
        door.post("/api/sessions/observations", &tool);
    }
    settle(&sandbox);
    let inject = |query: &str| door.text(&format!("/api/context/inject?{query}"));
    assert!(inject("projects=parent,worktree").contains("src/worktree.rs"));
    assert!(inject("projects=parent,%20nobody").contains("src/parent.rs"));
    assert!(inject("project=parent&projects=parent,worktree").contains("src/parent.rs"));
    assert_eq!(inject("projects=nobody,"), "");
}
