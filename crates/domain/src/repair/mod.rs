//! Reading JSON that is almost right.
//!
//! What agents hand to a hook is not always what a strict parser takes: a marker in front, another
//! encoding, half an emoji, an object cut short or two in a row. Losing such a call would lose an
//! event, so everything readable is read. [`parse`] takes whole bytes, [`JsonEnd`] tells a reader
//! when the bytes so far hold a whole value, for inputs that never end.

mod bounded;
mod decode;
mod end;
mod lenient;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub use end::JsonEnd;

/// Containers within containers that are kept; what lies deeper is replaced.
pub const MAX_DEPTH: usize = 100;
/// Members of the outermost object, and items of an outermost list, that are kept.
pub const MAX_MEMBERS: usize = 1_000;
/// Values inside them that are kept, over all of a payload.
pub const MAX_PARTS: usize = 50_000;
/// What stands at the end of a list that had more items than were kept.
pub const TOO_MANY: &str = "[more items left out]";
/// What stands in the place of a value nested deeper than [`MAX_DEPTH`].
pub const TOO_DEEP: &str = "[nested too deep]";

/// Parses bytes as one JSON value after repair; none when nothing usable is in them.
///
/// Valid JSON is taken as it is, except that NUL characters are dropped from strings, and depth and
/// the number of values are bounded. Otherwise: byte order marks, UTF-16 and invalid UTF-8 are decoded; lone surrogates become
/// U+FFFD; raw control characters stay; the first of several objects wins; of an object cut short
/// all that was whole is kept, and of a text cut short its beginning. Any value may come back, not
/// only objects. Never panics; time and memory are linear in the input.
pub fn parse(bytes: &[u8]) -> Option<Value> {
    if let Ok(value) = bounded::parse(bytes) {
        return Some(value);
    }
    let text = decode::text(bytes);
    match bounded::parse_text(&text) {
        Ok(value) => Some(value),
        Err(_) => lenient::parse(&text),
    }
}

fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "") } else { text }
}
