//! The size law.

use std::collections::BTreeMap;

use super::Finding;
use super::paths::tokens;
use super::tree::{SourceFile, Tree};

const WANTED_LINES: usize = 300;
const MOST_LINES: usize = 500;
const MOST_FUNCTION_LINES: usize = 80;
const MOST_FILES: usize = 12;
const MOST_DOOR_LINES: usize = 150;

/// Lines of a file, inline tests not counted.
fn lines(file: &SourceFile) -> usize {
    let total = file.text.lines().count();
    total - test_lines(&file.code_and_tests)
}

/// Lines of `#[cfg(test)]` modules with a body.
fn test_lines(code: &str) -> usize {
    const MARK: &str = "#[cfg(test)]";
    let mut count = 0;
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        rest = &rest[at + MARK.len()..];
        let end = super::lexer::item_end(rest);
        if rest.trim_start().starts_with("mod ") && rest[..end].contains('{') {
            count += rest[..end].matches('\n').count() + 1;
        }
        rest = &rest[end..];
    }
    count
}

/// Files that are longer than wanted, though within the law.
pub(super) fn wanted(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .map(|file| (file, lines(file)))
        .filter(|(_, lines)| *lines > WANTED_LINES && *lines <= MOST_LINES)
        .map(|(file, lines)| Finding::new(&file.path, lines, format!("{lines} lines")))
        .collect()
}

/// Files and folders that break the law.
pub(super) fn law(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in tree.rust() {
        let lines = lines(file);
        let door = file.path.ends_with("/mod.rs");
        if lines > MOST_LINES {
            let what = format!("{lines} lines, {MOST_LINES} at most");
            findings.push(Finding::new(&file.path, lines, what));
        } else if door && lines > MOST_DOOR_LINES {
            let what = format!("a door of {lines} lines, {MOST_DOOR_LINES} at most");
            findings.push(Finding::new(&file.path, lines, what));
        }
        if let Some((folder, _)) = file.path.rsplit_once('/') {
            *folders.entry(folder).or_default() += 1;
        }
    }
    for (folder, files) in folders.into_iter().filter(|(_, files)| *files > MOST_FILES) {
        findings.push(Finding::new(folder, 1, format!("{files} files, {MOST_FILES} at most")));
    }
    findings
}

/// Functions that are longer than the law allows.
pub(super) fn functions(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let tokens = tokens(&file.code);
        for at in 0..tokens.len().saturating_sub(1) {
            if tokens[at].text != "fn" || !tokens[at + 1].is_word() {
                continue;
            }
            let Some(last) = body_end(tokens[at..].iter().map(|t| (t.line, t.text))) else {
                continue;
            };
            let lines = last - tokens[at].line + 1;
            if lines > MOST_FUNCTION_LINES {
                let what = format!("`{}` has {lines} lines", tokens[at + 1].text);
                findings.push(Finding::new(&file.path, tokens[at].line, what));
            }
        }
    }
    findings
}

/// The line of the brace that closes the body; none for a declaration without one.
fn body_end<'a>(tokens: impl Iterator<Item = (usize, &'a str)>) -> Option<usize> {
    let (mut braces, mut inner) = (0_usize, 0_usize);
    for (line, text) in tokens {
        match text {
            "(" | "[" => inner += 1,
            ")" | "]" => inner = inner.saturating_sub(1),
            "{" => braces += 1,
            "}" => {
                braces = braces.saturating_sub(1);
                if braces == 0 {
                    return Some(line);
                }
            }
            ";" if braces == 0 && inner == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(path: &str, text: &str) -> Tree {
        Tree::of(&[(path, text)])
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let body = "const A: u8 = 1;\n".repeat(450);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "// x\n".repeat(100));
        assert_eq!(law(&tree("src/hook/a.rs", &(body.clone() + &tests))), []);
        assert_eq!(wanted(&tree("src/hook/a.rs", &body)).len(), 1);
        let long = body.clone() + &body;
        assert!(law(&tree("src/hook/a.rs", &long))[0].what.contains("900 lines"));
        assert_eq!(law(&tree("src/hook/tests.rs", &long)), []);
    }

    #[test]
    fn a_thick_door_is_found() {
        let body = "const A: u8 = 1;\n".repeat(151);
        assert!(law(&tree("src/hook/mod.rs", &body))[0].what.contains("a door of 151"));
        assert_eq!(law(&tree("src/hook/guard.rs", &body)), []);
    }

    #[test]
    fn a_full_folder_is_found() {
        let names: Vec<String> = (0..13).map(|n| format!("src/hook/f{n}.rs")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), "")).collect();
        assert_eq!(law(&Tree::of(&files[..12])), []);
        assert!(law(&Tree::of(&files))[0].what.contains("13 files"));
    }

    #[test]
    fn a_long_function_is_found_whatever_its_strings_and_comments_hold() {
        let lines = "    let s = \"}\"; // }\n".repeat(79);
        let long = format!("trait T {{ fn a(&self, x: [u8; 3]); }}\nfn long() {{\n{lines}}}\n");
        let found = functions(&tree("src/hook/a.rs", &long));
        assert_eq!(found, [Finding::new("src/hook/a.rs", 2, "`long` has 81 lines")]);
        let shorter = long.replacen("    let s = \"}\"; // }\n", "", 1);
        assert_eq!(functions(&tree("src/hook/a.rs", &shorter)), []);
    }
}
