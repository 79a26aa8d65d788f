//! Key files: that they were used is kept, what was in them is not.

use serde_json::Value;

use crate::event::{ToolClass, ToolUse};
use crate::privacy::{is_secret_path, names_secret_path};

/// Stands where the content of a key file was.
pub const KEY_FILE: &str = "[content of a key file left out]";

/// Keeps that a key file was used, and drops what was in it.
pub(super) fn hide_key_files(tool: &mut ToolUse) {
    if tool.paths.iter().any(|p| is_secret_path(p)) {
        if let Value::Object(members) = &mut tool.input {
            for (key, value) in members {
                let names = ["file_path", "notebook_path", "path", "pattern", "glob"];
                if !names.contains(&key.as_str()) && !value.is_number() && !value.is_boolean() {
                    *value = KEY_FILE.into();
                }
            }
        } else if !tool.input.is_null() {
            tool.input = KEY_FILE.into();
        }
        hide_result(tool);
    } else if let Some(command) = tool.command.as_mut().filter(|c| names_secret_path(c)) {
        // The lines after the first may be what is written into the file.
        if let Some((first, _)) = command.trim_start().split_once('\n') {
            *command = format!("{first}\n{KEY_FILE}");
            let shown = command.clone();
            if let Value::Object(members) = &mut tool.input {
                members.insert("command".to_owned(), shown.into());
            }
        }
        hide_result(tool);
    }
    if tool.class == ToolClass::Search {
        hide_lines(&mut tool.output);
    }
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

/// Drops the lines that a search found in key files: `PATH:LINE:TEXT`.
fn hide_lines(output: &mut Value) {
    match output {
        Value::String(text) if text.contains(':') || text.contains('-') => {
            let shown = |line: &&str| {
                let path = line.split(':').next().unwrap_or_default();
                // Lines around a match have dashes: `PATH-LINE-TEXT`.
                let around =
                    line.char_indices().filter(|(_, c)| *c == '-').map(|(i, _)| &line[..i]);
                !is_secret_path(path) && !around.take(32).any(is_secret_path)
            };
            if !text.lines().all(|line| shown(&line)) {
                *text = text.lines().filter(shown).collect::<Vec<_>>().join("\n");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_lines),
        Value::Object(members) => {
            members.iter_mut().filter(|(k, _)| *k != "filenames").for_each(|(_, v)| hide_lines(v));
        }
        _ => {}
    }
}
