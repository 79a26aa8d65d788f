//! A tool use with what rules need of it, and without what weighs and says nothing.

use serde_json::{Map, Value};

use super::class::class_of_call;
use super::paths::paths_of;
use crate::event::{ToolClass, ToolUse};

/// Length from which a text without a blank is taken for encoded bytes.
const ENCODED: usize = 4 * 1024;

/// A tool use with its kind, files and command, and without the weight of its answer. The caller
/// adds ids, errors and times.
pub fn describe(name: &str, mut input: Value, mut output: Value) -> ToolUse {
    let class = class_of_call(name, &input);
    if class == ToolClass::Mcp {
        output = unwrap_blocks(output);
    }
    drop_weight(&mut input);
    drop_weight(&mut output);
    ToolUse {
        name: name.to_owned(),
        class,
        paths: paths_of(class, &input),
        command: command_of(class, &input),
        input,
        output,
        ..ToolUse::default()
    }
}

/// The files that a call of a tool which reads or changes files names; none for any other tool.
pub fn files_of(name: &str, input: &Value) -> Vec<String> {
    match class_of_call(name, input) {
        class @ (ToolClass::Read | ToolClass::Write | ToolClass::Edit) => paths_of(class, input),
        _ => Vec::new(),
    }
}

/// Whether a tool is one of our own MCP server: what it answers was remembered already.
pub fn is_our_own(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("mcp__") else { return false };
    rest.starts_with("afterword__")
        || (rest.starts_with("plugin_") && rest.contains("_afterword__"))
}

fn command_of(class: ToolClass, input: &Value) -> Option<String> {
    if class != ToolClass::Shell {
        return None;
    }
    // Some models send the whole input as the command.
    let command = input.get("command").unwrap_or(input);
    match command {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    }
    .filter(|line| !line.trim().is_empty())
}

/// The content of an MCP answer: the text of its blocks, or the JSON inside its string.
fn unwrap_blocks(output: Value) -> Value {
    match output {
        Value::Array(blocks) if !blocks.is_empty() && blocks.iter().all(is_block) => {
            let texts: Vec<String> = blocks.iter().map(block_text).collect();
            unwrap_blocks(Value::String(texts.join("\n")))
        }
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            // As JSON its keys are seen by the privacy scanner.
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
        other => other,
    }
}

fn is_block(block: &Value) -> bool {
    block.get("type").is_some_and(Value::is_string)
}

fn block_text(block: &Value) -> String {
    let text = |value: &Value| value.get("text").and_then(Value::as_str).map(str::to_owned);
    match block["type"].as_str().unwrap_or_default() {
        "text" => text(block).unwrap_or_default(),
        "resource" => text(&block["resource"]).unwrap_or_else(|| left_out("resource")),
        "resource_link" => block["uri"].as_str().unwrap_or_default().to_owned(),
        kind => left_out(kind),
    }
}

/// Takes out what is large and says nothing: whole files before an edit, images, encoded bytes.
fn drop_weight(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("originalFile");
            drop_media(members);
            members.iter_mut().for_each(|(_, member)| drop_weight(member));
        }
        Value::Array(items) => items.iter_mut().for_each(drop_weight),
        Value::String(text) if is_encoded(text) => *text = left_out("encoded data"),
        _ => {}
    }
}

fn drop_media(members: &mut Map<String, Value>) {
    let is_text = |v: Option<&Value>| v.is_some_and(Value::is_string);
    if is_text(members.get("base64")) {
        members.insert("base64".to_owned(), left_out("file").into());
    }
    if members.get("isImage").is_some_and(|v| v == true) && is_text(members.get("stdout")) {
        members.insert("stdout".to_owned(), left_out("image").into());
    }
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    if matches!(kind, "image" | "audio" | "base64") && is_text(members.get("data")) {
        let mark = left_out(kind);
        members.insert("data".to_owned(), mark.into());
    }
}

fn is_encoded(text: &str) -> bool {
    if text.starts_with("data:") && text.get(..200).unwrap_or(text).contains(";base64,") {
        return true;
    }
    text.len() >= ENCODED
        && text.bytes().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'\n' | b'\r')
        })
        // A column of numbers is no code.
        && text.bytes().any(|b| b.is_ascii_uppercase())
        && text.lines().take(2).all(|line| line.len() >= 60)
}

fn left_out(what: &str) -> String {
    format!("[{what} left out]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_tools_are_known_however_they_are_installed() {
        assert!(is_our_own("mcp__afterword__search"));
        assert!(is_our_own("mcp__plugin_afterword_afterword__search"));
        assert!(!is_our_own("mcp__afterwords__search") && !is_our_own("mcp__other__afterword__x"));
        assert!(!is_our_own("afterword__search"));
    }
}
