//! Texts and lists kept to their sizes, with a mark where something was cut.

use serde_json::Value;

use super::names::WORD;
use crate::text::{head_and_tail, prefix};

/// Room for the mark that a cut leaves: what was cut once is not cut again.
const MARK: usize = 64;

/// Cuts a text to about `limit` bytes, keeping its head and its tail.
pub(super) fn cut_text(text: &mut String, limit: usize) {
    if text.len() > limit + MARK {
        *text = head_and_tail(text, limit);
    }
}

/// Cuts every text and every list of a value.
pub(super) fn cut(value: &mut Value, text: usize, items: usize) {
    match value {
        Value::String(s) => cut_text(s, text),
        Value::Array(list) => {
            if list.len() > items {
                let left_out = list.len() - items;
                list.truncate(items);
                list.push(format!("[… {left_out} items left out …]").into());
            }
            for item in list {
                cut(item, text, items);
            }
        }
        Value::Object(members) => {
            if members.len() > items || members.keys().any(|k| k.len() > WORD) {
                let kept = std::mem::take(members).into_iter().take(items);
                members.extend(kept.map(|(key, value)| (prefix(&key, WORD).to_owned(), value)));
            }
            members.iter_mut().for_each(|(_, member)| cut(member, text, items));
        }
        _ => {}
    }
}
