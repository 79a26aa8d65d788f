//! Something that listens where a daemon should.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use afterword_domain::proof;

use crate::config::Home;

pub(super) const PING: &str = r#"{"version":"0.1.0","protocol":1,"pid":4,"uptime_s":1}"#;

pub(super) fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("home"));
    std::fs::create_dir(home.folder()).unwrap();
    (folder, home)
}

pub(super) fn publish(home: &Home, port: u16) {
    let endpoint = format!(
        r#"{{"port":{port},"pid":{},"started_at_ms":0,"protocol":1,"version":"0.1.0"}}"#,
        std::process::id()
    );
    std::fs::write(home.token_file(), "secret").unwrap();
    std::fs::write(home.endpoint_file(), endpoint).unwrap();
}

pub(super) const SPOKEN: &str = "x-afterword-protocol: 1\r\n";

/// What a listener answers to a nonce at its port.
pub(super) type Prover = fn(&str, u16) -> String;

/// Proves that it knows the token that [`publish`] writes.
pub(super) const PROVER: Option<Prover> = Some(|nonce, port| proof::answer("secret", nonce, port));

/// Answers every connection with one text until the test ends, after the proof where it has one.
/// Hands out the requests.
pub(super) fn listen(proves: Option<Prover>, answer: String) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, seen) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut next = || {
                let mut head = [0_u8; 4096];
                let n = stream.read(&mut head).unwrap_or(0);
                let text = String::from_utf8_lossy(&head[..n]).into_owned();
                // Not every test looks.
                sender.send(text.clone()).ok();
                let nonce =
                    text.strip_prefix("GET /api/prove?nonce=").and_then(|t| t.split(' ').next());
                if let (Some(nonce), Some(make)) = (nonce, proves) {
                    let proof = make(nonce, port);
                    let head =
                        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", proof.len());
                    stream.write_all(format!("{head}{proof}").as_bytes()).is_ok()
                } else {
                    stream.write_all(answer.as_bytes()).ok();
                    false
                }
            };
            while next() {}
        }
    });
    (port, seen)
}

pub(super) fn answer(status: &str, protocol: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{protocol}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
