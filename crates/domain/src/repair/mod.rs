//! Reading JSON that is almost right.
//!
//! What agents hand to a hook is not always what a strict parser takes: a marker in front, another
//! encoding, half an emoji, an object cut short or two in a row. Losing such a call would lose an
//! event, so everything readable is read. [`parse`] takes whole bytes, [`JsonEnd`] tells a reader
//! when the bytes so far hold a whole value, for inputs that never end.

mod decode;
mod end;
mod lenient;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub use end::JsonEnd;

/// Containers within containers that are kept; what lies deeper is replaced.
pub const MAX_DEPTH: usize = 100;
/// What stands in the place of a value nested deeper than [`MAX_DEPTH`].
pub const TOO_DEEP: &str = "[nested too deep]";

/// Parses bytes as one JSON value after repair; none when nothing usable is in them.
///
/// Valid JSON is taken as it is, except that NUL characters are dropped from strings and depth is
/// bounded. Otherwise: byte order marks, UTF-16 and invalid UTF-8 are decoded; lone surrogates become
/// U+FFFD; raw control characters stay; the first of several objects wins; of an object cut short
/// all that was whole is kept, and of a text cut short its beginning. Any value may come back, not
/// only objects. Never panics; time and memory are linear in the input.
pub fn parse(bytes: &[u8]) -> Option<Value> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Some(if needs_tidying(bytes) { tidy(value, 0) } else { value });
    }
    let text = decode::text(bytes);
    match serde_json::from_str(&text) {
        Ok(value) => Some(tidy(value, 0)),
        Err(_) => lenient::parse(&text),
    }
}

/// Whether a valid document may hold NUL characters or too many levels.
fn needs_tidying(bytes: &[u8]) -> bool {
    let opening = bytes.iter().filter(|b| matches!(b, b'[' | b'{')).count();
    opening > MAX_DEPTH || bytes.windows(5).any(|window| window == b"u0000")
}

/// The value without NUL characters and without levels below the deepest allowed.
fn tidy(value: Value, depth: usize) -> Value {
    match value {
        Value::String(text) => Value::String(without_nul(text)),
        Value::Array(_) | Value::Object(_) if depth == MAX_DEPTH => TOO_DEEP.into(),
        Value::Array(items) => items.into_iter().map(|item| tidy(item, depth + 1)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, item)| (without_nul(key), tidy(item, depth + 1)))
            .collect(),
        plain => plain,
    }
}

fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "") } else { text }
}
