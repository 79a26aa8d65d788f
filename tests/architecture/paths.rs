//! The paths that a file names, in `use` declarations and elsewhere.

use super::tree::SourceFile;

/// A path such as `crate::hook::run`, as written; groups of a `use` are spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedPath {
    pub(super) line: usize,
    pub(super) segments: Vec<String>,
}

/// A word or mark of the code with its line; `::` is one mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) line: usize,
    pub(super) text: &'a str,
}

impl Token<'_> {
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// Splits code, as the lexer leaves it, into words and marks.
pub(super) fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for (line, mut rest) in code.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        while let Some(first) = rest.chars().next() {
            let length = if first.is_alphanumeric() || first == '_' {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            let text = &rest[..length];
            rest = &rest[length..];
            if !text.trim().is_empty() {
                tokens.push(Token { line, text });
            }
        }
    }
    tokens
}

/// Every path outside tests: all of `use`, and those of two or more segments elsewhere.
pub(super) fn named(file: &SourceFile) -> Vec<NamedPath> {
    let tokens = tokens(&file.code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].text == "use" {
            at = use_tree(&tokens, at + 1, &[], &mut found);
            continue;
        }
        let begins = at == 0 || !matches!(tokens[at - 1].text, "::" | ".");
        let rooted = at > 0 && tokens[at - 1].text == "::" && !follows_a_path(&tokens, at - 1);
        if tokens[at].is_word() && (begins || rooted) {
            let (segments, next) = plain_path(&tokens, at);
            if segments.len() > 1 {
                found.push(NamedPath { line: tokens[at].line, segments });
            }
            at = next;
        } else {
            at += 1;
        }
    }
    found
}

/// Whether the `::` at this place continues a path.
fn follows_a_path(tokens: &[Token<'_>], at: usize) -> bool {
    at > 0 && (tokens[at - 1].is_word() || tokens[at - 1].text == ">")
}

fn plain_path(tokens: &[Token<'_>], mut at: usize) -> (Vec<String>, usize) {
    let mut segments = vec![tokens[at].text.to_owned()];
    at += 1;
    while tokens.get(at).is_some_and(|t| t.text == "::")
        && tokens.get(at + 1).is_some_and(Token::is_word)
    {
        segments.push(tokens[at + 1].text.to_owned());
        at += 2;
    }
    (segments, at)
}

/// Spells out a tree of `use` and returns the place behind it.
fn use_tree(
    tokens: &[Token<'_>],
    mut at: usize,
    prefix: &[String],
    found: &mut Vec<NamedPath>,
) -> usize {
    let mut segments = prefix.to_vec();
    let line = tokens.get(at).map_or(0, |t| t.line);
    while let Some(token) = tokens.get(at) {
        match token.text {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|t| t.text != "}") {
                    at = use_tree(tokens, at, &segments, found);
                    at += usize::from(tokens.get(at).is_some_and(|t| t.text == ","));
                }
                return at + 1;
            }
            "::" => at += 1,
            "as" => at += 2,
            // The end of this branch, or something that is no `use` declaration at all.
            text if token.is_word() || text == "*" => {
                segments.push(text.to_owned());
                at += 1;
            }
            _ => break,
        }
    }
    if segments.len() > prefix.len() {
        found.push(NamedPath { line, segments });
        return at;
    }
    // A branch that began with something unexpected must not hold up its caller.
    let stuck = tokens.get(at).is_some_and(|t| !matches!(t.text, "," | "}" | ";"));
    at + usize::from(stuck)
}

/// The module that a file of `folder` holds, from the root of its crate.
fn module_of(file: &SourceFile, folder: &str) -> Vec<String> {
    let inside = file.path.strip_prefix(folder).unwrap_or(&file.path);
    let mut parts: Vec<String> = inside
        .trim_end_matches(".rs")
        .split('/')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

/// The path from the root of the crate whose sources lie in `folder`; none where it leaves it.
pub(super) fn resolved(path: &NamedPath, file: &SourceFile, folder: &str) -> Option<Vec<String>> {
    let mut base = module_of(file, folder);
    let mut rest = path.segments.as_slice();
    match rest.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|s| s == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ => return None,
    }
    base.extend_from_slice(rest);
    Some(base)
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    fn paths(code: &str) -> Vec<String> {
        let tree = Tree::of(&[("src/hook/agents/a.rs", code)]);
        named(&tree.files[0]).into_iter().map(|p| p.segments.join("::")).collect()
    }

    #[test]
    fn groups_are_spelled_out() {
        let code =
            "pub use crate::{daemon::{self, run as start}, client::*};\nuse tokio;\nfn f() {}";
        assert_eq!(
            paths(code),
            ["crate::daemon::self", "crate::daemon::run", "crate::client::*", "tokio"]
        );
    }

    #[test]
    fn paths_in_code_count_and_text_does_not() {
        let code = "#[tokio::main]\nfn f(x: ::axum::Router) -> Vec<u8> { a.b::<u8>(); \
                    crate::engine::run(\"crate::x::y\") } // crate::z::w\n\
                    #[cfg(test)]\nmod tests { use crate::store::A; }";
        assert_eq!(paths(code), ["tokio::main", "axum::Router", "crate::engine::run"]);
    }

    #[test]
    fn relative_paths_are_resolved() {
        let tree = Tree::of(&[
            ("src/hook/agents/a.rs", "use super::super::super::daemon::X; use super::guard::Y;"),
            ("src/hook/mod.rs", "use self::guard::Z; use super::cli::A; use serde::De;"),
        ]);
        let all = |at: usize| -> Vec<String> {
            let file = &tree.files[at];
            named(file)
                .iter()
                .filter_map(|p| resolved(p, file, "src/"))
                .map(|s| s.join("::"))
                .collect()
        };
        assert_eq!(all(0), ["daemon::X", "hook::agents::guard::Y"]);
        assert_eq!(all(1), ["hook::guard::Z", "cli::A"]);
    }
}
