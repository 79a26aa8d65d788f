//! What the door refuses, what it says then, and what it does in every spelling.

use afterword::api::{Access, routes};
use afterword_testkit::Sandbox;
use serde_json::{Value, json};

use super::BIN;
use crate::loopback::{Answer, Raw};

/// The door, spoken to byte by byte.
struct Talk {
    sandbox: Sandbox,
    raw: Raw,
}

impl Talk {
    fn begin() -> Self {
        let sandbox = Sandbox::new(BIN);
        let raw = Raw::open(&sandbox);
        Self { sandbox, raw }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let headers = format!("{}X-API-Key: {}\r\n", self.raw.host(), self.raw.token);
        self.raw.ask(method, path, &headers, body.as_bytes())
    }

    #[track_caller]
    fn ok(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(method, path, &body.to_string());
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        answer.json()
    }

    /// Keeps a text as it is; its id.
    #[track_caller]
    fn keep(&self, text: &str, owner: &Value) -> String {
        let mut body = json!({"messages": text, "infer": false});
        body.as_object_mut().unwrap().extend(owner.as_object().unwrap().clone());
        let added = self.ok("POST", "/memories", &body);
        added["results"][0]["id"].as_str().unwrap().to_owned()
    }

    fn count(&self) -> usize {
        let all = self.ok("GET", "/memories?show_expired=true", &json!(null));
        all["results"].as_array().unwrap().len()
    }
}

#[test]
fn the_token_is_taken_in_every_header_that_clients_use() {
    let talk = Talk::begin();
    let (host, token) = (talk.raw.host(), &talk.raw.token);
    let ask = |path: &str, header: &str| {
        talk.raw.ask("GET", path, &format!("{host}{header}\r\n"), b"").status
    };
    for header in [
        format!("Authorization: Token {token}"),
        format!("Authorization: Bearer {token}"),
        format!("X-API-Key: {token}"),
        format!("X-Auth-Token: static:{token}"),
    ] {
        for path in ["/v1/ping/", "/memories", "/mem/memories", "/openapi.json"] {
            assert_eq!(ask(path, &header), 200, "{path} {header}");
        }
        assert_eq!(ask("/v1/ping/", &header.replace(token.as_str(), "wrong")), 401, "{header}");
    }
    // The other doors know one header alone.
    assert_eq!(ask("/api/stats", &format!("X-API-Key: {token}")), 401);
    let door = routes()
        .into_iter()
        .filter(|route| matches!(route.access, Access::Read | Access::Write | Access::Erase));
    let mut many = 0;
    for route in door {
        let headers = format!("{host}Authorization: Token wrong\r\n");
        talk.raw.ask(route.method, route.path, &headers, b"{}").refused(401, "unauthorized");
        many += 1;
    }
    assert!(many > 80, "{many}");
}

#[test]
fn what_cannot_be_used_is_refused_and_nothing_is_kept() {
    let talk = Talk::begin();
    let unknown = "0198a000-0000-7000-8000-000000000000";
    let refused = |method: &str, path: &str, body: &str, status: u16| {
        let answer = talk.ask(method, path, body);
        let code = if status == 404 { "not_found" } else { "invalid" };
        answer.refused(status, code);
    };
    for path in ["/v3/memories/add/", "/v1/memories/", "/memories", "/mem/memories"] {
        for body in [
            "",
            "nothing",
            "[1]",
            "7",
            "{\"a\":",
            "{}",
            r#"{"messages": "x"}"#,
            r#"{"messages": [], "user_id": "ada"}"#,
            r#"{"messages": 7, "user_id": "ada"}"#,
            r#"{"messages": "x", "user_id": ""}"#,
            r#"{"messages": "x", "user_id": "a b"}"#,
            r#"{"messages": "x", "user_id": "*"}"#,
            r#"{"messages": "x", "user_id": "ada", "filters": {"user_id": "bo"}}"#,
            r#"{"messages": "x", "user_id": "ada", "metadata": "no object"}"#,
            r#"{"messages": "x", "user_id": "ada", "infer": "perhaps"}"#,
            r#"{"messages": "x", "user_id": "ada", "expiration_date": "soon"}"#,
            r#"{"messages": "x", "user_id": "ada", "timestamp": "soon"}"#,
            r#"{"messages": "\ud800", "user_id": "ada"}"#,
            r#"{"messages": [{"role": "system", "content": "x"}], "user_id": "ada", "infer": false}"#,
            "{\"messages\": \"\u{0}\", \"user_id\": \"ada\"}",
        ] {
            refused("POST", path, body, 400);
        }
    }
    let deep = format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    refused("POST", "/v3/memories/search/", &deep, 400);
    for path in ["/v3/memories/search/", "/v2/memories/search/", "/search", "/mem/search"] {
        for body in [
            "{}",
            r#"{"query": "x"}"#,
            r#"{"query": " ", "user_id": "ada"}"#,
            r#"{"query": "x", "user_id": "ada", "top_k": 0}"#,
            r#"{"query": "x", "user_id": "ada", "top_k": 1001}"#,
            r#"{"query": "x", "user_id": "ada", "threshold": 2}"#,
            r#"{"query": "x", "filters": {"created_at": {"gt": "2020-01-01"}}}"#,
            r#"{"query": "x", "filters": {"NOT": [{"user_id": "ada"}]}}"#,
            r#"{"query": "x", "filters": {"user_id": {"like": "ada"}}}"#,
            r#"{"query": "x", "filters": "user_id"}"#,
        ] {
            refused("POST", path, body, 400);
        }
    }
    for (method, body) in [("GET", ""), ("PUT", r#"{"text": "x"}"#), ("DELETE", "")] {
        refused(method, "/v1/memories/no-uuid/", body, 400);
        refused(method, &format!("/v1/memories/{unknown}/"), body, 404);
        refused(method, "/memories/a%2Fb", body, 400);
    }
    refused("PUT", &format!("/v1/memories/{unknown}/"), "{}", 400);
    refused("GET", &format!("/v1/memories/{unknown}/history/"), "", 404);
    refused("GET", &format!("/v1/event/{unknown}/"), "", 404);
    refused("GET", "/v1/event/x/", "", 400);
    refused("POST", "/v3/memories/?page=0", r#"{"user_id": "ada"}"#, 400);
    refused("POST", "/v3/memories/?page_size=201", r#"{"user_id": "ada"}"#, 400);
    refused("POST", "/v3/memories/", "{}", 400);
    refused("PUT", "/v1/batch/", r#"{"memories": []}"#, 400);
    refused("PUT", "/v1/batch/", r#"{"memories": [{"memory_id": "7", "text": "x"}]}"#, 400);
    let many = json!({"memories": vec![json!({"memory_id": unknown, "text": "x"}); 1_001]});
    refused("PUT", "/v1/batch/", &many.to_string(), 400);
    refused("POST", "/v1/feedback/", r#"{"feedback": "POSITIVE"}"#, 400);
    let badly = format!(r#"{{"memory_id": "{unknown}", "feedback": "GREAT"}}"#);
    refused("POST", "/v1/feedback/", &badly, 400);
    refused("DELETE", "/v2/entities/cat/tom/", "", 400);
    talk.ask("PATCH", "/memories", "{}").refused(405, "method");
    talk.ask("POST", "/memories", &"x".repeat(10_000_000)).refused(413, "too_large");
    assert_eq!(talk.count(), 0);
    let events = talk.ok("GET", "/v1/events/", &json!(null));
    assert_eq!(events["count"], 0, "{events}");
}

#[test]
fn two_memories_of_one_owner_never_say_the_same() {
    let talk = Talk::begin();
    let owner = json!({"user_id": "ada"});
    let (one, _) = (talk.keep("Ada likes tea", &owner), talk.keep("Ada runs", &owner));
    let same = r#"{"text": "Ada runs"}"#;
    talk.ask("PUT", &format!("/v1/memories/{one}/"), same).refused(409, "conflict");
    let batch = json!({"memories": [{"memory_id": one, "text": "Ada runs"}]}).to_string();
    talk.ask("PUT", "/v1/batch/", &batch).refused(409, "conflict");
    let unchanged = talk.ok("GET", &format!("/memories/{one}"), &json!(null));
    assert_eq!(unchanged["memory"], "Ada likes tea");
    let immutable =
        json!({"messages": "Stays", "user_id": "ada", "infer": false, "immutable": true});
    let added = talk.ok("POST", "/memories", &immutable);
    let stays = added["results"][0]["id"].as_str().unwrap();
    talk.ask("PUT", &format!("/memories/{stays}"), same).refused(400, "invalid");
}

#[test]
fn a_delete_that_is_not_understood_deletes_nothing() {
    let talk = Talk::begin();
    talk.keep("Ada likes tea", &json!({"user_id": "ada"}));
    talk.keep("Ada runs", &json!({"user_id": "ada", "run_id": "7"}));
    for path in ["/v1/memories/", "/memories", "/mem/memories"] {
        for query in [
            "",
            "?",
            "?user_id=",
            "?user_id=%20",
            "?filters=%7B%27user_id%27%3A%20%27ada%27%7D",
            "?user_id=ada&metadata=x",
            "?user_id=ada&user_id=bo",
            "?userid=ada",
            "?org_id=x",
        ] {
            let answer = talk.ask("DELETE", &format!("{path}{query}"), "");
            answer.refused(400, "invalid");
        }
        let body = r#"{"user_id": "ada", "filters": {"run_id": "7"}}"#;
        talk.ask("DELETE", path, body).refused(400, "invalid");
    }
    assert_eq!(talk.count(), 2);
    // Every name that is named must be its owner's.
    talk.ok("DELETE", "/memories?user_id=ada&run_id=8", &json!(null));
    assert_eq!(talk.count(), 2);
    talk.ok("DELETE", "/memories?user_id=ada&run_id=*", &json!(null));
    assert_eq!(talk.count(), 1);
    talk.ok("DELETE", "/v1/memories/?user_id=ada&org_id=o&project_id=p", &json!(null));
    assert_eq!(talk.count(), 0);
}

#[test]
fn one_memory_is_told_of_in_every_spelling() {
    let talk = Talk::begin();
    let owner = json!({"user_id": "team/one", "run_id": 7, "metadata": {"categories": ["food"]}});
    let id = talk.keep("The favourite fruit is mango", &owner);
    let at = |path: &str| talk.ok("GET", &format!("{path}/{id}"), &json!(null));
    let one = at("/v1/memories");
    for (name, value) in [
        ("id", json!(id)),
        ("memory_id", json!(id)),
        ("memory", json!("The favourite fruit is mango")),
        // As `md5sum` says.
        ("hash", json!("269217e62e46087d91c409125cba0230")),
        ("user_id", json!("team/one")),
        ("run_id", json!("7")),
        ("session_id", json!("7")),
        ("agent_id", json!(null)),
        ("categories", json!(["food"])),
        ("metadata", json!({"categories": ["food"]})),
    ] {
        assert_eq!(one[name], value, "{name}: {one}");
    }
    assert!(one["created_at"].as_str().unwrap().ends_with('Z'));
    for path in ["/memories", "/mem/memories"] {
        assert_eq!(at(path), one, "{path}");
    }
    let filters =
        json!({"filters": {"AND": [{"userId": "team/one"}, {"categories": {"in": ["food"]}}]}});
    for slash in ["", "/"] {
        let listed = talk.ok("POST", &format!("/v3/memories{slash}"), &filters);
        assert_eq!((&listed["count"], &listed["results"][0]), (&json!(1), &one));
        let listed = talk.ok("POST", &format!("/v2/memories{slash}"), &filters);
        assert_eq!(listed, json!([one]));
        let listed = talk.ok("GET", &format!("/v1/memories{slash}?user_id=team/one"), &json!(null));
        assert_eq!(listed, json!([one]));
        let listed = talk.ok("GET", &format!("/mem/memories{slash}?run_id=7"), &json!(null));
        assert_eq!(listed, json!({"results": [one]}));
        let query = json!({"query": "which fruit is the favourite?", "run_id": 7});
        for path in ["/search", "/mem/search", "/v3/memories/search"] {
            let found = talk.ok("POST", &format!("{path}{slash}"), &query);
            assert_eq!(found["results"][0]["id"], id, "{path}{slash}");
        }
        for path in ["/v2/memories/search", "/v1/memories/search"] {
            let found = talk.ok("POST", &format!("{path}{slash}"), &query);
            assert_eq!(found[0]["id"], id, "{path}{slash}");
        }
    }
    let history = talk.ok("GET", &format!("/mem/memories/{id}/history"), &json!(null));
    assert_eq!(history[0]["event"], "ADD");
    let entities = talk.ok("GET", "/mem/entities", &json!(null));
    assert!(entities.to_string().contains("team/one"), "{entities}");
    talk.ok("DELETE", "/mem/entities/user/team%2Fone", &json!(null));
    assert_eq!(talk.ok("GET", &format!("/memories/{id}"), &json!(null)), json!(null));
    assert_eq!(talk.count(), 0);
}

#[test]
fn a_request_that_is_made_again_under_its_key_is_one() {
    let talk = Talk::begin();
    let add = |key: &str, user: &str, text: &str| {
        let headers = format!(
            "{}Authorization: Token {}\r\nIdempotency-Key: {key}\r\n",
            talk.raw.host(),
            talk.raw.token
        );
        let body = json!({"messages": text, "user_id": user, "infer": false}).to_string();
        let answer = talk.raw.ask("POST", "/v3/memories/add/", &headers, body.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    };
    let first = add("k1", "ada", "One");
    assert_eq!(add("k1", "ada", "One"), first);
    assert_ne!(add("k1", "bo", "One")["event_id"], first["event_id"]);
    assert_ne!(add("k2", "ada", "Two")["event_id"], first["event_id"]);
    assert_eq!(talk.count(), 3);
    talk.ok("POST", "/reset", &json!({}));
    assert_eq!(talk.count(), 0);
    assert!(talk.sandbox.endpoint().is_some());
}
