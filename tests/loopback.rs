//! The loopback API: who may come in, and what hostile callers can do there.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use afterword::api::{Access, Route, routes};
use afterword_domain::proof;
use afterword_testkit::Sandbox;
use serde_json::{Value, json};

use crate::remember::{first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// Requests byte by byte, as no honest client sends them.
pub(crate) struct Raw {
    pub(crate) port: u16,
    pub(crate) token: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }

    /// Every refusal has the one shape.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert!(body["error"].as_str().is_some_and(|e| !e.is_empty()), "{body}");
        assert!(body["detail"].as_str().is_some_and(|d| !d.is_empty()), "{body}");
        if status == 401 {
            assert_eq!(self.headers["www-authenticate"], "Bearer");
        }
    }
}

impl Raw {
    pub(crate) fn open(sandbox: &Sandbox) -> Self {
        sandbox.start_daemon();
        let token = fs::read_to_string(sandbox.data().join("token")).unwrap();
        Self { port: sandbox.endpoint().unwrap().port, token: token.trim().to_owned() }
    }

    pub(crate) fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn bearer(&self) -> String {
        format!("{}Authorization: Bearer {}\r\n", self.host(), self.token)
    }

    /// Sends a request with these headers and gives the head of the answer; the body too where it
    /// ends.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        // A server may refuse before it has read all.
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)));
        let mut text = Vec::new();
        let mut piece = [0; 4096];
        loop {
            match stream.read(&mut piece) {
                Ok(0) | Err(_) => break,
                Ok(n) => text.extend_from_slice(&piece[..n]),
            }
            let head = String::from_utf8_lossy(&text).to_lowercase();
            if head.contains("text/event-stream") && head.contains("\r\n\r\n") {
                break;
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).unwrap_or("0").parse().unwrap();
        let headers = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        Answer {
            status,
            headers: headers.map(|(n, v)| (n.to_lowercase(), v.to_owned())).collect(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &self.bearer(), b"")
    }

    fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.ask("POST", path, &self.bearer(), body)
    }
}

#[test]
fn k3_a_query_that_is_too_long_for_an_address_is_told_where_it_goes() {
    let sandbox = Sandbox::new(BIN);
    let raw = Raw::open(&sandbox);
    let long = |bytes: usize| format!("/api/search?query={}", "x".repeat(bytes));
    for (bytes, status, code) in [(70_000, 414, "too_long"), (4 << 20, 431, "too_large")] {
        let answer = raw.get(&long(bytes));
        answer.refused(status, code);
        assert_eq!(answer.headers["content-type"], "application/json");
        let hint = answer.json()["hint"].clone();
        assert!(hint.as_str().unwrap().contains("POST /api/search"), "{hint}");
    }
    assert_eq!(raw.get(&long(60_000)).status, 200);
    // Also on a connection that has answered before.
    let mut stream = TcpStream::connect(("127.0.0.1", raw.port)).unwrap();
    let second = long(70_000);
    for path in ["/health", &second] {
        write!(stream, "GET {path} HTTP/1.1\r\n{}\r\n", raw.bearer()).unwrap();
    }
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("\"code\":\"too_long\""), "{text}");
    raw.ask("GET", "/bad path", "", b"").refused(400, "invalid");
}

fn path_of(route: &Route) -> String {
    let question = if route.path == proof::PATH { "?nonce=abc" } else { "" };
    route.path.replace("{id}", "1").replace("{*path}", "index.html") + question
}

#[test]
fn n1_n2_n3_every_route_wants_a_loopback_name_no_foreign_page_and_the_token() {
    let sandbox = Sandbox::new(BIN);
    let raw = Raw::open(&sandbox);
    let (host, bearer) = (raw.host(), raw.bearer());
    let routes = routes();
    assert!(routes.len() > 25, "the table is read: {routes:?}");
    for route in &routes {
        let ask = |headers: &str| raw.ask(route.method, &path_of(route), headers, b"{}");
        let evil = format!("Host: evil.com\r\nAuthorization: Bearer {}\r\n", raw.token);
        ask(&evil).refused(403, "forbidden");
        for origin in ["http://evil.com", "null", "https://127.0.0.1", "http://127.0.0.1"] {
            ask(&format!("{bearer}Origin: {origin}\r\n")).refused(403, "forbidden");
        }
        ask(&format!("{bearer}Sec-Fetch-Site: cross-site\r\n")).refused(403, "forbidden");
        ask(&format!("{bearer}Host: evil.com\r\n")).refused(403, "forbidden");
        let two = format!("{bearer}Origin: http://127.0.0.1:{}\r\nOrigin: http://e\r\n", raw.port);
        ask(&two).refused(403, "forbidden");
        let bare = ask(&host);
        if route.access == Access::Page {
            // The page itself says that it is not signed in.
            assert!(matches!(bare.status, 200 | 401), "{route:?}");
            assert!(bare.body.starts_with("<!doctype html>"), "{}", bare.body);
        } else if route.access == Access::Everybody {
            assert!(matches!(bare.status, 200 | 503), "{route:?}");
            assert!(bare.body.len() < 200 && !bare.body.contains("port"), "{}", bare.body);
        } else {
            bare.refused(401, "unauthorized");
            for wrong in ["Bearer wrong", "Bearer", "", &raw.token, &format!("Basic {}", raw.token)]
            {
                ask(&format!("{host}Authorization: {wrong}\r\n")).refused(401, "unauthorized");
            }
        }
        let headers = bare.headers;
        assert!(headers["content-security-policy"].contains("default-src 'none'"), "{headers:?}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["x-frame-options"], "DENY");
        let page = route.access == Access::Page;
        assert_eq!(headers["cache-control"], if page { "no-cache" } else { "no-store" });
        assert!(!headers.keys().any(|name| name.starts_with("access-control")), "{headers:?}");
    }
    let open: Vec<&str> =
        routes.iter().filter(|r| r.access == Access::Everybody).map(|r| r.path).collect();
    assert_eq!(
        open,
        [
            "/api/prove",
            "/health",
            "/api/health",
            "/api/readiness",
            "/api/version",
            "/mem/health",
            "/mem/health/"
        ]
    );
    let pages: Vec<&str> =
        routes.iter().filter(|r| r.access == Access::Page).map(|r| r.path).collect();
    assert_eq!(pages, ["/", "/viewer/{*path}", "/sign-in"]);
    raw.ask("GET", "/nowhere", &host, b"").refused(401, "unauthorized");
}

#[test]
fn a_new_token_counts_at_once_and_the_old_one_no_more() {
    let sandbox = Sandbox::new(BIN);
    let old = Raw::open(&sandbox);
    sandbox.afterword(&["daemon", "rotate-token"]).success();
    let new = Raw::open(&sandbox);
    assert_eq!(new.port, old.port, "the same daemon");
    assert_eq!(new.get("/api/ping").status, 200);
    old.get("/api/ping").refused(401, "unauthorized");
    first_session(&sandbox);
    assert!(settle(&sandbox)["received"].as_u64() > Some(0), "hooks read the new one");
    sandbox.afterword(&["daemon", "restart"]).success();
    let again = Raw::open(&sandbox);
    assert_eq!(again.token, new.token, "it stays across a restart");
}

#[test]
fn the_observer_door_is_opened_by_the_persons_setting_alone() {
    let sandbox = Sandbox::new(BIN);
    fs::create_dir_all(sandbox.data()).unwrap();
    let settings = sandbox.data().join("config.toml");
    fs::write(&settings, "[api]\nobserver_auth = \"off\"\n").unwrap();
    let raw = Raw::open(&sandbox);
    let host = raw.host();
    for route in routes() {
        let ask = |headers: &str| raw.ask(route.method, &path_of(&route), headers, b"{}");
        match route.access {
            Access::Token | Access::Person | Access::Read | Access::Write | Access::Erase => {
                ask(&host).refused(401, "unauthorized");
            }
            Access::Page => {}
            Access::Observer | Access::Shared | Access::Everybody => {
                assert!(!matches!(ask(&host).status, 401 | 403), "{route:?}");
                ask(&format!("{host}Origin: http://evil.com\r\n")).refused(403, "forbidden");
                ask("Host: evil.com\r\n").refused(403, "forbidden");
            }
        }
    }
    // What takes something away, changes the person's settings or gives all out stays shut.
    for (method, path) in [
        ("DELETE", "/api/observation/1"),
        ("DELETE", "/api/summary/1"),
        ("DELETE", "/api/prompt/1"),
        ("DELETE", "/api/corpus/x"),
        ("POST", "/api/settings"),
        ("POST", "/api/forget"),
        ("POST", "/api/import"),
        ("GET", "/api/export"),
        ("GET", "/api/logs"),
        ("POST", "/api/admin/shutdown"),
    ] {
        raw.ask(method, path, &host, b"{}").refused(401, "unauthorized");
    }
    // The original's own first call: no token, no content type.
    let body = json!({ "sessionId": "ide", "project": "shop", "userPrompt": "Round the totals" });
    let init = raw.ask("POST", "/sessions/init", &host, body.to_string().as_bytes());
    assert_eq!((init.status, &init.json()["promptNumber"]), (200, &json!(1)));
    fs::write(&settings, "[api]\nobserver_auth = \"maybe\"\n").unwrap();
    sandbox.afterword(&["daemon", "restart"]).success();
    let raw = Raw::open(&sandbox);
    raw.ask("POST", "/sessions/init", &raw.host(), b"{}").refused(401, "unauthorized");
}

#[test]
fn every_refusal_has_one_shape() {
    let sandbox = Sandbox::new(BIN);
    let raw = Raw::open(&sandbox);
    raw.get("/nowhere").refused(404, "not_found");
    raw.ask("DELETE", "/api/stats", &raw.bearer(), b"").refused(405, "method");
    raw.get("/sessions/init").refused(405, "method");
    for body in [&b"nothing"[..], b"[1]", b"{\"a\":", b"\xff\xfe", b""] {
        raw.post("/sessions/init", body).refused(400, "invalid");
        raw.post("/api/search", body).refused(400, "invalid");
        raw.post("/api/events", body).refused(400, "invalid");
    }
    raw.post("/sessions/abc/init", b"{}").refused(400, "invalid");
    raw.post("/sessions/99/init", b"{}").refused(404, "not_found");
    raw.get("/api/search?limit=many").refused(400, "invalid");
    raw.get("/api/search?limit=0").refused(400, "invalid");
    raw.get("/api/search?since=yesterday").refused(400, "invalid");
    raw.get("/api/export?after=banana").refused(400, "invalid");
    raw.get("/api/export?project_id=x").refused(400, "invalid");
    raw.get("/api/context/inject").refused(400, "invalid");
    raw.post("/api/import?project=x", b"").refused(400, "invalid");
    let much = vec![b' '; 9 * 1024 * 1024];
    raw.post("/api/events", &much).refused(413, "too_large");
    raw.post("/api/sessions/observations", &much).refused(413, "too_large");
}

#[test]
fn n6_n7_n9_hostile_texts_are_texts_on_every_route() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let raw = Raw::open(&sandbox);
    let before = settle(&sandbox)["rows"].clone();
    let long = "x".repeat(20_000);
    let hostile = [
        "../../../../etc/passwd",
        "..\\..\\windows\\win.ini",
        "'; DROP TABLE events; --",
        "\" OR 1=1 --",
        "$(touch pwned)",
        "`touch pwned`",
        "\u{0}",
        "a\nb\r\nX-Injected: 1",
        "<script>alert(1)</script>",
        "</afterword-context>",
        "NEAR(a b) AND * OR (",
        "9223372036854775808",
        "-1",
        "🦀\u{202e}",
        &long,
    ];
    let percent = |text: &str| -> String {
        use std::fmt::Write as _;
        text.bytes().fold(String::new(), |mut all, byte| {
            write!(all, "%{byte:02X}").unwrap();
            all
        })
    };
    let admin = ["/api/admin/shutdown", "/api/admin/rotate-token"];
    let skip = [&admin[..], &["/stream", "/api/events/stream", "/", "/sign-in"]].concat();
    // What ends in a slash is the other spelling of a route.
    let other = |route: &Route| route.path.ends_with('/');
    for route in routes().iter().filter(|route| !skip.contains(&route.path) && !other(route)) {
        for text in hostile {
            let short: String = text.chars().take(1000).collect();
            let p = percent(&short);
            let path = ["{id}", "{*path}", "{type}", "{name}"]
                .iter()
                .fold(route.path.to_owned(), |path, part| path.replace(part, &p));
            let query = format!(
                "{path}?query={p}&project={p}&projects={p}&kind={p}&since={p}&limit={p}&after={p}&project_id={p}&first_line={p}"
            );
            let fields = json!({
                "sessionId": text, "project": text, "userPrompt": text, "cwd": text, "query": text,
                "tool_name": text, "tool_input": { "path": text }, "tool_response": text,
                "platformSource": text, "agentId": text, "reason": text, "text": text, "title": text,
                "name": text, "keys": [text], "root": text, "ids": [text], "promptNumber": text,
                "last_user_message": text, "last_assistant_message": text,
                "messages": text, "user_id": text, "filters": { "user_id": text, text: text },
                "metadata": { text: text }, "memory_id": text, "memories": [text], "infer": false,
                "feedback": text, "categories": [text], "expiration_date": text,
            });
            for path in [path.clone(), query] {
                for body in [fields.to_string(), text.to_owned(), String::new()] {
                    let answer = raw.ask(route.method, &path, &raw.bearer(), body.as_bytes());
                    let (at, status) = (format!("{route:?} {short:.40?}"), answer.status);
                    assert!((200..500).contains(&status), "{at}: {status} {}", answer.body);
                    assert!(!answer.headers.contains_key("x-injected"), "{at}");
                    if status >= 400 {
                        assert!(answer.json()["code"].is_string(), "{at}");
                    }
                }
            }
        }
    }
    settle(&sandbox);
    let check = raw.get("/api/check").json();
    assert_eq!(check["problems"], json!([]), "{check}");
    assert!(settle(&sandbox)["rows"]["summary"].as_u64() >= before["summary"].as_u64());
    for folder in [sandbox.root(), sandbox.home(), sandbox.project(), &sandbox.data()] {
        assert!(!folder.join("pwned").exists());
    }
    let mut names: Vec<String> = fs::read_dir(sandbox.data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with("afterword.db") && !name.starts_with("daemon."))
        .collect();
    names.sort();
    assert_eq!(names, ["logs", "spool", "token"], "nothing was made by a name from outside");
}
