//! Secrets on command lines: `--password value`, `--token=value`, `curl -u user:password`.

use std::ops::Range;

use super::{Spans, run};
use crate::privacy::keys::{is_placeholder, names_secret};

/// Words of prose that follow an option's name when it is talked about.
const PROSE: [&str; 30] = [
    "and",
    "argument",
    "as",
    "before",
    "does",
    "enables",
    "field",
    "file",
    "flag",
    "flags",
    "for",
    "from",
    "has",
    "if",
    "instead",
    "into",
    "is",
    "must",
    "option",
    "options",
    "or",
    "parameter",
    "prompt",
    "should",
    "that",
    "the",
    "value",
    "when",
    "will",
    "with",
];

/// Reports the values of options whose name announces a secret.
pub(super) fn find(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut curl = false;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() {
            curl &= bytes[at] != b'\n';
            at += 1;
            continue;
        }
        let end = run(bytes, at, |b| !b.is_ascii_whitespace());
        let word = &text[at..end];
        curl |= word.ends_with("curl") || word.ends_with("curl.exe");
        let value = option_value(text, at, end)
            .or_else(|| if curl { user_password(text, at, end) } else { None });
        at = match value {
            Some(value) => {
                spans.push(value.clone());
                value.end.max(at + 1)
            }
            None => end,
        };
    }
}

/// Whether an argument that stands alone is an option that takes a secret as the next argument.
pub(in crate::privacy) fn is_secret_option(argument: &str) -> bool {
    let name = argument.trim_start_matches('-');
    name.len() < argument.len() && !name.contains('=') && announces(name)
}

fn announces(name: &str) -> bool {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    plain && (names_secret(name) || matches!(name, "pass" | "pwd"))
}

/// The value of the option in the word `at..end`: behind its `=`, else the next word.
fn option_value(text: &str, at: usize, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let open = run(bytes, at, |b| matches!(b, b'"' | b'\'' | b'`' | b'(' | b'[' | b'\\' | b','));
    let name = run(bytes, open, |b| b == b'-');
    if name == open || name >= end {
        return None;
    }
    let name_end = run(bytes, name, |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if !announces(&text[name..name_end]) {
        return None;
    }
    let value = if bytes.get(name_end) == Some(&b'=') {
        quoted_or_bare(text, name_end + 1)
    } else {
        let next = run(bytes, name_end, |b| {
            matches!(b, b' ' | b'\t')
                || (name_end < end && matches!(b, b'"' | b'\'' | b',' | b'\\'))
        });
        let value = quoted_or_bare(text, next);
        let word = &text[value.clone()];
        let prose = PROSE.iter().any(|known| word.trim_end_matches(['.', ',']) == *known);
        if next == name_end || prose {
            return None;
        }
        value
    };
    let word = &text[value.clone()];
    let command = word.starts_with(['-', '|', '&', ';', '>', '\\', '(', '[', '=', ':', ',']);
    (word.len() >= 3 && !command && !is_placeholder(word)).then_some(value)
}

/// The password of `-u user:password` and `--user=user:password`; numbers are user ids.
fn user_password(text: &str, at: usize, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let word = &text[at..end];
    let start = match word {
        "-u" | "--user" | "-U" | "--proxy-user" => run(bytes, end, |b| matches!(b, b' ' | b'\t')),
        _ if word.starts_with("--user=") => at + "--user=".len(),
        _ if word.starts_with("-u") => at + 2,
        _ => return None,
    };
    let pair = quoted_or_bare(text, start);
    let colon = text[pair.clone()].find(':')?;
    let password = pair.start + colon + 1..pair.end;
    let word = &text[password.clone()];
    (!is_placeholder(word) && !word.bytes().all(|b| b.is_ascii_digit())).then_some(password)
}

/// A value from `at` on: inside quotes that close on the same line, else up to white space.
fn quoted_or_bare(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    if let Some(quote @ (b'"' | b'\'')) = bytes.get(at).copied() {
        let close = run(bytes, at + 1, |b| b != quote && b != b'\n');
        if bytes.get(close) == Some(&quote) {
            return at + 1..close;
        }
        return at + 1..run(bytes, at + 1, |b| !b.is_ascii_whitespace());
    }
    at..run(bytes, at, |b| {
        !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b';' | b'|' | b')' | b'\\')
    })
}
