use std::io::Read;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use super::*;

/// Serves one connection: sends `answer` after the request's head and body have come.
fn serve(answer: Vec<u8>) -> (u16, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut chunk = [0_u8; 4096];
        while !request.ends_with(b"\r\n\r\n") && !request.ends_with(b"}") {
            let n = stream.read(&mut chunk).unwrap();
            request.extend_from_slice(&chunk[..n]);
        }
        stream.write_all(&answer).unwrap();
        String::from_utf8(request).unwrap()
    });
    (port, server)
}

fn request<'a>(path: &'a str, body: Option<&'a [u8]>, limit: usize) -> Request<'a> {
    Request { method: "POST", path, token: Some("t0k"), body, answer_limit: limit, last: true }
}

fn ask(port: u16, body: Option<&[u8]>, limit: usize) -> Result<Answer, Failure> {
    let deadline = Instant::now() + Duration::from_secs(10);
    Connection::open(port, deadline)?.exchange(&request("/x?y=1", body, limit))
}

fn garbage(answer: &[u8], limit: usize) -> &'static str {
    let (port, server) = serve(answer.to_vec());
    let failure = ask(port, None, limit).unwrap_err();
    server.join().unwrap();
    match failure {
        Failure::Garbage(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_carries_host_token_and_length() {
    let (port, server) = serve(
        b"HTTP/1.1 200 OK\r\nX-Afterword-Protocol: 1\r\ncontent-length: 2\r\n\r\n{}x".to_vec(),
    );
    let answer = ask(port, Some(br#"{"a":1}"#), 100).unwrap();
    assert_eq!(answer, Answer { status: 200, protocol: Some(1), body: b"{}".to_vec() });
    let request = server.join().unwrap();
    assert!(request.starts_with("POST /x?y=1 HTTP/1.1\r\n"), "{request}");
    for line in
        [&format!("Host: 127.0.0.1:{port}"), "Authorization: Bearer t0k", "Connection: close"]
    {
        assert!(request.contains(&format!("\r\n{line}\r\n")), "{request}");
    }
    assert!(request.ends_with("Content-Length: 7\r\n\r\n{\"a\":1}"), "{request}");
}

#[test]
fn chunked_counted_and_closed_bodies_are_read_whole() {
    for answer in [
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nhello",
    ] {
        let (port, server) = serve(answer.as_bytes().to_vec());
        assert_eq!(ask(port, None, 5).unwrap().body, b"hello", "{answer}");
        server.join().unwrap();
    }
    let (port, server) = serve(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec());
    assert_eq!(ask(port, None, 5).unwrap().status, 204);
    server.join().unwrap();
}

#[test]
fn what_is_no_http_or_too_large_is_garbage() {
    assert_eq!(garbage(b"SSH-2.0-OpenSSH_9.2\r\n", 5), "it does not speak HTTP");
    assert_eq!(garbage(b"HTTP/1.1 abc\r\n\r\n", 5), "it does not speak HTTP");
    assert_eq!(garbage(b"", 5), "the connection was closed");
    assert_eq!(
        garbage(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello!", 5),
        "its answer is too large"
    );
    assert_eq!(
        garbage(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhel", 6),
        "the answer was cut off"
    );
    assert_eq!(garbage(b"HTTP/1.1 200 OK\r\n\r\nhello!", 5), "its answer is too large");
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (chunks, why) in [
        ("6\r\nhello!\r\n0\r\n\r\n", "its answer is too large"),
        ("ffffffff\r\n", "its answer is too large"),
        ("zz\r\n", "its answer is badly framed"),
        ("2\r\nhello\r\n", "its answer is badly framed"),
        ("5\r\nhel", "the answer was cut off"),
    ] {
        assert_eq!(garbage(format!("{chunked}{chunks}").as_bytes(), 5), why, "{chunks}");
    }
}

#[test]
fn a_listener_that_never_answers_costs_the_deadline_and_no_more() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let body = vec![b' '; 8 << 20];
    for body in [None, Some(body.as_slice())] {
        let deadline = Instant::now() + Duration::from_millis(30);
        let sent = Connection::open(port, deadline)
            .and_then(|mut connection| connection.exchange(&request("/", body, 10)));
        assert!(matches!(sent, Err(Failure::TimedOut)));
        assert!(Instant::now() >= deadline);
    }
}

#[test]
fn nobody_listening_is_refused() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert!(matches!(ask(port, None, 10), Err(Failure::Refused)));
}

#[test]
fn two_exchanges_share_a_connection_and_only_the_second_shows_the_token() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = Vec::new();
        for body in ["one", "two"] {
            let mut chunk = [0_u8; 4096];
            let n = stream.read(&mut chunk).unwrap();
            requests.push(String::from_utf8(chunk[..n].to_vec()).unwrap());
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
        requests
    });
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut connection = Connection::open(port, deadline).unwrap();
    let question = Request { token: None, last: false, ..request("/first", None, 10) };
    assert_eq!(connection.exchange(&question).unwrap().body, b"one");
    assert_eq!(connection.exchange(&request("/second", None, 10)).unwrap().body, b"two");
    let requests = server.join().unwrap();
    assert!(!requests[0].contains("t0k") && !requests[0].contains("close"), "{requests:?}");
    assert!(requests[1].contains("Bearer t0k") && requests[1].contains("close"), "{requests:?}");
}
