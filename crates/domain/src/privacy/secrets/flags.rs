//! Secrets on command lines: `--password value`, `--token=value`, `-H 'X-Api-Key: value'`.

use std::ops::Range;

use super::programs::Program;
use super::{Spans, headers, run};
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

/// Reports the values of options whose name announces a secret, of those by which a program is
/// known to take one, and of headers.
pub(super) fn find(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut program = None;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() {
            // A command goes on behind a line end that is escaped.
            if bytes[at] == b'\n' && (at == 0 || bytes[at - 1] != b'\\') {
                program = None;
            }
            at += 1;
            continue;
        }
        let end = run(bytes, at, |b| !b.is_ascii_whitespace());
        let word = &text[at..end];
        program = Program::after(program, word);
        let value = if word.contains('-') {
            option_value(text, at, end)
                .or_else(|| program.and_then(|program| program.value(text, at, end)))
                .or_else(|| header_argument(text, at, end))
        } else {
            None
        };
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
    plain && (names_secret(name) || matches!(name, "pass" | "pwd" | "passin" | "passout"))
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

/// The value of the header in an argument of `-H` or `--header`, where its name says it is secret.
fn header_argument(text: &str, at: usize, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let word = &text[at..end];
    let option = ["--proxy-header", "--header", "-H"].into_iter().find(|o| word.starts_with(o))?;
    let mut start = at + option.len();
    if start == end {
        start = run(bytes, start, |b| matches!(b, b' ' | b'\t'));
    } else if bytes[start] == b'=' {
        start += 1;
    }
    start = run(bytes, start, |b| matches!(b, b'$' | b'\\'));
    let quote = bytes.get(start).copied().filter(|b| matches!(b, b'"' | b'\''));
    let escaped = start > 0 && bytes[start - 1] == b'\\';
    let (start, end) = match quote {
        Some(quote) => {
            let inside = |b| b != quote && b != b'\n' && !(escaped && b == b'\\');
            (start + 1, run(bytes, start + 1, inside))
        }
        None => (start, run(bytes, start, |b| !b.is_ascii_whitespace())),
    };
    let value = headers::secret_value(&text[start..end])?;
    Some(start + value.start..start + value.end)
}

/// A value from `at` on: inside quotes that close on the same line, else up to white space.
pub(super) fn quoted_or_bare(text: &str, at: usize) -> Range<usize> {
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
