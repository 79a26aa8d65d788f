//! Key files: that they were used is kept, what was in them is not.

use serde_json::Value;

use super::{lines, written};
use crate::event::{ToolClass, ToolUse};
use crate::privacy::{is_secret_path, matches_secret_path, names_secret_path};

/// Stands where the content of a key file was.
pub const KEY_FILE: &str = "[content of a key file left out]";

/// Members of an input that say where, and not what.
const PLACES: [&str; 6] = ["file_path", "notebook_path", "path", "paths", "pattern", "glob"];

/// Keeps that a key file was used, and drops what was in it.
pub(super) fn hide_key_files(tool: &mut ToolUse) {
    if tool.paths.iter().any(|p| is_secret_path(p)) {
        hide_input(&mut tool.input);
        hide_result(tool);
    } else if searches_key_files(tool) {
        hide_result(tool);
    } else if let Some(command) = tool.command.as_ref().filter(|c| names_secret_path(c)) {
        if let Some(shown) = written::without_values(command) {
            show_command(tool, shown);
        }
        hide_result(tool);
    }
    // A page or a file may speak of key files; only what runs or searches prints lines of them.
    let found = matches!(
        tool.class,
        ToolClass::Shell | ToolClass::Search | ToolClass::Mcp | ToolClass::Other
    );
    lines::hide_in(&mut tool.output, found);
    if let Some(error) = &mut tool.error {
        lines::hide(error, found);
    }
}

/// A search in a single file prints lines without its path.
fn searches_key_files(tool: &ToolUse) -> bool {
    tool.class == ToolClass::Search
        && ["path", "file_path", "glob"]
            .iter()
            .filter_map(|key| tool.input.get(key)?.as_str())
            .any(matches_secret_path)
}

fn hide_input(input: &mut Value) {
    if let Value::Object(members) = input {
        for (key, value) in members {
            if !PLACES.contains(&key.as_str()) && !value.is_number() && !value.is_boolean() {
                *value = KEY_FILE.into();
            }
        }
    } else if !input.is_null() {
        *input = KEY_FILE.into();
    }
}

/// Puts what may be shown of a command in its place; a description may repeat what was written.
fn show_command(tool: &mut ToolUse, shown: String) {
    if let Value::Object(members) = &mut tool.input {
        for (key, value) in members {
            if key == "command" {
                *value = shown.clone().into();
            } else if value.is_string() || value.is_array() || value.is_object() {
                *value = KEY_FILE.into();
            }
        }
    } else {
        tool.input = shown.clone().into();
    }
    tool.command = Some(shown);
}

fn hide_result(tool: &mut ToolUse) {
    if !tool.output.is_null() {
        tool.output = KEY_FILE.into();
    }
    if let Some(error) = &mut tool.error {
        // The exit code of a shell is worth keeping; what follows it is output.
        let first = error.lines().next().filter(|l| l.starts_with("Exit code"));
        *error = first.map_or_else(|| KEY_FILE.to_owned(), |l| format!("{l}\n{KEY_FILE}"));
    }
}
