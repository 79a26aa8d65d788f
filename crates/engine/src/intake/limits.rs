//! The sizes that one event may have, whoever sends it.

use afterword_domain::text;
use serde_json::Value;

/// Most bytes of one string of an event.
const STRING_BYTES: usize = 64 * 1024;

/// Most elements of one array or object of an event; what is beyond says nothing more.
const ELEMENTS: usize = 2_000;

/// A text cut to size, with a mark where it was cut.
pub(super) fn text(value: &str) -> String {
    text::head_and_tail(&value.replace('\0', ""), STRING_BYTES)
}

/// Cuts every string and list of a JSON value to size.
pub(super) fn value(json: &mut Value) {
    match json {
        Value::String(s) if s.len() > STRING_BYTES || s.contains('\0') => *s = text(s),
        Value::Array(items) => {
            items.truncate(ELEMENTS);
            items.iter_mut().for_each(value);
        }
        Value::Object(members) => {
            while members.len() > ELEMENTS {
                let Some(key) = members.keys().next_back().cloned() else { break };
                members.remove(&key);
            }
            members.values_mut().for_each(value);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strings_are_cut_with_a_mark() {
        let mut json = serde_json::json!({"a": ["x".repeat(200_000)], "b": "y\u{0}z"});
        value(&mut json);
        let cut = json["a"][0].as_str().unwrap();
        assert!(cut.len() < STRING_BYTES + 64 && cut.contains("left out"));
        assert_eq!(json["b"], "yz");
    }
}
