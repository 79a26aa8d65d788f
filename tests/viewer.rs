//! Signing a page in, and what the viewer asks.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use afterword_testkit::Sandbox;
use serde_json::{Value, json};

use crate::remember::{first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// A browser as far as headers go.
struct Browser {
    port: u16,
    cookie: Option<String>,
}

#[derive(Debug)]
struct Page {
    status: u16,
    head: String,
    body: String,
}

impl Page {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The value of a header; empty where it is missing.
    fn header(&self, name: &str) -> &str {
        let line = |line: &&str| line.to_lowercase().starts_with(&format!("{name}:"));
        self.head.lines().find(line).map_or("", |line| line[name.len() + 1..].trim())
    }
}

impl Browser {
    fn new(sandbox: &Sandbox) -> Self {
        sandbox.start_daemon();
        Self { port: sandbox.endpoint().unwrap().port, cookie: None }
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Page {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let cookie = self.cookie.as_ref().map(|c| format!("Cookie: x=1; {c}\r\n"));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}{headers}Content-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.port,
            cookie.unwrap_or_default(),
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Page { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Page {
        self.ask("GET", path, "Sec-Fetch-Site: same-origin\r\n", "")
    }

    fn post(&self, path: &str, body: &Value) -> Page {
        let origin = format!("Origin: http://127.0.0.1:{}\r\n", self.port);
        self.ask("POST", path, &origin, &body.to_string())
    }

    /// Opens a link and keeps the cookie that comes with it.
    fn open(&mut self, link: &str) -> Page {
        let path = &link[link.find("/sign-in").unwrap()..];
        let page = self.ask("GET", path, "Sec-Fetch-Site: none\r\n", "");
        let cookie = page.header("set-cookie").split(';').next().unwrap_or_default();
        if !cookie.is_empty() {
            self.cookie = Some(cookie.to_owned());
        }
        page
    }
}

fn link(sandbox: &Sandbox) -> String {
    let shown = sandbox.afterword(&["open", "--print"]).success().stdout;
    shown.trim().to_owned()
}

fn signed_in(sandbox: &Sandbox) -> Browser {
    let mut browser = Browser::new(sandbox);
    assert_eq!(browser.open(&link(sandbox)).status, 303);
    browser
}

#[test]
fn a_link_signs_one_browser_in_once() {
    let sandbox = Sandbox::new(BIN);
    let mut browser = Browser::new(&sandbox);
    assert_eq!(browser.get("/api/viewer").status, 401);
    let link = link(&sandbox);
    let ahead =
        browser.ask("GET", &link[link.find("/sign").unwrap()..], "Sec-Purpose: prefetch\r\n", "");
    assert_eq!(ahead.status, 401, "looking ahead uses nothing up");
    let opened = browser.open(&link);
    assert_eq!((opened.status, opened.header("location")), (303, "/"));
    let cookie = opened.header("set-cookie");
    for wanted in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"] {
        assert!(cookie.contains(wanted), "{cookie}");
    }
    let token = std::fs::read_to_string(sandbox.data().join("token")).unwrap();
    assert!(!cookie.contains(token.trim()), "the token stays on this side");
    let boot = browser.get("/api/viewer").json();
    assert_eq!(boot["version"], env!("CARGO_PKG_VERSION"));
    assert!(boot["pages"].as_array().unwrap().contains(&json!("settings")), "{boot}");
    let mut second = Browser { port: browser.port, cookie: None };
    let again = second.open(&link);
    assert_eq!((again.status, second.cookie.is_none()), (401, true));
    assert!(again.body.starts_with("<!doctype html>"), "the page says so");
    assert_eq!(second.get("/api/viewer").status, 401);
    assert_eq!(second.open("/sign-in?code=").status, 401);
}

#[test]
fn a_cookie_opens_what_a_page_needs_and_nothing_else() {
    let sandbox = Sandbox::new(BIN);
    let browser = signed_in(&sandbox);
    for shared in ["/api/stats", "/api/projects", "/api/search", "/api/timeline"] {
        assert_eq!(browser.get(shared).status, 200, "{shared}");
    }
    for (method, path) in [
        ("POST", "/api/admin/shutdown"),
        ("POST", "/api/admin/rotate-token"),
        ("POST", "/api/sign-in"),
        ("POST", "/api/events"),
        ("GET", "/api/export"),
        ("GET", "/api/context/inject?project=x"),
        ("GET", "/api/observations"),
        ("DELETE", "/api/observation/1"),
    ] {
        let origin = format!("Origin: http://127.0.0.1:{}\r\n", browser.port);
        assert_eq!(browser.ask(method, path, &origin, "{}").status, 401, "{path}");
    }
    let forget = json!({ "ids": ["m1"] }).to_string();
    for (headers, status) in [
        ("", 401),
        ("Sec-Fetch-Site: none\r\n", 401),
        ("Sec-Fetch-Site: same-origin\r\n", 200),
        ("Origin: http://127.0.0.1:1\r\n", 403),
        ("Sec-Fetch-Site: same-site\r\n", 403),
        ("Sec-Fetch-Site: cross-site\r\n", 403),
    ] {
        let page = browser.ask("POST", "/api/forget", headers, &forget);
        assert_eq!(page.status, status, "{headers:?}: {page:?}");
    }
    let sent = browser.cookie.clone().unwrap();
    let (name, value) = sent.split_once('=').unwrap();
    for wrong in [
        format!("{name}={}", &value[1..]),
        format!("{name}x={value}"),
        format!("{name}="),
        format!("afterword_1={value}"),
    ] {
        let other = Browser { port: browser.port, cookie: Some(wrong) };
        assert_eq!(other.get("/api/viewer").status, 401);
    }
}

#[test]
fn j11_a_cookie_outlives_a_restart_and_ends_with_the_token() {
    let sandbox = Sandbox::new(BIN);
    let port = {
        let browser = signed_in(&sandbox);
        sandbox.afterword(&["daemon", "stop"]).success();
        browser
    };
    // The same port again, as the person's own daemon has it.
    let mut command = sandbox.command(BIN);
    command.env("AFTERWORD_PORT", port.port.to_string()).args(["daemon", "start"]);
    drop(sandbox.run(command, b"").success());
    assert_eq!(port.get("/api/viewer").status, 200);
    drop(sandbox.afterword(&["daemon", "rotate-token"]).success());
    assert_eq!(port.get("/api/viewer").status, 401);
    let out = port.post("/api/sign-out", &json!({}));
    assert_eq!(out.status, 401);
    let again = signed_in(&sandbox);
    let out = again.post("/api/sign-out", &json!({}));
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{out:?}");
}

#[test]
fn the_page_may_load_its_own_files_and_nothing_else() {
    let sandbox = Sandbox::new(BIN);
    let browser = Browser::new(&sandbox);
    let page = browser.get("/");
    let policy = page.header("content-security-policy");
    for wanted in
        ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]
    {
        assert!(policy.contains(wanted), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
    assert!(policy.contains("require-trusted-types-for 'script'"), "{policy}");
    let tag = page.header("etag").to_owned();
    let again = browser.ask("GET", "/", &format!("If-None-Match: {tag}\r\n"), "");
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    for nowhere in ["/viewer/nowhere.js", "/viewer/../Cargo.toml", "/viewer/%2e%2e/Cargo.toml"] {
        assert_eq!(browser.get(nowhere).status, 404, "{nowhere}");
    }
}

#[test]
fn what_the_viewer_asks_is_answered_and_bad_input_is_refused() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    settle(&sandbox);
    let browser = signed_in(&sandbox);
    let feed = browser.get("/api/viewer/feed?limit=3").json();
    assert_eq!(feed["entries"].as_array().unwrap().len(), 3);
    let next = feed["next"].as_str().unwrap();
    let more = browser.get(&format!("/api/viewer/feed?limit=3&before={next}")).json();
    assert_ne!(more["entries"][0]["id"], feed["entries"][2]["id"]);
    let prompts = browser.get("/api/viewer/feed?kinds=prompt,memory").json();
    assert_eq!(prompts["total"], 1);
    let conversations = browser.get("/api/viewer/conversations").json();
    let session = conversations["conversations"][0]["sessions"][0]["id"].as_i64().unwrap();
    let story = browser.get(&format!("/api/viewer/story?session={session}")).json();
    let observation = story["turns"].as_array().unwrap().iter().find_map(|turn| {
        turn["observations"].as_array()?.iter().find(|row| row["files"][0].is_string())
    });
    let id = observation.unwrap()["id"].as_str().unwrap().to_owned();
    let evidence = browser.get(&format!("/api/viewer/evidence?id={id}")).json();
    assert!(!evidence["events"].as_array().unwrap().is_empty(), "{evidence}");
    assert!(browser.get("/api/viewer/growth?days=2").json()["days"][1]["rows"]["prompt"] == 1);

    let edit = json!({ "id": id, "content": { "title": "Said by hand" } });
    assert_eq!(browser.post("/api/viewer/revise", &edit).json()["title"], "Said by hand");
    let past = browser.get(&format!("/api/viewer/revisions?id={id}")).json();
    assert_eq!(past["revisions"][0]["change"], "edited");
    let found = sandbox.afterword(&["show", &id]).success().stdout;
    assert!(found.contains("Said by hand") && found.contains("person"), "{found}");

    for (path, status) in [
        ("/api/viewer/feed?before=banana", 400),
        ("/api/viewer/feed?kinds=banana", 400),
        ("/api/viewer/feed?until=yesterday", 400),
        ("/api/viewer/feed?limit=many", 400),
        ("/api/viewer/story?session=99", 404),
        ("/api/viewer/story", 400),
        ("/api/viewer/evidence?id=o999", 404),
        ("/api/viewer/evidence?id=m1", 400),
        ("/api/viewer/context?project_id=99", 404),
        ("/api/viewer/context", 400),
        ("/api/viewer/revisions?id=x1", 400),
    ] {
        let page = browser.get(path);
        assert_eq!(page.status, status, "{path}: {page:?}");
        assert!(page.json()["code"].is_string(), "{path}");
    }
    for body in [
        json!({ "id": "o999", "content": {} }),
        json!({ "id": "p1", "content": { "title": "x" } }),
        json!({ "id": id, "content": { "colour": "x" } }),
        json!({ "id": id }),
    ] {
        assert!(matches!(browser.post("/api/viewer/revise", &body).status, 400 | 404), "{body}");
    }
    let merge = json!({ "into": id, "ids": ["o999"] });
    assert_eq!(browser.post("/api/viewer/merge", &merge).status, 404);
}

#[test]
fn the_next_sessions_block_is_explained_as_it_will_be() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    settle(&sandbox);
    // A branch and a change that only the checkout knows of.
    drop(sandbox.git(sandbox.project(), &["checkout", "-q", "-b", "journal"]));
    sandbox.write("src/retry_queue.rs", "struct Journal;");
    let browser = signed_in(&sandbox);
    let settings = browser.get("/api/viewer/settings").json();
    let project = settings["projects"][0]["id"].as_i64().unwrap();
    let explained = browser.get(&format!("/api/viewer/context?project_id={project}")).json();
    let shown = sandbox.afterword(&["context"]).success().stdout;
    assert_eq!(explained["text"].as_str().unwrap(), shown.trim_end_matches('\n'));
    assert_eq!(explained["branch"], "journal");
    assert!(explained["changed_files"].to_string().contains("src/"), "{explained}");
    assert!(!explained["items"].as_array().unwrap().is_empty());
    assert_eq!(explained["switched_off"], false);
}

#[test]
fn a_page_pauses_a_project_and_switches_prompt_recall() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    settle(&sandbox);
    let browser = signed_in(&sandbox);
    let settings = || browser.get("/api/viewer/settings").json();
    let project = &settings()["projects"][0];
    assert_eq!((&project["paused"], &project["pausable"]), (&json!(false), &json!(true)));
    let pause = |paused: bool| json!({ "project_id": project["id"], "paused": paused });
    assert_eq!(browser.post("/api/viewer/pause", &pause(true)).json()["paused"], true);
    assert_eq!(settings()["projects"][0]["paused"], true);
    let before = settle(&sandbox)["received"].clone();
    first_session_again(&sandbox);
    assert_eq!(settle(&sandbox)["received"], before, "nothing is captured");
    let id = project["id"].as_i64().unwrap();
    let explained = browser.get(&format!("/api/viewer/context?project_id={id}")).json();
    assert_eq!(explained["switched_off"], true);
    assert_eq!(browser.post("/api/viewer/pause", &pause(false)).json()["paused"], false);
    assert_eq!(
        browser.post("/api/viewer/pause", &json!({ "paused": true })).json()["paused"],
        true
    );
    assert_eq!(settings()["paused"], true);
    browser.post("/api/viewer/pause", &json!({ "paused": false }));
    assert_eq!(
        browser.post("/api/viewer/pause", &json!({ "project_id": 99, "paused": true })).status,
        404
    );

    assert_eq!(settings()["prompt_recall"], true);
    let off = browser.post("/api/viewer/prompt-recall", &json!({ "on": false }));
    assert_eq!(off.json()["prompt_recall"], false);
    let file = std::fs::read_to_string(sandbox.data().join("config.toml")).unwrap();
    assert!(file.contains("prompt_recall = false"), "{file}");
    assert_eq!(settings()["prompt_recall"], false, "it counts at once");
    let settings = settings();
    let listed = settings["settings"].as_array().unwrap();
    let kind = listed.iter().find(|s| s["name"] == "provider.kind").unwrap();
    assert_eq!((&kind["value"], &kind["changeable"]), (&json!("none"), &json!("in-file")));
    std::fs::write(sandbox.data().join("config.toml"), "[recall\n").unwrap();
    let refused = browser.post("/api/viewer/prompt-recall", &json!({ "on": true }));
    assert_eq!(refused.status, 400);
    assert!(refused.json()["error"].as_str().unwrap().contains("config.toml"), "{refused:?}");
}

fn first_session_again(sandbox: &Sandbox) {
    let prompt = afterword_testkit::Payload::prompt("While it is paused").session("paused");
    drop(sandbox.send(&prompt).success());
}
