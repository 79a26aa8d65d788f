//! Words: names that say nothing, marks of unfinished work, paths of somebody's machine.

use super::Finding;
use super::paths::tokens;
use super::tree::Tree;

/// Words that do not say what a thing is.
const EMPTY_WORDS: [&str; 9] =
    ["manager", "helper", "util", "common", "misc", "data", "info", "service", "processor"];

/// The words of a name: `fooBar`, `foo_bar`, `FooBar` and `foo-bar` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        if c.is_uppercase() {
            words.push(String::new());
        }
        words.last_mut().expect("there is a first word").extend(c.to_lowercase());
    }
    words.retain(|word| !word.is_empty());
    words
}

fn empty_word(name: &str) -> Option<String> {
    words(name).into_iter().find(|word| {
        let single = word.strip_suffix('s').unwrap_or(word);
        EMPTY_WORDS.contains(&word.as_str()) || EMPTY_WORDS.contains(&single)
    })
}

/// Files, folders, modules and types that are named with an empty word.
pub(super) fn names(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut check = |path: &str, line: usize, name: &str| {
        if let Some(word) = empty_word(name) {
            findings.push(Finding::new(path, line, format!("`{word}` in the name `{name}`")));
        }
    };
    for file in tree.files.iter().filter(|f| f.is_rust()) {
        for part in file.path.trim_end_matches(".rs").split('/') {
            check(&file.path, 1, part);
        }
        let tokens = tokens(&file.code_and_tests);
        for pair in tokens.windows(2) {
            let names =
                matches!(pair[0].text, "mod" | "struct" | "enum" | "trait" | "type" | "union");
            if names && pair[1].is_word() {
                check(&file.path, pair[1].line, pair[1].text);
            }
        }
    }
    findings
}

/// Marks of unfinished work in comments, and macros that stand for missing code.
pub(super) fn marks(tree: &Tree) -> Vec<Finding> {
    let marks =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];
    let macros = [concat!("to", "do"), concat!("unimple", "mented")];
    let is_mark =
        |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| marks.contains(&word));
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|f| f.is_rust()) {
        for (start, comment) in &file.comments {
            for (at, line) in comment.lines().enumerate().filter(|(_, line)| is_mark(line)) {
                findings.push(Finding::new(&file.path, start + at, line.trim()));
            }
        }
        for pair in tokens(&file.code_and_tests).windows(2) {
            if macros.contains(&pair[0].text) && pair[1].text == "!" {
                findings.push(Finding::new(&file.path, pair[0].line, format!("{}!", pair[0].text)));
            }
        }
    }
    let scripts = [".js", ".mjs", ".css", ".html", ".sql", ".sh", ".toml", ".ci/run"];
    for file in tree.files.iter().filter(|f| scripts.iter().any(|end| f.path.ends_with(end))) {
        for (at, line) in file.text.lines().enumerate().filter(|(_, line)| is_mark(line)) {
            findings.push(Finding::new(&file.path, at + 1, line.trim()));
        }
    }
    findings
}

/// Paths that exist on one machine only.
pub(super) fn machine_paths(tree: &Tree) -> Vec<Finding> {
    let paths = [
        concat!("/work", "/main"),
        concat!("/work", "/shared"),
        concat!("/tmp", "/wt"),
        concat!("../", "shared"),
        concat!("/ro", "ot/"),
    ];
    let mut findings = Vec::new();
    for file in &tree.files {
        for (at, line) in file.text.lines().enumerate() {
            if let Some(path) = paths.iter().find(|path| line.contains(**path)) {
                findings.push(Finding::new(&file.path, at + 1, format!("names {path}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|f| f.place.as_str()).collect()
    }

    #[test]
    fn an_empty_word_is_found_in_any_kind_of_name() {
        let tree = Tree::of(&[
            ("src/hook/utils.rs", ""),
            ("src/cli/a.rs", "struct SessionManager;\nmod string_helpers {}\ntype HTTPInfo = u8;"),
            ("src/cli/b.rs", "struct Database;\nfn f(data: u8) { /* struct Data */ info!(\"x\") }"),
        ]);
        assert_eq!(
            places(&names(&tree)),
            ["src/hook/utils.rs:1", "src/cli/a.rs:1", "src/cli/a.rs:2", "src/cli/a.rs:3"]
        );
    }

    #[test]
    fn a_mark_is_found_in_comments_and_macros() {
        let mark = concat!("TO", "DO");
        let text = format!("// fine\n/* a\n {mark}: b */\nfn f() {{ to{}!() }}\n", "do");
        let tree = Tree::of(&[
            ("src/cli/a.rs", text.as_str()),
            ("src/cli/b.rs", &format!("const A: &str = \"{mark}\"; // TodoWrite is a tool")),
            ("viewer/app.js", &format!("// {mark} later")),
        ]);
        assert_eq!(places(&marks(&tree)), ["src/cli/a.rs:3", "src/cli/a.rs:4", "viewer/app.js:1"]);
    }

    #[test]
    fn a_machine_path_is_found_in_any_text() {
        let readme = format!("see\n{}{}/facts", "../", "shared");
        let tree = Tree::of(&[("README.md", readme.as_str()), ("docs/a.md", "/home/dev/project")]);
        assert_eq!(places(&machine_paths(&tree)), ["README.md:2"]);
    }
}
