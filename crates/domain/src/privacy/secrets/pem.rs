//! Private keys in their text form, from the first dash to the last.

use super::{Spans, run};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Longest label between the dashes.
const MAX_LABEL: usize = 64;

/// Reports whole private key blocks; a block without an end is reported as far as it looks like one.
pub(super) fn find(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // The next end mark, remembered so that many beginnings do not search the same text again.
    let mut next_end: Option<usize> = Some(0);
    while let Some(offset) = text[at..].find(BEGIN) {
        let start = at + offset;
        at = start + BEGIN.len();
        let Some(body) = after_label(text, at) else { continue };
        if next_end.is_some_and(|end| end < body) {
            next_end = text[body..].find(END).map(|n| body + n);
        }
        let end = match next_end {
            Some(end) if !text[body..end].contains(BEGIN) => {
                let label = end + END.len();
                after_label(text, label).unwrap_or(label)
            }
            _ => run(bytes, body, is_body),
        };
        spans.push(start..end);
        at = end;
    }
}

/// Where the text behind a `PRIVATE KEY` label and its dashes begins.
fn after_label(text: &str, at: usize) -> Option<usize> {
    let window = crate::text::prefix(&text[at..], MAX_LABEL);
    let dashes = window.find(DASHES)?;
    window[..dashes].contains("PRIVATE KEY").then_some(at + dashes + DASHES.len())
}

/// Bytes of a key's body, also where its line ends are written as escapes.
fn is_body(b: u8) -> bool {
    b.is_ascii_alphanumeric()
        || b.is_ascii_whitespace()
        || matches!(b, b'+' | b'/' | b'=' | b'\\' | b'-' | b':' | b',')
}
