//! Integrations of the five-stage observer, old spellings and new, against the daemon.

use std::time::Duration;

use afterword::client::Client;
use afterword::config::Home;
use afterword_testkit::Sandbox;
use serde_json::{Value, json};

use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

struct Door(Client);

impl Door {
    fn open(sandbox: &Sandbox) -> Self {
        sandbox.start_daemon();
        Self(Client::find(&Home::new(sandbox.data()), Duration::from_secs(30)).unwrap())
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.0.post_json(path, body).unwrap();
        assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).unwrap()
    }

    fn text(&self, path: &str) -> String {
        let answer = self.0.get(path).unwrap();
        assert_eq!(answer.status, 200);
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
fn n1_n2_n3_only_callers_with_the_token_and_a_loopback_name_come_in() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let port = door.0.port();
    let token = std::fs::read_to_string(sandbox.data().join("token")).unwrap();
    let ask = |head: &str| -> u16 {
        use std::io::{Read as _, Write as _};
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(!answer.to_lowercase().contains("access-control-allow-origin"), "{answer}");
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    };
    let bearer = format!("Authorization: Bearer {}\r\n", token.trim());
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    assert_eq!(ask(&format!("GET /api/stats HTTP/1.1\r\n{host}{bearer}")), 200);
    assert_eq!(ask(&format!("GET /api/stats HTTP/1.1\r\n{host}")), 401);
    assert_eq!(
        ask(&format!("GET /api/stats HTTP/1.1\r\n{host}Authorization: Bearer wrong\r\n")),
        401
    );
    assert_eq!(ask(&format!("GET /health HTTP/1.1\r\n{host}")), 200);
    assert_eq!(ask(&format!("GET /health HTTP/1.1\r\nHost: evil.com\r\n{bearer}")), 403);
    assert_eq!(
        ask(&format!("GET /api/stats HTTP/1.1\r\nHost: 127.0.0.1.evil.com\r\n{bearer}")),
        403
    );
    let origin = "Origin: http://evil.com\r\n";
    assert_eq!(ask(&format!("GET /api/stats HTTP/1.1\r\n{host}{bearer}{origin}")), 403);
    assert_eq!(ask(&format!("GET /nowhere HTTP/1.1\r\n{host}{bearer}")), 404);
}
