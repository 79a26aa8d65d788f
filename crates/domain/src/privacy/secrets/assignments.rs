//! Secrets assigned to a telling name: `API_KEY=…`, `"password": "…"`, `token: …`.
//!
//! A variable in capitals is believed at once. Any other name needs a quoted value without blanks,
//! or a bare value that looks drawn at random; what reads like program text is left alone.

use std::ops::Range;

use super::{Spans, run};
use crate::privacy::keys::{
    MAX_KEY, is_dotted_name, is_placeholder, looks_random, names_secret, variable_names_secret,
};

/// Shortest value of a variable in capitals.
const MIN_VARIABLE: usize = 6;
/// Shortest quoted value of any other name.
const MIN_QUOTED: usize = 8;

/// Shortest name that announces a secret.
const SHORTEST: usize = 4;

/// Reports assigned secrets.
pub(super) fn find(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'=' | b':') {
            at += 1;
            continue;
        }
        let sign = at;
        at += 1;
        let Some(name) = name_before(text, sign) else { continue };
        let (value, secret) = value_after(text, sign, &name);
        // The value has been read either way: nothing is read twice.
        at = value.end.max(at);
        if secret {
            spans.push(value);
        }
    }
}

/// A telling name in front of an assignment.
struct Name {
    /// Written in capitals as a variable of the environment.
    variable: bool,
    /// Stands in quotes, or first on its line: JSON and YAML.
    member: bool,
    /// White space separates it from the sign.
    spaced: bool,
}

fn name_before(text: &str, sign: usize) -> Option<Name> {
    let bytes = text.as_bytes();
    let back = |from: usize, most: usize, keep: &dyn Fn(u8) -> bool| {
        let few = bytes[..from].iter().rev().take(most).take_while(|b| keep(**b)).count();
        from - few
    };
    let mut end = back(sign, 1, &|b| bytes[sign] == b'=' && matches!(b, b':' | b'?' | b'+'));
    let unspaced = end;
    end = back(end, 8, &|b| matches!(b, b' ' | b'\t'));
    let spaced = end < unspaced;
    let unquoted = back(end, 2, &|b| matches!(b, b'"' | b'\'' | b'\\' | b']'));
    let start =
        back(unquoted, MAX_KEY, &|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    let name = text[start..unquoted].trim_start_matches('-');
    if name.len() < SHORTEST {
        return None;
    }
    let quoted = unquoted < end;
    let indent = back(start, MAX_KEY, &|b| matches!(b, b' ' | b'\t' | b'-'));
    let first = indent == 0 || bytes[indent - 1] == b'\n';
    // An escape glued to the name, as in `\nAPI_KEY=`.
    let name = match (start.checked_sub(1).map(|i| bytes[i]), name.as_bytes().first()) {
        (Some(b'\\'), Some(b'n' | b't' | b'r')) => &name[1..],
        _ => name,
    };
    let variable = variable_names_secret(name);
    (variable || names_secret(name)).then_some(Name { variable, member: quoted || first, spaced })
}

/// The value behind the sign, and whether it is a secret.
fn value_after(text: &str, sign: usize, name: &Name) -> (Range<usize>, bool) {
    let bytes = text.as_bytes();
    let mut at = sign + 1;
    // `==` compares and `::` is a path; `=>` assigns.
    match (bytes[sign], bytes.get(at)) {
        (b'=', Some(b'>')) => at += 1,
        (b'=', Some(b'=')) | (b':', Some(b':' | b'=')) => return (at..at, false),
        _ => {}
    }
    let blank = bytes[at..].iter().take(8).take_while(|b| matches!(b, b' ' | b'\t')).count();
    let spaced = name.spaced || blank > 0;
    at += blank;
    let escape = usize::from(bytes.get(at) == Some(&b'\\'));
    if let Some(quote @ (b'"' | b'\'')) = bytes.get(at + escape).copied() {
        return quoted(text, at + escape + 1, quote, escape == 1, name);
    }
    let colon = bytes[sign] == b':';
    let end = run(bytes, at, is_bare);
    let value = text[at..end].trim_end_matches(['.', '!', ':']);
    let range = at..at + value.len();
    let call = matches!(bytes.get(end), Some(b'(' | b'[' | b'{' | b'<'));
    let path = value.starts_with(['/', '~', '.', '-', '*', '?', '%']) && value.len() != 40;
    let text_of_code = call || path || is_placeholder(value) || is_dotted_name(value);
    let believed = match name.variable {
        true if !spaced => value.len() >= MIN_VARIABLE && !(value.len() < 10 && all_digits(value)),
        _ if colon => name.member && looks_random(value),
        _ => looks_random(value),
    };
    (range, believed && !text_of_code)
}

/// A value in quotes, from behind the opening one. Within a string of JSON both carry a backslash.
fn quoted(text: &str, at: usize, quote: u8, escaped: bool, name: &Name) -> (Range<usize>, bool) {
    let bytes = text.as_bytes();
    let mut end = at;
    while end < bytes.len() && bytes[end] != quote && bytes[end] != b'\n' {
        if bytes[end] == b'\\' {
            if escaped {
                break;
            }
            end += 1;
        }
        if !name.variable && matches!(bytes.get(end), Some(b' ' | b'\t' | b'(' | b')')) {
            return (at..at, false);
        }
        end += 1;
    }
    let mut end = end.min(bytes.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let value = &text[at..end];
    let least = if name.variable { MIN_VARIABLE } else { MIN_QUOTED };
    (at..end, value.len() >= least && !is_placeholder(value))
}

fn all_digits(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_digit())
}

fn is_bare(b: u8) -> bool {
    !b.is_ascii_whitespace()
        && !b.is_ascii_control()
        && !matches!(
            b,
            b'"' | b'\''
                | b'`'
                | b','
                | b';'
                | b'&'
                | b'|'
                | b'\\'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'<'
                | b'>'
        )
}
