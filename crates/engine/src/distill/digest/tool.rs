//! A tool use into its digest, by the class of the tool.

use afterword_domain::event::{Event, ToolClass, ToolUse};
use afterword_domain::text::{cut_chars, one_line, prefix};
use afterword_store::contract::Digest;
use serde_json::Value;

use super::diff::{changed_lines, first_lines};
use super::output::{gist, tells_failure};
use super::path::{relative, relative_all};
use super::written::written_files;
use crate::distill::command::Command;
use crate::distill::prose::without_injected;

/// Bytes of text that are taken out of a tool's answer.
const MAX_TEXT: usize = 64_000;

pub(super) fn digest(tool: &ToolUse, event: &Event) -> Digest {
    let mut digest = Digest {
        tool: cut_chars(&tool.name, 100),
        class: Some(tool.class),
        paths: relative_all(&tool.paths, event),
        failed: tool.failed() || told_exit_code(&tool.output).is_some_and(|code| code != 0),
        ..Digest::default()
    };
    match tool.class {
        ToolClass::Edit => digest.detail = changed_lines(&tool.input, &tool.output),
        ToolClass::Write => write(tool, &mut digest),
        ToolClass::Read => {}
        ToolClass::Search => search(tool, event, &mut digest),
        ToolClass::Shell => shell(tool, event, &mut digest),
        ToolClass::Web => {
            digest.detail = first_text(&tool.input, &["query", "url", "q"], 300);
            digest.outcome = gist(&text_of(&tool.output), 300);
        }
        ToolClass::Agent => {
            digest.detail = first_text(&tool.input, &["description", "prompt", "task"], 300);
            let launched = tool.output["isAsync"].as_bool() == Some(true);
            digest.outcome = if launched {
                "started in the background".to_owned()
            } else {
                cut_chars(without_injected(&text_of(&tool.output)).trim(), 800)
            };
        }
        ToolClass::Mcp | ToolClass::Other => {
            digest.detail = asked(tool);
            digest.outcome = gist(&text_of(&tool.output), 400);
        }
    }
    if let Some(error) = &tool.error {
        digest.outcome = gist(error, 900);
    }
    digest
}

fn write(tool: &ToolUse, digest: &mut Digest) {
    let change = changed_lines(&Value::Null, &tool.output);
    let content = ["content", "file_text", "text"].iter().find_map(|k| tool.input[*k].as_str());
    let content = content.or_else(|| tool.output["content"].as_str()).unwrap_or_default();
    let updated = tool.output["type"].as_str() == Some("update") || !change.is_empty();
    digest.detail = if change.is_empty() { first_lines(content) } else { change };
    let verb = if updated { "updated" } else { "created" };
    digest.outcome = match content.lines().count() {
        0 => verb.to_owned(),
        lines => format!("{verb}, {lines} lines"),
    };
}

fn search(tool: &ToolUse, event: &Event, digest: &mut Digest) {
    digest.detail = first_text(&tool.input, &["pattern", "query", "regex", "glob"], 200);
    if let Some(place) = tool.input["path"].as_str() {
        let place = relative(place, event);
        if !place.is_empty() && place != "." {
            digest.detail.push_str(" in ");
            digest.detail.push_str(&cut_chars(&place, 200));
        }
    }
    let files = tool.output["numFiles"].as_u64();
    let hits = files
        .or_else(|| tool.output["numLines"].as_u64())
        .or_else(|| tool.output["filenames"].as_array().map(|list| list.len() as u64));
    digest.outcome = match hits {
        Some(1) => "1 hit".to_owned(),
        Some(n) => format!("{n} hits"),
        None => String::new(),
    };
    // What was searched is no evidence that a file was read.
    digest.paths.clear();
}

fn shell(tool: &ToolUse, event: &Event, digest: &mut Digest) {
    let line = tool.command.as_deref().or_else(|| tool.input["command"].as_str());
    let line = line.map_or_else(|| text_of(&tool.input["command"]), str::to_owned);
    digest.command = cut_chars(line.trim(), 500);
    digest.paths = relative_all(&written_files(&line), event);
    digest.detail = first_text(&tool.input, &["description"], 200);
    digest.outcome = gist(&text_of(&tool.output), 900);
    let command = Command::parse(&digest.command);
    if command.is_check() && tells_failure(&digest.outcome) {
        digest.failed = true;
    }
}

/// The gist of what a tool was asked; a list of to-dos and a question put to the person in full.
fn asked(tool: &ToolUse) -> String {
    let input = &tool.input;
    if let Some(answers) = tool.output["answers"].as_object() {
        let lines = answers.iter().map(|(question, answer)| {
            format!("{} → {}", one_line(question), one_line(&text_of(answer)))
        });
        return cut_chars(&lines.collect::<Vec<_>>().join("\n"), 1_000);
    }
    if let Some(todos) = input["todos"].as_array() {
        let lines = todos.iter().map(|todo| {
            let mark = if todo["status"].as_str() == Some("completed") { "[x]" } else { "[ ]" };
            format!("- {mark} {}", one_line(todo["content"].as_str().unwrap_or_default()))
        });
        return cut_chars(&lines.take(30).collect::<Vec<_>>().join("\n"), 1_500);
    }
    let mut out = String::new();
    if let Some(fields) = input.as_object() {
        for (name, value) in fields {
            let value = match value {
                Value::String(text) => one_line(prefix(text, 400)),
                Value::Null => continue,
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                _ => text_of(value),
            };
            if !value.is_empty() && out.len() < 500 {
                let gap = if out.is_empty() { "" } else { ", " };
                out.extend([gap, name, ": ", &cut_chars(&value, 120)]);
            }
        }
    } else {
        out = one_line(&text_of(input));
    }
    cut_chars(&out, 600)
}

fn first_text(input: &Value, names: &[&str], max_chars: usize) -> String {
    let found = names.iter().find_map(|name| input[*name].as_str());
    let text = found.or_else(|| input.as_str()).unwrap_or_default();
    cut_chars(&one_line(prefix(text, max_chars * 8)), max_chars)
}

fn told_exit_code(output: &Value) -> Option<i64> {
    let names = ["exit_code", "exitCode", "returncode", "exit_status"];
    [output, &output["metadata"]]
        .into_iter()
        .find_map(|place| names.iter().find_map(|name| place[*name].as_i64()))
}

/// The words in any JSON: strings, the text of content blocks, the usual fields of an answer.
fn text_of(value: &Value) -> String {
    let mut out = String::new();
    collect(value, 0, &mut out);
    out
}

fn collect(value: &Value, depth: usize, out: &mut String) {
    if depth > 6 || out.len() >= MAX_TEXT {
        return;
    }
    match value {
        Value::String(text) => {
            if !out.is_empty() && !text.is_empty() {
                out.push('\n');
            }
            // Both ends of a long text count: errors stand at its end.
            if text.len() > MAX_TEXT {
                out.push_str(prefix(text, MAX_TEXT / 2));
                out.push('\n');
                out.push_str(afterword_domain::text::suffix(text, MAX_TEXT / 2));
            } else {
                out.push_str(text);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth + 1, out)),
        Value::Object(fields) => {
            let known =
                ["stdout", "stderr", "output", "text", "content", "result", "message", "error"];
            let before = out.len();
            for name in known {
                if let Some(value) = fields.get(name) {
                    collect(value, depth + 1, out);
                }
            }
            if out.len() == before && depth < 2 {
                fields.values().for_each(|value| collect(value, depth + 1, out));
            }
        }
        _ => {}
    }
}
