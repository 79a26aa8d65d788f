//! Limits, metrics, logs, health and encryption.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;

use afterword_testkit::{Postgres, Sandbox};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::{Value, json};

use super::client::Client;
use super::found;
use super::remember;
use super::server::{BIN, Server, database};

#[test]
fn who_asks_too_often_is_told_when_to_come_back_and_others_are_not_kept() {
    let Some(database) = database() else { return };
    let settings = |command: &mut Command| {
        let home = command.get_envs().find(|(name, _)| *name == "AFTERWORD_HOME").unwrap();
        let home = std::path::PathBuf::from(home.1.unwrap());
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config.toml"), "[server]\nrequests_per_minute = 5\n").unwrap();
    };
    let server = Server::with(&database, settings);
    let one = server.issue("default", "one", "reader", &[]);
    let two = server.issue("default", "two", "reader", &[]);
    for left in (0..5).rev() {
        let answer = one.get("/api/team/me");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["x-ratelimit-limit"], "5");
        assert_eq!(answer.headers["x-ratelimit-remaining"], left.to_string());
    }
    let answer = one.get("/api/team/me");
    answer.refused(429, "too_many");
    let wait: u64 = answer.headers["retry-after"].parse().unwrap();
    assert!((1..=12).contains(&wait), "{wait}");
    assert_eq!(two.get("/api/team/me").status, 200);
}

#[test]
fn metrics_logs_and_readiness_tell_how_it_is_and_nothing_of_what_is_said() {
    let Some(database) = database() else { return };
    let set = |command: &mut Command| {
        command.env("AFTERWORD_METRICS_TOKEN", "for-metrics");
    };
    let server = Server::with(&database, set);
    let admin = server.admin();
    let reader = server.issue("default", "ray", "reader", &[]);
    remember(&admin, "The zebra crossing is closed", "shop");
    assert_eq!(found(&reader, "zebra").len(), 1);
    admin.get("/nowhere/zebra").refused(404, "not_found");
    let nobody = Client { port: server.port, token: String::new() };
    assert_eq!(nobody.get("/health").json()["status"], "ok");
    assert_eq!(nobody.get("/ready").json()["status"], "ready");
    nobody.get("/metrics").refused(401, "unauthorized");
    reader.get("/metrics").refused(403, "forbidden");
    let metrics = admin.with("for-metrics").get("/metrics");
    assert!(metrics.headers["content-type"].starts_with("text/plain; version=0.0.4"));
    let metrics = metrics.body;
    assert_eq!(admin.get("/metrics").status, 200);
    for line in [
        "afterword_http_requests_total{method=\"POST\",route=\"/api/memories\",status=\"200\"} 1",
        "afterword_http_requests_total{method=\"GET\",route=\"/api/search\",status=\"200\"} 1",
        "afterword_http_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 1",
        "afterword_http_request_seconds_count{method=\"GET\",route=\"/api/search\"} 1",
    ] {
        assert!(metrics.lines().any(|known| known == line), "{line}\n{metrics}");
    }
    let log = server.log();
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let search = lines.iter().find(|line| line["route"] == "/api/search").unwrap();
    assert_eq!((&search["status"], &search["member"]), (&json!(200), &json!("ray")));
    assert_eq!(search["span"]["id"].as_str().map(str::len), Some(32), "{search}");
    for secret in ["zebra", admin.token.as_str(), "for-metrics"] {
        assert!(!log.contains(secret) && !metrics.contains(secret), "{secret}");
    }
}

/// A file of the certificates that tests use.
fn pem(name: &str) -> String {
    format!("{}/tests/fixtures/tls/{name}.pem", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn connections_are_encrypted_where_that_is_set() {
    let Some(database) = database() else { return };
    let encrypted = |command: &mut Command| {
        command.args(["--tls-cert", &pem("certificate"), "--tls-key", &pem("key")]);
    };
    let server = Server::with(&database, encrypted);
    let admin = server.admin();
    let mut roots = rustls::RootCertStore::empty();
    let authority = CertificateDer::from_pem_file(pem("authority")).unwrap();
    roots.add(authority).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut connection = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let mut stream = rustls::Stream::new(&mut connection, &mut socket);
    let origin = format!("https://127.0.0.1:{}", server.port);
    write!(
        stream,
        "GET /api/team/me HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: {origin}\r\n\
         Authorization: Bearer {}\r\nConnection: close\r\n\r\n",
        server.port, admin.token
    )
    .unwrap();
    let mut answer = String::new();
    drop(stream.read_to_string(&mut answer));
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    // Whoever speaks without encryption is not understood, and nobody else is kept.
    assert_eq!(admin.get("/api/team/me").status, 0);
}

#[test]
fn what_keeps_the_server_from_starting_is_said_with_the_remedy() {
    let Some(database) = database() else { return };
    let sandbox = Sandbox::new(BIN);
    let refused = |arguments: &[&str], said: &str| {
        let database = ["serve", "--listen", "127.0.0.1:0", "--database-url", &database.url];
        let all = if arguments.contains(&"--database-url") {
            [&["serve"], arguments].concat()
        } else {
            [&database, arguments].concat()
        };
        let output = sandbox.afterword(&all);
        assert_ne!(output.code, Some(0));
        assert!(output.stderr.contains(said), "{said}: {}", output.stderr);
    };
    refused(&["--tls-cert", "/nowhere.pem", "--tls-key", &pem("key")], "/nowhere.pem");
    refused(&["--tls-cert", &pem("key"), "--tls-key", &pem("key")], "holds no certificate");
    refused(&["--tls-cert", &pem("authority"), "--tls-key", &pem("key")], "do not go together");
    refused(&["--tls-cert", &pem("authority")], "--tls-key");
    refused(&["--trusted-proxy", "nonsense"], "no network");
    refused(&["--listen", "192.0.2.1:1"], "--listen");
    refused(&["--database-url", "postgresql://127.0.0.1:1/x"], "cannot be reached");
    let output = sandbox.afterword(&["serve"]);
    assert!(output.stderr.contains("AFTERWORD_DATABASE_URL"), "{}", output.stderr);
    let wrong = ["token", "create", "--org", "a", "--member", "b", "--role", "owner"];
    assert!(sandbox.afterword(&wrong).stderr.contains("admin, member or reader"));
}

#[test]
fn a_trusted_proxy_speaks_for_its_callers() {
    let Some(database) = database() else { return };
    let proxy = |command: &mut Command| {
        command.args(["--trusted-proxy", "127.0.0.0/8", "--host", "memory.example.com"]);
    };
    let server = Server::with(&database, proxy);
    let admin = server.admin();
    let asked = |host: &str| {
        let headers = format!(
            "Host: {host}\r\nAuthorization: Bearer {}\r\nX-Forwarded-For: 203.0.113.9\r\n\
             X-Forwarded-Proto: https\r\nOrigin: https://{host}\r\n",
            admin.token
        );
        let body = json!({ "name": "bob", "role": "reader" }).to_string();
        admin.raw("POST", "/api/team/members", &headers, body.as_bytes())
    };
    asked("127.0.0.1").refused(403, "forbidden");
    assert_eq!(asked("memory.example.com").status, 200);
    let audit = "SELECT address FROM afterword.audit_log WHERE action = 'member.set'";
    let kept = Postgres::locate().unwrap().run(&database.name, audit).unwrap();
    assert_eq!(kept, "203.0.113.9");
}
