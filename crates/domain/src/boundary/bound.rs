//! What is too large to be looked through is cut before it is, so that cleaning takes bounded time.
//!
//! Cutting in front of the scanner fails closed: the cut falls between words, so no secret is cut in
//! half, and a private mark that is left open by it hides the rest of what is kept.

use std::fmt::Write as _;

use serde_json::Value;

use crate::text::{prefix, suffix};

/// Most bytes of one text that are looked through.
pub(super) const FIELD: usize = 1 << 20;

/// Stands where a value was that is over its event's share.
pub(super) const TOO_LARGE: &str = "[left out: too large]";

/// How far a cut goes back to find the end of a word.
const EDGE: usize = 4 * 1024;

/// Longest key; a longer one is no name, and goes with its value.
const KEY: usize = 4 * 1024;

/// Cuts a text to at most `limit` bytes and says in it how many were left out.
pub(super) fn text(text: &mut String, limit: usize) {
    if text.len() <= limit {
        return;
    }
    let kept = prefix(text, limit);
    let edge = suffix(kept, EDGE.min(limit / 2));
    let end = kept.len() - edge.len() + edge.rfind(char::is_whitespace).unwrap_or(0);
    let left_out = text.len() - end;
    text.truncate(end);
    write!(text, "\n[… {left_out} bytes left out …]").expect("a string takes all");
}

/// What the values of one event may have together.
#[derive(Debug)]
pub(super) struct Share {
    bytes: usize,
    nodes: usize,
}

impl Share {
    /// The share of one event.
    pub(super) const fn new() -> Self {
        Self { bytes: 4 << 20, nodes: 50_000 }
    }

    /// Cuts every text, list and object of a value to what is left of the share.
    pub(super) fn cut(&mut self, value: &mut Value) {
        match value {
            Value::String(string) => {
                text(string, FIELD);
                if string.len() > self.bytes {
                    TOO_LARGE.clone_into(string);
                }
                self.bytes = self.bytes.saturating_sub(string.len());
            }
            Value::Array(items) => {
                let kept = items.len().min(self.nodes);
                self.nodes -= kept;
                if kept < items.len() {
                    let left_out = items.len() - kept;
                    items.truncate(kept);
                    items.push(format!("[… {left_out} items left out …]").into());
                }
                for item in items {
                    self.cut(item);
                }
            }
            Value::Object(members) => {
                let kept = members.len().min(self.nodes);
                self.nodes -= kept;
                if kept < members.len() || members.keys().any(|key| key.len() > KEY) {
                    let all = std::mem::take(members).into_iter().take(kept);
                    members.extend(all.filter(|(key, _)| key.len() <= KEY));
                }
                for (key, member) in members.iter_mut() {
                    self.bytes = self.bytes.saturating_sub(key.len());
                    self.cut(member);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cut_falls_between_words_and_says_so() {
        let mut value = format!("{} ghp_abcdefghijklmnopqrstuvwxyz", "x".repeat(90));
        text(&mut value, 100);
        assert!(!value.contains("ghp"), "{value}");
        assert!(value.starts_with("xxx") && value.ends_with("bytes left out …]"), "{value}");
        let mut value = "é".repeat(100);
        text(&mut value, 101);
        assert!(!value.contains('\u{fffd}') && value.len() < 100, "{value}");
    }

    #[test]
    fn all_values_of_an_event_have_one_share() {
        let mut share = Share::new();
        let mut value = json!({ "many": vec![1; 100_000], "more": vec!["x".repeat(1 << 20); 9] });
        share.cut(&mut value);
        assert!(value["many"].as_array().unwrap().len() <= 50_000);
        assert!(value.to_string().len() < 6 << 20);
        let mut value = json!({ "k".repeat(1 << 20): 1, "a": 1 });
        Share::new().cut(&mut value);
        assert_eq!(value, json!({ "a": 1 }));
    }
}
