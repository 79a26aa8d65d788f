use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use afterword_domain::Time;
use afterword_domain::time::FixedClock;

use super::*;

const CLOCK: FixedClock = FixedClock(Time::from_millis(1_796_000_000_000));
const PING: &str = r#"{"version":"0.1.0","protocol":1,"pid":4,"uptime_s":1}"#;

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("home"));
    std::fs::create_dir(home.folder()).unwrap();
    (folder, home)
}

fn publish(home: &Home, port: u16) {
    let endpoint = format!(
        r#"{{"port":{port},"pid":{},"started_at_ms":0,"protocol":1,"version":"0.1.0"}}"#,
        std::process::id()
    );
    std::fs::write(home.token_file(), "secret").unwrap();
    std::fs::write(home.endpoint_file(), endpoint).unwrap();
}

/// Answers every connection with one text until the test ends.
fn listen(answer: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0_u8; 4096];
            if stream.read(&mut head).is_ok() {
                stream.write_all(answer.as_bytes()).ok();
            }
        }
    });
    port
}

fn answer(status: &str, protocol: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{protocol}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

const SPOKEN: &str = "x-afterword-protocol: 1\r\n";

fn ping(text: String) -> Result<Ping, Unreachable> {
    let (_folder, home) = home();
    publish(&home, listen(text));
    Client::find(&home, Duration::from_secs(10)).unwrap().ping()
}

#[test]
fn c5_only_an_answer_to_our_token_is_life() {
    assert_eq!(ping(answer("200 OK", SPOKEN, PING)).unwrap().pid, 4);
    let newer = "x-afterword-protocol: 2\r\n";
    assert_eq!(ping(answer("200 OK", newer, PING)).unwrap().pid, 4);
    for (text, code) in [
        (answer("200 OK", "", PING), "foreign"),
        (answer("200 OK", SPOKEN, "hello"), "foreign"),
        (answer("404 Not Found", SPOKEN, "{}"), "foreign"),
        (answer("401 Unauthorized", SPOKEN, "{}"), "foreign"),
        (answer("403 Forbidden", SPOKEN, "{}"), "foreign"),
        ("220 mail ready\r\n".to_owned(), "foreign"),
        (answer("200 OK", "x-afterword-protocol: 101\r\n", PING), "protocol"),
    ] {
        assert_eq!(ping(text.clone()).unwrap_err().code(), code, "{text}");
    }
}

#[test]
fn b7_a_process_that_never_answers_is_frozen_and_a_closed_port_is_not_running() {
    let (_folder, home) = home();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    publish(&home, listener.local_addr().unwrap().port());
    let client = Client::find(&home, Duration::from_millis(20)).unwrap();
    assert_eq!(client.ping().unwrap_err().code(), "frozen");
    drop(listener);
    assert_eq!(client.ping().unwrap_err(), Unreachable::NotRunning);
}

#[test]
fn a_refusal_carries_the_reason_and_what_to_do() {
    let (_folder, home) = home();
    let body = r#"{"error":"no such row","code":"not_found","hint":"search for it"}"#;
    publish(&home, listen(answer("404 Not Found", SPOKEN, body)));
    let client = Client::find(&home, Duration::from_secs(10)).unwrap();
    let error = client.call::<Ping>("GET", "/api/x", None).unwrap_err();
    assert_eq!(error.to_string(), "no such row; search for it");
    publish(&home, listen(answer("500 Oops", SPOKEN, "<html>")));
    let client = Client::find(&home, Duration::from_secs(10)).unwrap();
    let error = client.call::<Ping>("GET", "/api/x", None).unwrap_err();
    assert_eq!(error.to_string(), "the daemon answered with status 500");
}

#[test]
fn c1_content_waits_for_proof_where_the_process_is_not_known_to_be_ours() {
    let (_folder, home) = home();
    publish(&home, listen(answer("401 Unauthorized", "", "{}")));
    let client = Client::find(&home, Duration::from_secs(10)).unwrap();
    assert!(!cfg!(unix) || client.prove().is_ok());
    let text = std::fs::read_to_string(home.endpoint_file()).unwrap();
    let pid = format!("\"pid\":{}", std::process::id());
    std::fs::write(home.endpoint_file(), text.replace(&pid, "\"pid\":0")).unwrap();
    let client = Client::find(&home, Duration::from_secs(10)).unwrap();
    assert_eq!(client.prove().unwrap_err().code(), "foreign");
}

#[test]
fn a_daemon_that_answers_is_not_started_again() {
    let (_folder, home) = home();
    publish(&home, listen(answer("200 OK", SPOKEN, PING)));
    let nothing = home.folder().join("nothing");
    let ready = ensure_running(&home, &nothing, &CLOCK, Duration::from_secs(10)).unwrap();
    assert!(!ready.started);
}

#[cfg(unix)]
#[test]
fn a13_a_daemon_that_dies_at_once_costs_one_wait_and_then_none() {
    let (folder, home) = home();
    let starts = folder.path().join("starts");
    let exe = script(folder.path(), &format!("echo x >> {}; exit 1", starts.display()));
    let budget = Duration::from_secs(30);
    for _ in 0..3 {
        // Far less than the budget: the end of the process is seen, then remembered.
        let error = ensure_running(&home, &exe, &CLOCK, budget).unwrap_err();
        assert_eq!(error, Unreachable::NotRunning);
    }
    assert_eq!(std::fs::read_to_string(starts).unwrap(), "x\n");
}

#[cfg(unix)]
#[test]
fn a_started_daemon_is_waited_for_until_it_answers() {
    let (folder, home) = home();
    let port = listen(answer("200 OK", SPOKEN, PING));
    publish(&home, port);
    let ready_file = folder.path().join("endpoint");
    std::fs::rename(home.endpoint_file(), &ready_file).unwrap();
    let exe = script(
        folder.path(),
        &format!("mv {} {}", ready_file.display(), home.endpoint_file().display()),
    );
    let ready = ensure_running(&home, &exe, &CLOCK, Duration::from_secs(30)).unwrap();
    assert!(ready.started);
    assert_eq!(ready.client.port(), port);
}

#[cfg(unix)]
fn script(folder: &Path, body: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let exe = folder.join("daemon.sh");
    std::fs::write(&exe, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&exe, std::fs::Permissions::from_mode(0o700)).unwrap();
    exe
}
