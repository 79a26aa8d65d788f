//! A service on loopback that answers as a test tells it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::embed::{Embedder, Error, RemoteEmbedder};

/// Status and body for a request's body.
type Answer = fn(&Value) -> (u16, String);

/// Heads and bodies of requests.
type Asked = Mutex<Vec<(String, Value)>>;

/// Answers until the process ends; returns its address and what it was asked.
fn service(answer: Answer) -> (String, Arc<Asked>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/v1/", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            exchange(&stream.unwrap(), answer, &seen);
        }
    });
    (url, asked)
}

fn exchange(mut stream: &TcpStream, answer: Answer, seen: &Asked) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let (status, text) = answer(&body);
    seen.lock().unwrap().push((head, body));
    let length = text.len();
    let head =
        format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    stream.write_all(format!("{head}{text}").as_bytes()).unwrap();
}

/// Vectors of three numbers, the last text first.
fn vectors(body: &Value) -> (u16, String) {
    let texts = body["input"].as_array().unwrap();
    if texts.iter().any(|text| text == "unspeakable") {
        return (400, r#"{"error":"not this"}"#.to_owned());
    }
    let one = |(index, text): (usize, &Value)| {
        let length = text.as_str().unwrap().len();
        json!({ "index": index, "embedding": [length, 0, 1] })
    };
    let data: Vec<Value> = texts.iter().enumerate().map(one).rev().collect();
    (200, json!({ "data": data, "model": "m" }).to_string())
}

#[tokio::test]
async fn a_service_is_asked_in_batches_and_answers_in_order() {
    let (url, asked) = service(vectors);
    let embedder = RemoteEmbedder::connect(&url, "m", Some("the-key")).await.unwrap();
    assert_eq!((embedder.dimension(), embedder.middle()), (3, &[0.0; 3][..]));
    let place = url.trim_start_matches("http://").trim_end_matches('/');
    assert_eq!(embedder.id(), format!("m@{place}"));
    let texts: Vec<String> = (1..=40).map(|n| "x".repeat(n)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = embedder.passages(&texts).await.unwrap();
    for (text, vector) in texts.iter().zip(&found) {
        let length = f32::from(u8::try_from(text.len()).unwrap());
        assert!((vector[0] / vector[2] - length).abs() < 1e-3, "{text}: {vector:?}");
        assert!((vector.iter().map(|n| n * n).sum::<f32>() - 1.0).abs() < 1e-4);
    }
    assert_eq!(embedder.query("x").await.unwrap(), found[0]);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 5, "one for the dimension, three batches, one question");
    assert!(asked.iter().all(|(head, body)| head.starts_with("POST /v1/embeddings ")
        && head.to_ascii_lowercase().contains("authorization: bearer the-key")
        && body["model"] == "m"));
    assert!(!format!("{embedder:?}").contains("the-key"));
}

#[tokio::test]
async fn what_a_service_does_wrong_is_told_apart() {
    let (url, _) = service(vectors);
    let embedder = RemoteEmbedder::connect(&url, "m", None).await.unwrap();
    let refused = embedder.passages(&["fine", "unspeakable"]).await.unwrap_err();
    assert!(matches!(&refused, Error::Refused(why) if why.contains("not this")), "{refused}");
    let odd: [Answer; 5] = [
        |_| (500, "down".to_owned()),
        |_| (401, "who are you".to_owned()),
        |_| (200, "[]".to_owned()),
        |_| (200, r#"{"data":[]}"#.to_owned()),
        |_| (200, r#"{"data":[{"index":7,"embedding":[1.0]}]}"#.to_owned()),
    ];
    for answer in odd {
        let (url, _) = service(answer);
        let error = RemoteEmbedder::connect(&url, "m", None).await.unwrap_err();
        assert!(matches!(&error, Error::Unavailable(why) if why.contains(&url)), "{error}");
    }
    let nobody = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let error = RemoteEmbedder::connect(&format!("http://{nobody}"), "m", None).await.unwrap_err();
    assert!(error.to_string().contains("cannot be reached"), "{error}");
}

#[tokio::test]
async fn a_vector_of_another_dimension_is_no_answer() {
    let (url, _) = service(|body| {
        let numbers = if body["input"][0] == "dimension" { vec![1.0, 2.0] } else { vec![1.0] };
        (200, json!({ "data": [{ "index": 0, "embedding": numbers }] }).to_string())
    });
    let embedder = RemoteEmbedder::connect(&url, "m", None).await.unwrap();
    let error = embedder.query("x").await.unwrap_err();
    assert!(error.to_string().contains("another dimension"), "{error}");
}
