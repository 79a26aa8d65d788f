//! The files that a call names.

use serde_json::Value;

use crate::event::ToolClass;

/// Members that hold the path of a file a tool works on.
const FILE_KEYS: [&str; 15] = [
    "file_path",
    "filePath",
    "notebook_path",
    "notebookPath",
    "path",
    "paths",
    "absolute_path",
    "absolutePath",
    "target_file",
    "targetFile",
    "file_name",
    "fileName",
    "filename",
    "file",
    "uri",
];

/// The same for tools of MCP servers, whose other members may mean anything.
const MCP_KEYS: [&str; 3] = ["file_path", "path", "paths"];

/// Members that hold several edits with a path each.
const LISTS: [&str; 4] = ["edits", "files", "changes", "operations"];

/// Members that hold a patch.
const PATCHES: [&str; 4] = ["input", "patch", "diff", "patch_text"];

/// Lines of a patch that name a file.
const PATCH_LINES: [&str; 5] =
    ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:", "+++ "];

/// Files of one call that are listed.
const MOST: usize = 1_000;

/// The files that a call names, each once. A search names a folder to look in, which is no file it
/// used.
pub(super) fn paths_of(class: ToolClass, input: &Value) -> Vec<String> {
    let keys: &[&str] = match class {
        ToolClass::Read | ToolClass::Write | ToolClass::Edit => &FILE_KEYS,
        ToolClass::Mcp => &MCP_KEYS,
        _ => return Vec::new(),
    };
    let mut paths = Paths(Vec::new());
    paths.members(input, keys);
    for edit in LISTS.iter().filter_map(|key| input.get(*key)?.as_array()).flatten() {
        paths.members(edit, keys);
    }
    if class == ToolClass::Edit && paths.0.is_empty() {
        // Some models send the patch as the whole input.
        let members = PATCHES.iter().filter_map(|key| input.get(*key));
        for patch in std::iter::once(input).chain(members).filter_map(Value::as_str) {
            paths.patched(patch);
        }
    }
    paths.0
}

struct Paths(Vec<String>);

impl Paths {
    fn members(&mut self, object: &Value, keys: &[&str]) {
        for value in keys.iter().filter_map(|key| object.get(*key)) {
            let listed = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for path in listed.iter().filter_map(path_in) {
                self.add(plain(path));
            }
        }
    }

    fn patched(&mut self, patch: &str) {
        for line in patch.lines() {
            let Some(named) = PATCH_LINES.iter().find_map(|start| line.strip_prefix(start)) else {
                continue;
            };
            let file = named.split('\t').next().unwrap_or(named).trim();
            if file != "/dev/null" {
                self.add(file.strip_prefix("b/").unwrap_or(file).to_owned());
            }
        }
    }

    fn add(&mut self, path: String) {
        // Each is compared with all before it, so a list without end must not go on without end.
        if !path.is_empty() && self.0.len() < MOST && !self.0.contains(&path) {
            self.0.push(path);
        }
    }
}

/// A path as text, or inside the object that an editor calls a URI.
fn path_in(value: &Value) -> Option<&str> {
    let inside = || ["fsPath", "path"].iter().find_map(|key| value.get(*key)?.as_str());
    value.as_str().or_else(inside)
}

/// The path of a `file:` address; any other text as it is.
fn plain(path: &str) -> String {
    let path = match path.strip_prefix("file://") {
        Some(rest) => decoded(rest.strip_prefix("localhost").unwrap_or(rest)),
        None => path.to_owned(),
    };
    // Addresses put a slash before the drive.
    let drive = path.as_bytes();
    match drive {
        [b'/', letter, b':', b'/', ..] if letter.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    }
}

/// A text with its `%XX` resolved; unchanged where that gives no UTF-8.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
