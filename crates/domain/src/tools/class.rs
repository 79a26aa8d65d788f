//! What a tool does, told by its name.

use serde_json::Value;

use crate::event::ToolClass;

/// Names without separators, in small letters, that say all by themselves.
const NAMES: [(ToolClass, &[&str]); 7] = [
    (ToolClass::Read, &["read", "view", "notebookread", "readmanyfiles"]),
    (ToolClass::Write, &["write", "create"]),
    (
        ToolClass::Edit,
        &[
            "edit",
            "multiedit",
            "replace",
            "searchreplace",
            "strreplace",
            "strreplaceeditor",
            "strreplacebasededittool",
            "patch",
            "applypatch",
            "applydiff",
            "save",
        ],
    ),
    (
        ToolClass::Shell,
        &[
            "bash",
            "powershell",
            "pwsh",
            "shell",
            "localshell",
            "terminal",
            "exec",
            "execcommand",
            "executecommand",
            "runcommand",
            "runshellcommand",
            "runterminalcmd",
            "runterminalcommand",
            "runinterminal",
        ],
    ),
    (
        ToolClass::Search,
        &[
            "grep",
            "glob",
            "ls",
            "list",
            "listdir",
            "listdirectory",
            "listfiles",
            "findfiles",
            "filesearch",
            "grepsearch",
            "searchfiles",
            "searchfilecontent",
            "codebasesearch",
            "semanticsearch",
        ],
    ),
    (ToolClass::Web, &["webfetch", "websearch", "googlewebsearch", "fetchwebpage"]),
    (ToolClass::Agent, &["agent", "task", "spawnagent"]),
];

/// What a file tool works on.
const FILES: [&str; 7] = ["file", "files", "document", "documents", "notebook", "buffer", "editor"];

/// Verbs of tools that work on files, by what they do. Saving, renaming and deleting change a file
/// that is there.
const VERBS: [(ToolClass, &[&str]); 3] = [
    (
        ToolClass::Edit,
        &[
            "edit", "edits", "edited", "save", "saved", "change", "changed", "update", "replace",
            "patch", "insert", "append", "modify", "delete", "remove", "rename", "move",
        ],
    ),
    (ToolClass::Write, &["write", "written", "create", "created", "new", "add"]),
    (ToolClass::Read, &["read", "view", "open", "opened", "get", "cat"]),
];

/// What kind of thing a tool does, by its name: `Write`, `write_file`, `fileWrite` and
/// `WriteToFile` are one. Unknown names are [`ToolClass::Other`].
pub fn class_of(name: &str) -> ToolClass {
    if name.starts_with("mcp__") {
        return ToolClass::Mcp;
    }
    let words = words(name);
    let letters = words.concat();
    let whole = NAMES.iter().find(|(_, names)| names.contains(&letters.as_str()));
    if let Some((class, _)) = whole {
        return *class;
    }
    let says = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if !says(&FILES) {
        return ToolClass::Other;
    }
    VERBS.iter().find(|(_, verbs)| says(verbs)).map_or(ToolClass::Other, |(class, _)| *class)
}

/// As [`class_of`], for tools that are told what to do by their input.
pub(super) fn class_of_call(name: &str, input: &Value) -> ToolClass {
    match (class_of(name), input.get("command").and_then(Value::as_str)) {
        (ToolClass::Edit, Some("view")) => ToolClass::Read,
        (ToolClass::Edit, Some("create")) => ToolClass::Write,
        (class, _) => class,
    }
}

/// The words of a name in small letters; `writeFile`, `write_file` and `write-file` have two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        small = c.is_lowercase() || c.is_ascii_digit();
        if c.is_alphanumeric() {
            words.last_mut().expect("there is a first word").extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
