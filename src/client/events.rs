//! A stream of live events, read as it comes.

use std::time::{Duration, Instant};

use super::answer::Length;
use super::endpoint::Unreachable;
use super::http::{Answer, Failure};
use super::wire::Wire;

/// How long a daemon may say nothing: it sends a sign of life three times as often.
const SILENCE: Duration = Duration::from_secs(45);

/// Most bytes of one event.
const EVENT_BYTES: usize = 16 << 20;

/// One event as the stream carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerEvent {
    /// Its id; none where it has none.
    pub id: Option<String>,
    /// Its name; empty where events have none.
    pub name: String,
    /// Its data.
    pub data: String,
}

/// An open stream.
#[derive(Debug)]
pub struct Events {
    wire: Wire,
    raw: Vec<u8>,
    text: Vec<u8>,
}

impl Events {
    /// Reads the head of the answer; the answer itself where it is no stream.
    pub(super) fn begin(mut wire: Wire) -> Result<Result<Self, Answer>, Failure> {
        let mut raw = Vec::new();
        let (head, start) = wire.head(&mut raw)?;
        raw.drain(..start);
        if head.status == 200 && matches!(head.length, Length::Chunked) {
            return Ok(Ok(Self { wire, raw, text: Vec::new() }));
        }
        let body = wire.body(&head, raw, EVENT_BYTES)?;
        Ok(Err(Answer { status: head.status, protocol: head.protocol, body }))
    }

    /// The next event, whenever it comes; none when the stream has ended.
    ///
    /// A daemon that says nothing at all for 45 s counts as frozen.
    pub fn wait(&mut self) -> Result<Option<ServerEvent>, Unreachable> {
        loop {
            while let Some(event) = self.whole_event() {
                if !event.data.is_empty() {
                    return Ok(Some(event));
                }
            }
            self.wire.until(Instant::now() + SILENCE);
            match self.wire.chunk(&mut self.raw, EVENT_BYTES) {
                Ok(Some(chunk)) => self.text.extend_from_slice(&chunk),
                Ok(None) => return Ok(None),
                Err(Failure::TimedOut) => return Err(Unreachable::Frozen(SILENCE)),
                Err(Failure::Refused | Failure::Garbage(_)) => return Err(Unreachable::NotRunning),
            }
            if self.text.len() > EVENT_BYTES {
                return Err(Unreachable::Foreign("an event has no end".to_owned()));
            }
        }
    }

    /// What stands in front of the next empty line.
    fn whole_event(&mut self) -> Option<ServerEvent> {
        let end = self.text.windows(2).position(|pair| pair == b"\n\n")?;
        let block: Vec<u8> = self.text.drain(..end + 2).collect();
        Some(parse(&String::from_utf8_lossy(&block)))
    }
}

fn parse(block: &str) -> ServerEvent {
    let mut event = ServerEvent::default();
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => event.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut event.name),
            "data" => {
                if !event.data.is_empty() {
                    event.data.push('\n');
                }
                event.data.push_str(value);
            }
            // Remarks, and how soon to connect again.
            _ => {}
        }
    }
    event
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::client::fake::{PROVER, SPOKEN, answer, home, listen, publish};
    use crate::client::{CallError, Client};

    fn open(text: &str) -> Result<Events, CallError> {
        let (_folder, home) = home();
        let (port, _seen) = listen(PROVER, text.to_owned());
        publish(&home, port);
        let client = Client::find(&home, Duration::from_secs(30)).unwrap();
        client.events("/api/events/stream", Some("7"))
    }

    fn chunked(chunks: &[&str]) -> String {
        let mut text = format!("HTTP/1.1 200 OK\r\n{SPOKEN}Transfer-Encoding: chunked\r\n\r\n");
        for chunk in chunks {
            write!(text, "{:x}\r\n{chunk}\r\n", chunk.len()).unwrap();
        }
        text
    }

    #[test]
    fn events_come_whole_however_they_are_cut() {
        let text = chunked(&[
            "retry: 1000\nevent: a\nid: 8\nda",
            "ta: {\"x\":1}\n",
            "\n: heartbeat\n\nevent: b\ndata: one\ndata: two\n\n",
            "",
        ]);
        let mut events = open(&text).unwrap();
        let first = events.wait().unwrap().unwrap();
        assert_eq!((first.id.as_deref(), first.name.as_str()), (Some("8"), "a"));
        assert_eq!(first.data, "{\"x\":1}");
        let second = events.wait().unwrap().unwrap();
        assert_eq!((second.id, second.data.as_str()), (None, "one\ntwo"));
        assert_eq!(events.wait().unwrap(), None);
    }

    #[test]
    fn a_stream_that_breaks_off_is_a_daemon_that_is_gone() {
        let mut events = open(&chunked(&["event: a\ndata: 1\n\n", "event: b\nda"])).unwrap();
        assert_eq!(events.wait().unwrap().unwrap().name, "a");
        assert_eq!(events.wait().unwrap_err(), Unreachable::NotRunning);
    }

    #[test]
    fn a_refusal_is_told_in_the_daemons_words() {
        let body = r#"{"error":"too many watch","code":"crowded","hint":"close some"}"#;
        let refused = open(&answer("503 Service Unavailable", SPOKEN, body)).unwrap_err();
        assert_eq!(refused.to_string(), "too many watch; close some");
        let foreign = open(&answer("200 OK", "", "hello")).unwrap_err();
        assert!(matches!(foreign, CallError::Unreachable(Unreachable::Foreign(_))), "{foreign}");
    }
}
