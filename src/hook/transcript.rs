//! The end of an agent's own log, read backwards and never whole.
//!
//! Only used where the agent did not send its final message. The log is a hint: it may be missing,
//! lag behind, belong to another session, or end in half a line. What is found is the answer of the
//! turn that just ended or nothing; an older turn's answer is never taken.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::files::open_file;

/// How much of the file's end is looked at, step by step.
const WINDOWS: [u64; 3] = [64 * 1024, 256 * 1024, 1 << 20];

/// Pause between two looks at a file that does not have the answer yet.
const PAUSE: Duration = Duration::from_millis(10);

/// Which answer is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The agent's session: lines of another one make the file useless.
    pub session: &'a str,
    /// The turn, where the agent names it: an answer to another one is stale.
    pub turn: Option<&'a str>,
    /// Take the lines of a sub-agent's log; they are skipped in a session's.
    pub sidechain: bool,
}

/// The final message of the turn, waited for until the deadline.
pub fn final_answer(path: &Path, wanted: Wanted<'_>, deadline: Instant) -> Option<String> {
    loop {
        // Absent or unreadable: no transcript.
        let Ok(found) = look(path, wanted) else { return None };
        match found {
            Found::Answer(text) => return Some(text),
            Found::Foreign => return None,
            Found::NotYet => {}
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        std::thread::sleep(PAUSE.min(left));
    }
}

enum Found {
    Answer(String),
    NotYet,
    Foreign,
}

fn look(path: &Path, wanted: Wanted<'_>) -> io::Result<Found> {
    let mut file = open_file(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    for window in WINDOWS {
        let start = length.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        (&mut file).take(window).read_to_end(&mut bytes)?;
        // The first line of a window is cut off, unless the window holds the whole file.
        let whole =
            if start == 0 { 0 } else { bytes.iter().position(|b| *b == b'\n').unwrap_or(0) };
        if let Some(found) = scan(&bytes[whole..], wanted) {
            return Ok(found);
        }
        if start == 0 {
            break;
        }
    }
    Ok(Found::NotYet)
}

/// Reads lines from the last to the first; none when they do not decide.
fn scan(bytes: &[u8], wanted: Wanted<'_>) -> Option<Found> {
    let mut answer: Option<(String, Option<String>)> = None;
    for line in bytes.rsplit(|b| *b == b'\n') {
        let Some(line) = Line::read(line, wanted.sidechain) else { continue };
        if line.session.as_deref().is_some_and(|s| s != wanted.session) {
            return Some(Found::Foreign);
        }
        match line.said {
            Said::ByModel { text, message } => match &mut answer {
                None if text.is_empty() => return Some(Found::NotYet),
                None => answer = Some((text, message)),
                // One message of the model is several lines, one for each of its blocks.
                Some((later, id)) if id.is_some() && *id == message && !text.is_empty() => {
                    *later = format!("{text}\n{later}");
                }
                Some(_) => {}
            },
            Said::ToModel { turn } => {
                let stale = matches!((wanted.turn, &turn), (Some(w), Some(t)) if w != t);
                return Some(match answer {
                    Some((text, _)) if !stale => Found::Answer(text),
                    _ => Found::NotYet,
                });
            }
        }
    }
    None
}

struct Line {
    session: Option<String>,
    said: Said,
}

enum Said {
    ByModel { text: String, message: Option<String> },
    ToModel { turn: Option<String> },
}

impl Line {
    /// A line of the conversation; none for anything else, and for half a line.
    fn read(bytes: &[u8], sidechain: bool) -> Option<Self> {
        if bytes.len() < 2 {
            return None;
        }
        let line: Value = serde_json::from_slice(bytes).ok()?;
        let flag = |name: &str| line.get(name).and_then(Value::as_bool).unwrap_or(false);
        if flag("isMeta") || flag("isCompactSummary") || (flag("isSidechain") && !sidechain) {
            return None;
        }
        let message = line.get("message")?;
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let said = match line.get("type")?.as_str()? {
            // An error of the service is written as if the model had said it.
            "assistant" if text(message.get("model")).as_deref() == Some("<synthetic>") => {
                return None;
            }
            "assistant" => {
                Said::ByModel { text: said_text(message), message: text(message.get("id")) }
            }
            "user" => Said::ToModel { turn: text(line.get("promptId")) },
            _ => return None,
        };
        Some(Self { session: text(line.get("sessionId")), said })
    }
}

/// The text blocks of a message; empty for thoughts and tool calls.
fn said_text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Array(blocks)) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter(|b| b.get("type").and_then(Value::as_str) == Some("text"))
                .filter_map(|b| b.get("text")?.as_str())
                .map(str::trim)
                .filter(|t| !t.is_empty())
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
#[path = "tests/transcript.rs"]
mod tests;
