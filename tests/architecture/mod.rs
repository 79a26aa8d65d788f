//! The rules of the house, checked on the text of the sources. `ARCHITECTURE.md` explains them.
//!
//! Every check is a function over a [`tree::Tree`], so that its own tests can show it small bad
//! trees: a check that cannot fail is worth nothing.

mod arrows;
mod lexer;
mod paths;
mod places;
mod size;
mod tree;
mod words;

use std::fmt;

use tree::Tree;

/// A place where a rule is broken.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// File and line, as editors take it.
    place: String,
    /// What is wrong there.
    what: String,
}

impl Finding {
    fn new(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self { place: format!("{file}:{line}"), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Panics with the rule and every place that breaks it.
#[track_caller]
fn assert_holds(rule: &str, findings: &[Finding]) {
    let list: Vec<String> = findings.iter().map(|f| format!("  {f}")).collect();
    assert!(
        findings.is_empty(),
        "the rule \"{rule}\" is broken ({} times); ARCHITECTURE.md explains it\n{}",
        findings.len(),
        list.join("\n")
    );
}

#[expect(clippy::print_stderr, reason = "a remark for those who look, captured by the harness")]
fn report(remark: &str) {
    eprintln!("{remark}");
}

#[test]
fn the_sources_are_found() {
    let tree = Tree::load();
    for path in ["src/main.rs", "crates/domain/src/lib.rs", "tests/main.rs", "Cargo.toml"] {
        assert!(tree.files.iter().any(|f| f.path == path), "{path} is missing from the scan");
    }
}

#[test]
fn arrows_run_down_only() {
    assert_holds("arrows run down only", &arrows::upward(&Tree::load()));
}

#[test]
fn hook_and_client_know_no_runtime_and_no_database() {
    assert_holds(
        "hook and client: no async runtime, no SQL, no engine",
        &arrows::heavy_crates(&Tree::load()),
    );
}

#[test]
fn sql_is_only_in_store() {
    assert_holds("SQL only in store", &places::sql(&Tree::load()));
}

#[test]
fn the_environment_is_read_only_in_config() {
    assert_holds("environment only in config", &places::environment(&Tree::load()));
}

#[test]
fn people_are_addressed_only_by_the_output_of_cli() {
    assert_holds("printing only in src/cli/output.rs", &places::printing(&Tree::load()));
}

#[test]
fn files_and_folders_keep_the_size_law() {
    let tree = Tree::load();
    for long in size::wanted(&tree) {
        // No failure: 300 lines are wanted, 500 are the law. Shown where the test fails, and with
        // `--nocapture`.
        report(&format!("longer than wanted: {long}"));
    }
    assert_holds("size law", &size::law(&tree));
}

#[test]
fn functions_keep_the_size_law() {
    assert_holds("size law: functions of 80 lines at most", &size::functions(&Tree::load()));
}

#[test]
fn names_say_what_a_thing_is() {
    assert_holds("words that name nothing are not used as names", &words::names(&Tree::load()));
}

#[test]
fn nothing_is_left_to_do() {
    assert_holds("no to-do marks", &words::marks(&Tree::load()));
}

#[test]
fn no_machine_is_named() {
    assert_holds("no paths of somebody's machine", &words::machine_paths(&Tree::load()));
}
