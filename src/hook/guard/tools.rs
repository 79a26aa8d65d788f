//! Which paths a tool call writes to.
//!
//! Tools are known by what they do, not by one agent's names for them.

use std::rc::Rc;

use afterword_domain::event::ToolClass;
use afterword_domain::tools::class_of;
use serde_json::{Map, Value};

use super::{GuardSetup, Target, paths, shell};

/// Words in the name of a tool from outside that announce a write.
const WRITING_WORDS: [&str; 16] = [
    "write",
    "edit",
    "create",
    "move",
    "append",
    "update",
    "delete",
    "remove",
    "rename",
    "insert",
    "replace",
    "save",
    "copy",
    "put",
    "patch",
    "overwrite",
];
/// Members that hold the path of a file.
const PATH_KEYS: [&str; 17] = [
    "file_path",
    "filePath",
    "filepath",
    "notebook_path",
    "notebookPath",
    "path",
    "paths",
    "absolute_path",
    "absolutePath",
    "target_file",
    "targetFile",
    "filename",
    "fileName",
    "file",
    "uri",
    "destination",
    "new_path",
];
/// Members that hold several edits with a path each.
const LIST_KEYS: [&str; 4] = ["edits", "files", "changes", "operations"];
/// Lines of a patch that name the file below them.
const PATCH_LINES: [&str; 5] =
    ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:", "+++ "];

/// Everything the call would write to.
pub(super) fn targets(setup: &GuardSetup, tool_name: &str, tool_input: &Value) -> Vec<Target> {
    let Some(input) = tool_input.as_object() else { return Vec::new() };
    let folder = setup.cwd.as_ref().or(setup.project_root.as_ref());
    let folder: Rc<str> = folder.map(|folder| paths::text(folder)).unwrap_or_default().into();
    let name: String = tool_name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    if tool_name.starts_with("mcp__") {
        return outside_targets(setup, tool_name, input, &folder);
    }
    let class = class_of(tool_name);
    if class == ToolClass::Shell || name == "monitor" {
        return shell_targets(setup, &name, input, &folder);
    }
    let writes = matches!(class, ToolClass::Write | ToolClass::Edit);
    if writes && input.get("command") != Some(&Value::from("view")) {
        let mut found = Vec::new();
        collect_paths(input, &PATH_KEYS, &mut found);
        if name.ends_with("patch") {
            input.values().filter_map(Value::as_str).for_each(|text| patched(text, &mut found));
        }
        return found.into_iter().map(|path| Target::new(path, &folder)).collect();
    }
    Vec::new()
}

/// Tools of other servers: judged by the words of their name.
fn outside_targets(
    setup: &GuardSetup,
    tool_name: &str,
    input: &Map<String, Value>,
    folder: &Rc<str>,
) -> Vec<Target> {
    let tool = tool_name.rsplit("__").next().unwrap_or(tool_name);
    let words = words_of(tool);
    let says = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if says(&["shell", "bash", "terminal", "exec", "execute", "run", "command"]) {
        return shell_targets(setup, "bash", input, folder);
    }
    if !says(&WRITING_WORDS) {
        return Vec::new();
    }
    let mut found = Vec::new();
    collect_paths(input, &PATH_KEYS, &mut found);
    // Copying reads its source, moving takes it away.
    if !says(&["copy"]) {
        collect_paths(input, &["source", "src", "old_path", "from"], &mut found);
    }
    collect_paths(input, &["dest", "target", "to"], &mut found);
    found.into_iter().map(|path| Target::new(path, folder)).collect()
}

/// The words of a name such as `write_file` or `createOrUpdateFile`, in small letters.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
    }
    words
}

fn shell_targets(
    setup: &GuardSetup,
    name: &str,
    input: &Map<String, Value>,
    folder: &Rc<str>,
) -> Vec<Target> {
    let dialect = match name {
        "powershell" | "pwsh" => shell::Dialect::PowerShell,
        _ => shell::Dialect::Posix,
    };
    let folder = ["workdir", "cwd", "directory"]
        .iter()
        .find_map(|key| input.get(*key)?.as_str())
        .map_or_else(
            || Rc::clone(folder),
            |moved| paths::absolute(moved, folder, &paths::text(&setup.user_home)).into(),
        );
    let mut walk = shell::Walk::new(setup, dialect, folder);
    for key in ["command", "cmd", "script", "commands"] {
        match input.get(key) {
            Some(Value::String(script)) => walk.script(script),
            Some(Value::Array(words)) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                walk.words(&words);
            }
            _ => {}
        }
    }
    walk.into_targets()
}

/// The strings under the named keys, also one level down in lists of edits.
fn collect_paths(input: &Map<String, Value>, keys: &[&str], found: &mut Vec<String>) {
    for key in keys {
        match input.get(*key) {
            Some(Value::String(path)) => found.push(path.clone()),
            Some(Value::Array(paths)) => {
                found.extend(paths.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    let lists = LIST_KEYS.iter().filter_map(|key| input.get(*key)?.as_array());
    for edit in lists.flatten().filter_map(Value::as_object) {
        for key in keys {
            found.extend(edit.get(*key).and_then(Value::as_str).map(str::to_owned));
        }
    }
}

/// The files that a patch names.
pub(super) fn patched(patch: &str, found: &mut Vec<String>) {
    for line in patch.lines() {
        if let Some(named) = PATCH_LINES.iter().find_map(|start| line.strip_prefix(start)) {
            let file = named.split('\t').next().unwrap_or(named).trim();
            found.push(file.strip_prefix("b/").unwrap_or(file).to_owned());
        }
    }
}
