//! Lines of key files inside other output: what a search found in them, what a diff shows of them.

use std::borrow::Cow;

use serde_json::Value;

use crate::privacy::{is_secret_path, may_name_secret_path, names_secret_path};

/// Longest path looked for at the start of a line.
const PATH: usize = 1024;

/// Dashes of a line that may end its path.
const DASHES: usize = 32;

/// Drops such lines from every text of a value.
///
/// With `found`, also lines as a search prints them: `PATH:LINE:TEXT`, `PATH-LINE-TEXT`. Members
/// named `filenames` are lists of paths and stay.
pub(super) fn hide_in(value: &mut Value, found: bool) {
    match value {
        Value::String(text) => hide(text, found),
        Value::Array(items) => items.iter_mut().for_each(|item| hide_in(item, found)),
        Value::Object(members) => members
            .iter_mut()
            .filter(|(key, _)| *key != "filenames")
            .for_each(|(_, member)| hide_in(member, found)),
        _ => {}
    }
}

/// Drops such lines from a text.
pub(super) fn hide(text: &mut String, found: bool) {
    if !may_name_secret_path(text) {
        return;
    }
    let mut in_diff = false;
    let mut kept = Vec::new();
    let mut dropped = false;
    for line in text.lines() {
        let shown = shown_of_diff(line, &mut in_diff) && !(found && is_found(line));
        dropped |= !shown;
        if shown {
            kept.push(line);
        }
    }
    if dropped {
        *text = kept.join("\n");
    }
}

/// Whether a line is no content of a key file's diff; `in_diff` carries from line to line.
///
/// The lines that name the file stay: that it changed is worth knowing.
fn shown_of_diff(line: &str, in_diff: &mut bool) -> bool {
    if line.starts_with("diff ") {
        *in_diff = names_secret_path(line);
        return true;
    }
    if let Some(path) = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ ")) {
        let path = path.split('\t').next().unwrap_or_default();
        // A removed line may itself begin with dashes: only another file ends a diff of a key file.
        let other_file = path.starts_with("a/") || path.starts_with("b/");
        if is_secret_path(path) {
            *in_diff = true;
            return true;
        }
        if other_file {
            *in_diff = false;
        }
        return !*in_diff;
    }
    if !*in_diff {
        return true;
    }
    let content = line.is_empty() || line.starts_with([' ', '+', '-', '@', '\\']);
    let header = ["index ", "new file", "deleted file", "old mode", "new mode", "Binary "];
    if content {
        return false;
    }
    *in_diff = header.iter().any(|start| line.starts_with(start));
    true
}

/// Whether a line begins with the path of a key file, as a search prints it.
fn is_found(line: &str) -> bool {
    let line = without_colours(line);
    let head = crate::text::prefix(&line, PATH);
    // A drive letter ends with a colon of its own.
    let colons = head.match_indices(':').map(|(at, _)| at).take(2);
    let dashes = head.match_indices('-').map(|(at, _)| at).take(DASHES);
    colons.chain(dashes).any(|at| is_secret_path(head[..at].trim_start_matches('"')))
}

/// The line without the colour sequences of a terminal.
fn without_colours(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut parts = line.split('\u{1b}');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |at| at + 1);
        plain.push_str(&part[end..]);
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        let mut text = text.to_owned();
        hide(&mut text, true);
        text
    }

    #[test]
    fn f5_a_diff_of_a_key_file_keeps_its_name_alone() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n+kept\n\
                    diff --git a/.env b/.env\nindex 1..2 100644\n--- a/.env\n+++ b/.env\n\
                    @@ -1 +1 @@ HOST=canary\n-HOST=canary\n+HOST=canary\n--- canary\n HOST=canary\n\
                    \n\\ No newline at end of file\n\
                    diff --git a/z.rs b/z.rs\n--- a/z.rs\n+++ b/z.rs\n+also kept";
        let text = left(diff);
        assert!(!text.contains("canary"), "{text}");
        assert!(text.contains("+kept") && text.ends_with("+also kept"), "{text}");
        assert!(text.contains("diff --git a/.env b/.env"), "{text}");
        let log =
            "commit 1\n\ndiff --git a/k.pem b/k.pem\n@@ -1 @@\n+canary\n\ncommit 2\nAuthor: dev";
        assert_eq!(left(log), "commit 1\n\ndiff --git a/k.pem b/k.pem\ncommit 2\nAuthor: dev");
        let plain =
            "--- .env\t2026-01-01\n+++ .env.new\t2026-01-01\n@@ -1 +1 @@\n-canary\nOnly in a";
        assert_eq!(left(plain).lines().last(), Some("Only in a"));
        assert!(!left(plain).contains("canary"));
    }

    #[test]
    fn f5_found_lines_are_known_in_every_dress() {
        for line in [
            ".env:1:HOST=canary",
            "./.env:HOST=canary",
            "a/b-c/.env.local-12-HOST=canary",
            "C:\\p\\.env:3:HOST=canary",
            "\u{1b}[35m.env\u{1b}[m\u{1b}[K:\u{1b}[32m1\u{1b}[m:HOST=canary",
            "keys/id_rsa:1:canary",
        ] {
            assert_eq!(left(&format!("src/a.rs:1:x\n{line}\nb.rs-2-y")), "src/a.rs:1:x\nb.rs-2-y");
        }
        for text in ["src/env.rs:1:x", "see .env for more: it is there", "a - b .env"] {
            assert_eq!(left(text), text);
        }
    }
}
