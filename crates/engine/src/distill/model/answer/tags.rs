//! Marks in text that resembles XML: any case, attributes, entities, none of it well formed.

use std::borrow::Cow;

/// Bytes that a mark may have between its name and its end.
const MOST_ATTRIBUTES: usize = 300;

/// Thoughts that are cut out of one answer; an answer with more of them is not read on.
const MOST_THOUGHTS: usize = 40;

/// Marks around what a model thinks before it answers.
const THINKING: [&str; 4] = ["think", "thinking", "reasoning", "analysis"];

/// An opening mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: &'static str,
    /// Where it begins.
    pub(super) start: usize,
    /// Behind it.
    pub(super) end: usize,
    /// It closes itself.
    pub(super) closed: bool,
}

/// The next opening mark of one of these names.
pub(super) fn open(text: &str, from: usize, names: &[&'static str]) -> Option<Tag> {
    let mut at = from;
    while let Some(step) = text.get(at..)?.find('<') {
        let start = at + step;
        if let Some((name, end, closed)) = mark(text, start + 1, names) {
            return Some(Tag { name, start, end, closed });
        }
        at = start + 1;
    }
    None
}

/// The next closing mark of a name: where it begins, and behind it.
pub(super) fn close(text: &str, from: usize, name: &'static str) -> Option<(usize, usize)> {
    let mut at = from;
    while let Some(step) = text.get(at..)?.find("</") {
        let start = at + step;
        if let Some((_, end, _)) = mark(text, start + 2, &[name]) {
            return Some((start, end));
        }
        at = start + 2;
    }
    None
}

/// Behind the last opening mark of a name: its closing mark, if there is one.
pub(super) fn close_after_last(text: &str, name: &'static str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(tag) = open(text, from, &[name]) {
        from = tag.end;
    }
    close(text, from, name)
}

/// A mark whose name begins at `at`: the name, where the mark ends, whether it closes itself.
fn mark(text: &str, at: usize, names: &[&'static str]) -> Option<(&'static str, usize, bool)> {
    let rest = text.as_bytes().get(at..)?;
    let letters = rest.iter().take(40).take_while(|b| is_name(**b)).count();
    let name = names.iter().find(|name| same(&rest[..letters], name.as_bytes()))?;
    let tail = &rest[letters..rest.len().min(letters + MOST_ATTRIBUTES)];
    let length = tail.iter().position(|b| *b == b'>')?;
    let inside = &tail[..length];
    let apart = inside.first().is_none_or(|b| b.is_ascii_whitespace() || *b == b'/');
    if !apart || inside.contains(&b'<') {
        return None;
    }
    Some((name, at + letters + length + 1, inside.last() == Some(&b'/')))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn same(found: &[u8], name: &[u8]) -> bool {
    found.len() == name.len()
        && found.iter().zip(name).all(|(a, b)| match a {
            b'-' => *b == b'_',
            a => a.to_ascii_lowercase() == *b,
        })
}

/// The text without what the model thought first.
pub(super) fn without_thinking(text: &str) -> Cow<'_, str> {
    let Some(first) = open(text, 0, &THINKING) else { return Cow::Borrowed(text) };
    let mut out = text[..first.start].to_owned();
    let mut tag = first;
    for _ in 0..MOST_THOUGHTS {
        // What is never closed may hold the answer.
        let after = close(text, tag.end, tag.name).map_or(tag.end, |(_, after)| after);
        let Some(next) = open(text, after, &THINKING) else {
            out.push_str(&text[after..]);
            break;
        };
        out.push_str(&text[after..next.start]);
        tag = next;
    }
    Cow::Owned(out)
}

/// The text with entities as the characters they stand for, once, and without marks of raw text.
pub(super) fn decoded(text: &str) -> String {
    let text = text.replace("<![CDATA[", "").replace("]]>", "");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = entity(rest).unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The character of an entity at the beginning, and how long the entity is.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|b| b == b';')?;
    let name = &text[1..end];
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((c, end + 1))
}
