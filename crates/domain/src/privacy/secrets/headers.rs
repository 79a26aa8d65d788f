//! Credentials in request headers: `Authorization: Bearer …`, `Cookie: …`, `X-Api-Key: …`.

use std::ops::Range;

use super::{Spans, run};
use crate::privacy::keys::{is_placeholder, looks_random};

/// Words that stand between the header's name and the credential.
const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "digest", "apikey", "bot"];
/// Shortest credential behind a header's name.
const MIN_NAMED: usize = 6;
/// Shortest credential behind the word `Bearer` alone.
const MIN_BEARER: usize = 16;

/// Longest name of a header.
const MAX_NAME: usize = 64;

/// Whether a header of this name carries a credential: `X-Api-Key`, `PRIVATE-TOKEN`, `Cookie`.
///
/// Wider than what is believed of names in running text; only for what is known to be a header.
pub(in crate::privacy) fn is_secret_header(name: &str) -> bool {
    const ENDINGS: [&str; 8] =
        ["key", "token", "secret", "password", "passwd", "credential", "session", "signature"];
    if name.is_empty() || name.len() > MAX_NAME {
        return false;
    }
    let name = name.to_ascii_lowercase().replace('_', "-");
    let last = name.rsplit('-').next().unwrap_or_default();
    name.contains("auth")
        || name.ends_with("cookie")
        || name.ends_with("apikey")
        || ENDINGS.contains(&last)
}

/// The credential in a header line such as `X-Api-Key: value`, where its name says there is one.
pub(in crate::privacy) fn secret_value(line: &str) -> Option<Range<usize>> {
    let colon = line.find(':')?;
    let name = line[..colon].trim();
    // The scheme of an authorization is worth keeping, and found where all of them are.
    if !is_secret_header(name) || name.to_ascii_lowercase().ends_with("authorization") {
        return None;
    }
    let rest = &line[colon + 1..];
    let value = rest.trim();
    let start = colon + 1 + (rest.len() - rest.trim_start().len());
    (!value.is_empty() && !is_placeholder(value)).then_some(start..start + value.len())
}

/// Reports the credential of `Authorization` and `Cookie` headers and of lone `Bearer` words.
pub(super) fn find(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'a' | b'A' | b'b' | b'B' | b'c' | b'C') {
            at += 1;
            continue;
        }
        let end = run(bytes, at, is_letter);
        let word = &text[at..end];
        let value = if word.eq_ignore_ascii_case("authorization") {
            named_value(text, end)
        } else if word.eq_ignore_ascii_case("bearer") {
            bearer_value(text, end)
        } else if word.eq_ignore_ascii_case("cookie") {
            cookies(text, end)
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

fn named_value(text: &str, name_end: usize) -> Option<Range<usize>> {
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

/// All the cookies of a header, to the end of its line or quote.
fn cookies(text: &str, name_end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let colon = skip_few(bytes, name_end, |b| matches!(b, b' ' | b'"' | b'\'' | b'\\'));
    if bytes.get(colon) != Some(&b':') {
        return None;
    }
    let blank = |b| matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'\\');
    let start = skip_few(bytes, colon + 1, blank);
    // The first name decides, so that nothing is read to its end in vain.
    let named = bytes[start..].iter().take(MAX_NAME).take_while(|b| is_cookie_name(**b)).count();
    let sign = start + named;
    if named == 0 || bytes.get(sign) != Some(&b'=') {
        return None;
    }
    let first = bytes[sign + 1..].iter().take(MAX_NAME).take_while(|b| is_cookie(**b)).count();
    let value = crate::text::prefix(&text[sign + 1..], first);
    if value.is_empty() || value.starts_with(['=', '>']) || is_placeholder(value) {
        return None;
    }
    let end = run(bytes, start, |b| !matches!(b, b'"' | b'\'' | b'`' | b'\\' | b'\n' | b'\r'));
    Some(start..end)
}

fn is_cookie_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'$' | b'%' | b'[' | b']')
}

fn is_cookie(b: u8) -> bool {
    !b.is_ascii_whitespace() && !matches!(b, b';' | b'"' | b'\'' | b'`' | b'\\')
}

fn bearer_value(text: &str, word_end: usize) -> Option<Range<usize>> {
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
