//! The files that are checked.

use std::fs;
use std::path::Path;

use super::lexer::{Parts, split, without_tests};

/// Endings of the texts that are read.
const TEXTS: [&str; 10] = ["rs", "toml", "md", "js", "mjs", "css", "html", "sql", "sh", "json"];

/// A set of files.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) files: Vec<SourceFile>,
}

/// One text file.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// From the root of the workspace, with slashes.
    pub(super) path: String,
    /// As it is on disk.
    pub(super) text: String,
    /// Code without tests, strings and comments; empty where the file is no Rust.
    pub(super) code: String,
    /// The same code with its tests.
    pub(super) code_and_tests: String,
    /// Strings outside tests, by line.
    pub(super) strings: Vec<(usize, String)>,
    /// Comments, by line.
    pub(super) comments: Vec<(usize, String)>,
}

impl Tree {
    /// Reads the workspace.
    pub(super) fn load() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        walk(root, root, &mut files);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }

    /// A tree of given files, for the tests of the checks.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|(path, text)| SourceFile::new(path, text)).collect() }
    }

    /// Rust files that are part of what ships or of its build, tests left out.
    pub(super) fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|f| f.is_rust() && !f.is_test())
    }
}

impl SourceFile {
    fn new(path: &str, text: &str) -> Self {
        let rust = ending(path) == "rs";
        let parts = if rust { split(text) } else { Parts::default() };
        let code = without_tests(&parts.code);
        let strings = parts
            .strings
            .into_iter()
            // A string of a test stands on a line whose code was blanked.
            .filter(|(line, _)| code.lines().nth(line - 1).is_some_and(|l| l.contains('"')))
            .collect();
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code,
            code_and_tests: parts.code,
            strings,
            comments: parts.comments,
        }
    }

    pub(super) fn is_rust(&self) -> bool {
        ending(&self.path) == "rs"
    }

    /// Files that hold nothing but tests.
    pub(super) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs")
            || self.path.split('/').any(|part| matches!(part, "tests" | "benches"))
    }

    /// Whether the file lies in this folder, or is it.
    pub(super) fn is_in(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// What follows the last dot.
fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "node_modules") {
                walk(root, &path, files);
            }
            continue;
        }
        let script = folder.file_name().is_some_and(|name| name == ".ci");
        if script || TEXTS.contains(&ending(&name)) {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let relative = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            files.push(SourceFile::new(&relative, &text));
        }
    }
}

#[test]
fn tests_are_told_from_what_ships() {
    let tree = Tree::of(&[
        ("src/hook/mod.rs", "fn f() { g(\"kept\"); }\n#[cfg(test)]\nmod t { x!(\"gone\"); }"),
        ("src/api/tests/doors.rs", ""),
        ("src/hook/tests.rs", ""),
        ("README.md", ""),
    ]);
    let rust: Vec<&str> = tree.rust().map(|f| f.path.as_str()).collect();
    assert_eq!(rust, ["src/hook/mod.rs"]);
    assert_eq!(tree.files[0].strings, [(1, "kept".to_owned())]);
    assert!(tree.files[0].is_in("src/hook") && !tree.files[0].is_in("src/ho"));
}
