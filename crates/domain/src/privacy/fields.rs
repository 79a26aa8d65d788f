//! Cleaning JSON: every string, every key, and members whose name alone gives a secret away.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{REDACTED, keys, scrub, secrets};

/// Shortest member value that is masked for the sake of its name.
const MIN_SECRET: usize = 8;

/// Cleans every string and every key of a JSON value in place.
///
/// Each string is a field of its own: a mark left open in one hides nothing in the next. A member
/// whose key names a secret (`password`, `api_key`, `authorization`, …) loses its string value when
/// that has eight characters or more. Keys that become equal are told apart by a number.
pub fn clean_value(value: &mut Value) {
    match value {
        Value::String(text) => clean_string(text),
        Value::Array(items) => clean_array(items),
        Value::Object(members) => clean_object(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Arguments of a command come as one string each: the one behind `--password` is a secret.
fn clean_array(items: &mut [Value]) {
    let mut secret_follows = false;
    for item in items {
        let follows = item.as_str().is_some_and(secrets::is_secret_option);
        match item {
            Value::String(text)
                if secret_follows && !text.starts_with('-') && !keys::is_placeholder(text) =>
            {
                REDACTED.clone_into(text);
            }
            other => clean_value(other),
        }
        secret_follows = follows;
    }
}

fn clean_string(text: &mut String) {
    if let Cow::Owned(clean) = scrub(text).0 {
        *text = clean;
    }
}

fn clean_object(members: &mut Map<String, Value>) {
    for (key, value) in members.iter_mut() {
        match value {
            Value::String(text)
                if text.chars().nth(MIN_SECRET - 1).is_some()
                    && keys::names_secret(key)
                    && !keys::is_placeholder(text) =>
            {
                REDACTED.clone_into(text);
            }
            other => clean_value(other),
        }
    }
    if members.keys().all(|key| matches!(scrub(key).0, Cow::Borrowed(_))) {
        return;
    }
    let mut number = 1;
    for (key, value) in std::mem::take(members) {
        let mut key = scrub(&key).0.into_owned();
        if members.contains_key(&key) {
            let base = key.clone();
            while members.contains_key(&key) {
                number += 1;
                key = format!("{base}_{number}");
            }
        }
        members.insert(key, value);
    }
}
