//! Reading what the agent writes: as it comes, never past the end of the JSON value, never past the
//! deadline.
//!
//! Some agents leave the stream open after the value, so its end is seen by its brackets. What has
//! come when time is up is handed on: half a payload may still hold something usable.

use std::io::{self, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use afterword_domain::repair::JsonEnd;

/// Most bytes taken; the rest of a longer payload is left unread.
pub const LIMIT: usize = 16 << 20;

/// Bytes asked for at once.
const CHUNK: usize = 64 * 1024;

/// How long bytes may go on coming once the first has come.
pub const FLOW: Duration = Duration::from_millis(700);

/// Reads one JSON value, or what there is of it when time is up: at `until` while nothing has come,
/// then `rest` after the latest bytes, and [`FLOW`] after the first.
///
/// `crowding` is asked once, when nothing has come in time: how many times as long such a wait is
/// on this machine now.
///
/// An agent that is still writing is waited for, as a large payload on a busy machine takes its
/// time; one that has begun and stops is not. `begun` is told of the first bytes.
///
/// A thread does the reading, because a read of a standard stream cannot be given a time limit; it
/// ends with the process.
pub fn read(
    source: impl Read + Send + 'static,
    until: Instant,
    rest: Duration,
    crowding: impl FnOnce() -> u32,
    begun: impl FnOnce(),
) -> Vec<u8> {
    let patience = until.saturating_duration_since(Instant::now());
    let (sender, chunks) = mpsc::sync_channel(4);
    let reader = thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(move || pump(source, |chunk| sender.send(chunk).is_ok()));
    let mut bytes = Vec::new();
    if reader.is_err() {
        return bytes;
    }
    let mut end = JsonEnd::new();
    let (mut deadline, mut last) = (until, until);
    let (mut begun, mut crowding) = (Some(begun), Some(crowding));
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match chunks.recv_timeout(left) {
            Ok(chunk) => {
                let now = Instant::now();
                if let Some(begun) = begun.take() {
                    begun();
                    last = now + FLOW;
                }
                deadline = last.min(now + rest);
                let complete = end.feed(&chunk);
                take(&mut bytes, chunk);
                if complete || bytes.len() >= LIMIT {
                    return bytes;
                }
            }
            Err(RecvTimeoutError::Timeout) if begun.is_some() && crowding.is_some() => {
                let crowding = crowding.take().map_or(1, |ask| ask());
                deadline = until + patience * crowding.saturating_sub(1);
                last = deadline;
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return bytes,
        }
    }
}

fn take(bytes: &mut Vec<u8>, mut chunk: Vec<u8>) {
    chunk.truncate(LIMIT - bytes.len());
    if bytes.is_empty() {
        *bytes = chunk;
    } else {
        bytes.append(&mut chunk);
    }
}

fn pump(mut source: impl Read, mut send: impl FnMut(Vec<u8>) -> bool) {
    loop {
        let mut chunk = vec![0; CHUNK];
        match source.read(&mut chunk) {
            Ok(0) => return,
            Ok(n) => {
                chunk.truncate(n);
                if !send(chunk) {
                    return;
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(40)
    }

    fn late() -> Instant {
        Instant::now() + LONG
    }

    #[test]
    fn a9_a_stream_that_stays_open_ends_with_its_value() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"\xef\xbb\xbf {\"a\":\"}\\\"\",").unwrap();
        let writing = thread::spawn(move || {
            writer.write_all(b"\"b\":[1,{}]}\n").unwrap();
            writer
        });
        let bytes = read(reader, late(), LONG, || 1, || {});
        assert!(bytes.starts_with(b"\xef\xbb\xbf {"));
        assert!(String::from_utf8_lossy(&bytes).trim_end().ends_with("[1,{}]}"));
        drop(writing.join().unwrap());
    }

    #[test]
    fn a9_an_unfinished_value_is_handed_on_at_the_deadline() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"{\"session_id\":\"s\",").unwrap();
        let deadline = soon();
        assert_eq!(read(reader, deadline, LONG, || 1, || {}), b"{\"session_id\":\"s\",");
        assert!(Instant::now() >= deadline);
        drop(writer);
    }

    #[test]
    fn a9_what_has_begun_is_not_waited_for_as_long_as_what_has_not() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"{\"session_id\":").unwrap();
        assert_eq!(
            read(reader, late(), Duration::from_millis(20), || 1, || {}),
            b"{\"session_id\":"
        );
        drop(writer);
    }

    #[test]
    fn b9_a_crowded_machine_is_waited_for() {
        let (reader, mut writer) = io::pipe().unwrap();
        let (asked, answer) = mpsc::channel();
        let writing = thread::spawn(move || {
            // What comes after the usual wait is over.
            answer.recv().unwrap();
            writer.write_all(b"{}").unwrap();
            writer
        });
        let crowding = || {
            asked.send(()).unwrap();
            1_000
        };
        assert_eq!(read(reader, soon(), LONG, crowding, || {}), b"{}");
        drop(writing.join().unwrap());
    }

    #[test]
    fn a10_nothing_at_all_is_nothing() {
        assert_eq!(read(io::empty(), late(), LONG, || 1, || {}), b"");
        let (reader, writer) = io::pipe().unwrap();
        assert_eq!(read(reader, soon(), LONG, || 1, || {}), b"");
        drop(writer);
    }

    #[test]
    fn a_payload_without_an_end_is_cut_at_the_limit() {
        let endless = io::Cursor::new(b"{\"a\":\"").chain(io::repeat(b'x'));
        assert_eq!(read(endless, late(), LONG, || 1, || {}).len(), LIMIT);
    }
}
