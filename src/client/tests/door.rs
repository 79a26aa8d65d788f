use std::net::TcpListener;

use super::super::fake::{PING, PROVER, SPOKEN, answer, home, listen, publish};
use super::*;

fn ping(text: String) -> Result<Ping, Unreachable> {
    let (_folder, home) = home();
    publish(&home, listen(PROVER, text).0);
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
    publish(&home, listen(PROVER, answer("404 Not Found", SPOKEN, body)).0);
    let client = Client::find(&home, Duration::from_secs(10)).unwrap();
    let error = client.call::<Ping>("GET", "/api/x", None).unwrap_err();
    assert_eq!(error.to_string(), "no such row; search for it");
    publish(&home, listen(PROVER, answer("500 Oops", SPOKEN, "<html>")).0);
    let client = Client::find(&home, Duration::from_secs(10)).unwrap();
    let error = client.call::<Ping>("GET", "/api/x", None).unwrap_err();
    assert_eq!(error.to_string(), "the daemon answered with status 500");
}

#[test]
fn c1_neither_token_nor_content_goes_to_somebody_who_proves_nothing() {
    let (_folder, home) = home();
    let (port, seen) = listen(None, answer("200 OK", SPOKEN, PING));
    publish(&home, port);
    let client = Client::find(&home, Duration::from_secs(10)).unwrap();
    let error =
        client.request("POST", "/api/events", Some(b"{\"what\":\"was said\"}")).unwrap_err();
    assert_eq!(error.code(), "foreign");
    drop(client);
    let asked = seen.recv().unwrap();
    assert!(asked.starts_with("GET /api/prove?nonce="), "{asked}");
    assert!(!asked.contains("secret") && !asked.contains("was said"), "{asked}");
    assert!(seen.try_recv().is_err(), "nothing more was sent");
}

#[test]
fn c1_a_proof_for_another_port_or_an_earlier_nonce_proves_nothing() {
    for make in [
        |nonce: &str, port: u16| proof::answer("secret", nonce, port ^ 1),
        |_: &str, port: u16| proof::answer("secret", "0123456789abcdef", port),
        |nonce: &str, port: u16| proof::answer("secret of others", nonce, port),
        |_: &str, _: u16| String::new(),
    ] {
        let (_folder, home) = home();
        publish(&home, listen(Some(make), answer("200 OK", SPOKEN, PING)).0);
        let client = Client::find(&home, Duration::from_secs(10)).unwrap();
        assert_eq!(client.ping().unwrap_err().code(), "foreign");
    }
}

#[test]
fn only_the_daemon_that_is_meant_is_asked_to_leave() {
    let (_folder, home) = home();
    let (port, seen) = listen(PROVER, answer("409 Conflict", SPOKEN, "{}"));
    publish(&home, port);
    // Whatever protocol it speaks.
    let text = std::fs::read_to_string(home.endpoint_file()).unwrap();
    std::fs::write(home.endpoint_file(), text.replace("\"protocol\":1", "\"protocol\":901"))
        .unwrap();
    let budget = Duration::from_secs(10);
    assert_eq!(Client::find(&home, budget).unwrap_err(), Unreachable::Protocol { theirs: 901 });
    let client = Client::find_any(&home, budget).unwrap();
    client.ask_to_leave().unwrap();
    drop(seen.recv().unwrap());
    let asked = seen.recv().unwrap();
    let wanted = format!("POST /api/admin/shutdown?pid={} HTTP/1.1\r\n", std::process::id());
    assert!(asked.starts_with(&wanted), "{asked}");
    assert!(!client.is_outdated(), "a newer protocol is not older");
}
