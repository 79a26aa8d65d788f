//! Credentials in request headers: `Authorization: Bearer …`.

use super::{Spans, run};
use crate::privacy::keys::{is_placeholder, looks_random};

/// Words that stand between the header's name and the credential.
const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "digest", "apikey", "bot"];
/// Shortest credential behind a header's name.
const MIN_NAMED: usize = 6;
/// Shortest credential behind the word `Bearer` alone.
const MIN_BEARER: usize = 16;

/// Reports the credential of `Authorization` headers and of lone `Bearer` words.
pub(super) fn find(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'a' | b'A' | b'b' | b'B') {
            at += 1;
            continue;
        }
        let end = run(bytes, at, is_letter);
        let word = &text[at..end];
        let value = if word.eq_ignore_ascii_case("authorization") {
            named_value(text, end)
        } else if word.eq_ignore_ascii_case("bearer") {
            bearer_value(text, end)
        } else {
            None
        };
        match value {
            Some(value) => {
                at = value.end;
                spans.push(value);
            }
            None => at = end.max(at + 1),
        }
    }
}

fn named_value(text: &str, name_end: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let colon = skip_few(bytes, name_end, |b| matches!(b, b' ' | b'"' | b'\'' | b'\\' | b']'));
    if !matches!(bytes.get(colon), Some(b':' | b'=')) {
        return None;
    }
    let blank = |b| matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'\\');
    let mut start = skip_few(bytes, colon + 1, blank);
    let scheme_end = run(bytes, start, is_letter);
    if SCHEMES.iter().any(|scheme| text[start..scheme_end].eq_ignore_ascii_case(scheme)) {
        start = skip_few(bytes, scheme_end, |b| matches!(b, b' ' | b'\t'));
    }
    let end = run(bytes, start, is_credential);
    // A call such as `authorization: header(value)` is program text.
    let call = matches!(bytes.get(end), Some(b'(' | b'['));
    let value = &text[start..end];
    (value.len() >= MIN_NAMED && !call && !is_placeholder(value)).then_some(start..end)
}

fn bearer_value(text: &str, word_end: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let start = skip_few(bytes, word_end, |b| matches!(b, b' ' | b'\t' | b':' | b'='));
    let end = run(bytes, start, is_credential);
    let value = &text[start..end];
    (start > word_end && value.len() >= MIN_BEARER && looks_random(value)).then_some(start..end)
}

/// Passes at most eight bytes that satisfy `skip`.
fn skip_few(bytes: &[u8], at: usize, skip: impl Fn(u8) -> bool) -> usize {
    let few = bytes[at..].iter().take(8).take_while(|b| skip(**b)).count();
    at + few
}

fn is_letter(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')
}

fn is_credential(b: u8) -> bool {
    b.is_ascii_alphanumeric()
        || matches!(b, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b':' | b'!' | b'*' | b'%')
}
