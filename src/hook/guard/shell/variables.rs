//! Variables that a script uses in paths: the well-known ones and its own.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::super::{GuardSetup, paths};

/// Longest value that is remembered, in bytes.
const MAX_VALUE: usize = 1024;
/// Longest default of a variable that is passed over, in bytes.
const MAX_DEFAULT: usize = 256;
/// Variables remembered.
const MAX_VARIABLES: usize = 256;

/// Bytes that values may add to all words of one call together.
const MAX_GROWTH: usize = 1 << 18;

/// Known values by name.
pub(super) struct Variables {
    known: BTreeMap<String, String>,
    growth: Cell<usize>,
}

impl Variables {
    pub(super) fn new(setup: &GuardSetup, home: &str) -> Self {
        let mut known = BTreeMap::new();
        for name in ["HOME", "USERPROFILE"] {
            known.insert(name.to_owned(), home.to_owned());
        }
        known.insert("CLAUDE_CONFIG_DIR".to_owned(), paths::text(&setup.claude_folder));
        if let Some(root) = &setup.project_root {
            known.insert("CLAUDE_PROJECT_DIR".to_owned(), paths::text(root));
        }
        Self { known, growth: Cell::new(0) }
    }

    pub(super) fn set(&mut self, name: &str, value: String) {
        let known = self.known.len() < MAX_VARIABLES || self.known.contains_key(name);
        if known && value.len() <= MAX_VALUE {
            self.known.insert(name.to_owned(), value);
        }
    }

    /// The text with its known variables replaced; unknown ones stay as they are written.
    pub(super) fn expand(&self, text: &str, folder: &str) -> String {
        if !text.contains(['$', '%']) {
            return text.to_owned();
        }
        let mut expanded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(sign) = rest.find(['$', '%']) {
            expanded.push_str(&rest[..sign]);
            rest = &rest[sign..];
            let (name, length) = reference(rest);
            let value =
                if name == "PWD" { Some(folder) } else { self.known.get(name).map(String::as_str) };
            match value {
                Some(value) if self.growth.get() + value.len() <= MAX_GROWTH => {
                    self.growth.set(self.growth.get() + value.len());
                    expanded.push_str(value);
                }
                _ => expanded.push_str(&rest[..length]),
            }
            rest = &rest[length..];
        }
        expanded.push_str(rest);
        expanded
    }
}

/// The name that a text beginning with `$` or `%` refers to, and how long the reference is.
fn reference(text: &str) -> (&str, usize) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name_of = |text: &'_ str| text.find(|c| !is_name(c)).unwrap_or(text.len());
    if let Some(rest) = text.strip_prefix('%') {
        let length = name_of(rest);
        let closed = length > 0 && rest[length..].starts_with('%');
        return if closed { (&rest[..length], length + 2) } else { ("", 1) };
    }
    let braced = text.starts_with("${");
    let mut start = if braced { 2 } else { 1 };
    // PowerShell names the environment in front.
    if text.get(start..start + 4).is_some_and(|scope| scope.eq_ignore_ascii_case("env:")) {
        start += 4;
    }
    let end = start + name_of(&text[start..]);
    let name = &text[start..end];
    if !braced {
        return (name, end);
    }
    // `${NAME:-default}`: the name decides, a short default is passed over.
    match text.bytes().skip(end).take(MAX_DEFAULT).position(|b| b == b'}') {
        Some(close) => (name, end + close + 1),
        None => ("", start),
    }
}

/// The name and value of a word that assigns: `NAME=value`, `$name=value`.
pub(super) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_prefix('$').unwrap_or(name);
    let mut bytes = name.bytes();
    let plain = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain.then_some((name, value))
}
