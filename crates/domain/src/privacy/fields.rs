//! Cleaning JSON: every string, every key, and members whose name alone gives a secret away.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{REDACTED, keys, scrub, secrets};

/// Names of members whose own members are request headers.
const HEADERS: [&str; 5] = ["headers", "header", "http_headers", "httpheaders", "request_headers"];

/// Shortest value of a pair such as `{"name": "DB_PASSWORD", "value": "…"}`.
const MIN_PAIR: usize = 4;

/// Cleans every string and every key of a JSON value in place.
///
/// Each string is a field of its own: a mark left open in one hides nothing in the next. A member
/// whose key names a secret (`password`, `api_key`, `authorization`, …) loses its string value when
/// that is long enough to be one; so do headers that carry credentials, and the `value` beside a
/// `name` that names a secret. Keys that become equal are told apart by a number.
pub fn clean_value(value: &mut Value) {
    match value {
        Value::String(text) => clean_string(text),
        Value::Array(items) => clean_array(items),
        Value::Object(members) => clean_object(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Arguments of a command come as one string each: the one behind `--password` is a secret, the one
/// behind `-H` a header.
fn clean_array(items: &mut [Value]) {
    let mut secret_follows = false;
    let mut header_follows = false;
    for item in items {
        let option = item.as_str().unwrap_or_default();
        let follows = secrets::is_secret_option(option);
        let header = matches!(option, "-H" | "--header" | "--proxy-header");
        match item {
            Value::String(text)
                if secret_follows && !text.starts_with('-') && !keys::is_placeholder(text) =>
            {
                REDACTED.clone_into(text);
            }
            Value::String(text) => {
                if header_follows {
                    clean_header(text);
                }
                clean_string(text);
            }
            other => clean_value(other),
        }
        (secret_follows, header_follows) = (follows, header);
    }
}

fn clean_header(line: &mut String) {
    if let Some(value) = secrets::secret_value(line) {
        line.replace_range(value, REDACTED);
    }
}

fn clean_string(text: &mut String) {
    if let Cow::Owned(clean) = scrub(text).0 {
        *text = clean;
    }
}

fn clean_object(members: &mut Map<String, Value>) {
    clean_pair(members);
    for (key, value) in members.iter_mut() {
        if HEADERS.iter().any(|name| key.eq_ignore_ascii_case(name)) {
            clean_headers(value);
        }
        let least = keys::shortest_secret(key);
        match value {
            Value::String(text) if is_secret(text, least) => REDACTED.clone_into(text),
            // A password of digits may come as a number.
            Value::Number(number) if is_secret(&number.to_string(), least) => {
                *value = REDACTED.into();
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

fn is_secret(text: &str, least: Option<usize>) -> bool {
    least.is_some_and(|n| text.chars().nth(n - 1).is_some()) && !keys::is_placeholder(text)
}

/// Headers as members, or as a list of lines.
fn clean_headers(headers: &mut Value) {
    match headers {
        Value::Object(members) => {
            for (name, value) in members {
                if let Value::String(text) = value
                    && secrets::is_secret_header(name)
                    && !keys::is_placeholder(text)
                {
                    REDACTED.clone_into(text);
                }
            }
        }
        Value::Array(lines) => {
            for line in lines {
                match line {
                    Value::String(line) => clean_header(line),
                    Value::Object(pair) => mask_pair(pair, secrets::is_secret_header),
                    _ => {}
                }
            }
        }
        Value::String(lines) => {
            let mut cleaned: Vec<String> = lines.split('\n').map(str::to_owned).collect();
            cleaned.iter_mut().for_each(clean_header);
            *lines = cleaned.join("\n");
        }
        _ => {}
    }
}

/// A name and its value as two members, as environments and forms are often written.
fn clean_pair(members: &mut Map<String, Value>) {
    mask_pair(members, |name| keys::shortest_secret(name).is_some());
}

fn mask_pair(members: &mut Map<String, Value>, is_secret: impl Fn(&str) -> bool) {
    let name = ["name", "key", "header", "Name", "Key"]
        .iter()
        .find_map(|member| members.get(*member)?.as_str());
    if !name.is_some_and(is_secret) {
        return;
    }
    for member in ["value", "Value"] {
        if let Some(Value::String(text)) = members.get_mut(member)
            && text.chars().nth(MIN_PAIR - 1).is_some()
            && !keys::is_placeholder(text)
        {
            REDACTED.clone_into(text);
        }
    }
}
