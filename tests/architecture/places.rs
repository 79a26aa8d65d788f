//! What may stand in one place only: SQL, reading the environment, printing.

use super::Finding;
use super::paths::{named, tokens};
use super::tree::{SourceFile, Tree};

/// Crates that speak to a database.
const DRIVERS: [&str; 9] = [
    "rusqlite",
    "libsqlite3_sys",
    "sqlx",
    "tokio_postgres",
    "postgres",
    "deadpool_postgres",
    "bb8_postgres",
    "diesel",
    "pgvector",
];

/// Beginnings of statements, each with what must follow somewhere.
const STATEMENTS: [(&str, &str); 15] = [
    ("select ", " from "),
    ("insert into ", ""),
    ("insert or ", " into "),
    ("update ", " set "),
    ("delete from ", ""),
    ("create table ", ""),
    ("create index ", ""),
    ("create unique index ", ""),
    ("create virtual table ", ""),
    ("create trigger ", ""),
    ("alter table ", ""),
    ("drop table ", ""),
    ("begin immediate", ""),
    ("with ", " as (select "),
    ("pragma ", ""),
];

/// Drivers and statements outside the store.
pub(super) fn sql(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust().filter(|f| !f.is_in("crates/store")) {
        for path in named(file).iter().filter(|p| DRIVERS.contains(&p.segments[0].as_str())) {
            findings.push(Finding::new(&file.path, path.line, path.segments.join("::")));
        }
        for (line, text) in file.strings.iter().filter(|(_, text)| is_statement(text)) {
            findings.push(Finding::new(&file.path, *line, format!("a statement: {text:.60}")));
        }
    }
    for manifest in tree.files.iter().filter(|f| f.path.ends_with("Cargo.toml")) {
        if !manifest.is_in("crates/store") {
            findings.extend(driver_dependencies(manifest));
        }
    }
    findings
}

fn is_statement(text: &str) -> bool {
    let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    STATEMENTS.iter().any(|(begin, follow)| text.starts_with(begin) && text.contains(follow))
}

/// Drivers among the dependencies of a manifest; the workspace's list of versions is none.
fn driver_dependencies(manifest: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_dependencies = false;
    for (at, line) in manifest.text.lines().enumerate() {
        if let Some(section) = line.trim().strip_prefix('[') {
            in_dependencies = section.contains("dependencies") && !section.contains("workspace");
            continue;
        }
        let name = line.split(['=', '.', ' ']).next().unwrap_or_default().replace('-', "_");
        if in_dependencies && DRIVERS.contains(&name.as_str()) {
            findings.push(Finding::new(&manifest.path, at + 1, format!("depends on {name}")));
        }
    }
    findings
}

/// Reads of the environment or the arguments outside `main` and `config`.
pub(super) fn environment(tree: &Tree) -> Vec<Finding> {
    const READS: [&str; 7] = ["var", "vars", "var_os", "vars_os", "args", "args_os", "home_dir"];
    let allowed = ["src/main.rs", "src/config", "crates/testkit", "xtask"];
    let mut findings = Vec::new();
    for file in tree.rust().filter(|f| !allowed.iter().any(|place| f.is_in(place))) {
        for path in named(file) {
            let pairs = path.segments.windows(2);
            let read = pairs.clone().any(|p| p[0] == "env" && READS.contains(&p[1].as_str()));
            // A glob would hide what is read.
            if read || pairs.last().is_some_and(|p| p[0] == "env" && p[1] == "*") {
                findings.push(Finding::new(&file.path, path.line, path.segments.join("::")));
            }
        }
    }
    findings
}

/// Printing anywhere but in the one file that prints for people.
pub(super) fn printing(tree: &Tree) -> Vec<Finding> {
    const PRINTS: [&str; 5] = ["println", "eprintln", "print", "eprint", "dbg"];
    let mut findings = Vec::new();
    let checked = tree.rust().filter(|f| !f.is_in("src/cli/output.rs") && !f.is_in("xtask"));
    for file in checked {
        let tokens = tokens(&file.code);
        for pair in tokens.windows(2) {
            if PRINTS.contains(&pair[0].text) && pair[1].text == "!" {
                findings.push(Finding::new(&file.path, pair[0].line, format!("{}!", pair[0].text)));
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
    fn a_statement_or_a_driver_outside_the_store_is_found() {
        let tree = Tree::of(&[
            ("crates/engine/src/a.rs", "fn f() {\n q(\"SELECT id\n  FROM events\") }"),
            ("src/api/b.rs", "use rusqlite::Connection;"),
            ("src/api/c.rs", "const Q: &str = r#\"insert or ignore into jobs values (1)\"#;"),
            ("src/api/d.rs", "const T: &str = \"select a project first\"; // select a from b"),
            ("src/api/e.rs", "#[cfg(test)]\nmod tests { const Q: &str = \"delete from x\"; }"),
            ("crates/store/src/sqlite/f.rs", "const Q: &str = \"delete from events\";"),
        ]);
        assert_eq!(
            places(&sql(&tree)),
            ["crates/engine/src/a.rs:2", "src/api/b.rs:1", "src/api/c.rs:1"]
        );
    }

    #[test]
    fn a_driver_in_a_manifest_is_found() {
        let tree = Tree::of(&[
            (
                "Cargo.toml",
                "[workspace.dependencies]\nrusqlite = \"1\"\n[dependencies]\nserde = \"1\"",
            ),
            ("crates/engine/Cargo.toml", "[dependencies]\nserde = \"1\"\ntokio-postgres = \"1\""),
            ("crates/store/Cargo.toml", "[dependencies]\nrusqlite.workspace = true"),
            ("xtask/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nrusqlite.workspace = true"),
        ]);
        assert_eq!(places(&sql(&tree)), ["crates/engine/Cargo.toml:3", "xtask/Cargo.toml:2"]);
    }

    #[test]
    fn a_read_of_the_environment_is_found_however_it_is_written() {
        let tree = Tree::of(&[
            ("src/hook/a.rs", "fn f() { std::env::var(\"X\") }"),
            ("src/hook/b.rs", "use std::env;\nfn f() { env::args_os() }"),
            ("src/hook/c.rs", "use std::{env::var as read};"),
            ("src/hook/d.rs", "use std::env::*;"),
            ("src/hook/e.rs", "fn f() { env!(\"X\"); std::env::current_exe() }"),
            ("src/main.rs", "fn main() { std::env::args_os() }"),
            ("src/config/env.rs", "fn f() { std::env::var(\"X\") }"),
        ]);
        assert_eq!(
            places(&environment(&tree)),
            ["src/hook/a.rs:1", "src/hook/b.rs:2", "src/hook/c.rs:1", "src/hook/d.rs:1"]
        );
    }

    #[test]
    fn printing_elsewhere_is_found() {
        let tree = Tree::of(&[
            ("src/hook/a.rs", "fn f() {\n println!(\"x\") }"),
            ("src/cli/b.rs", "fn f() { eprint!(\"x\"); writeln!(o, \"println!\"); printer() }"),
            ("src/cli/output.rs", "fn f() { println!(\"x\") }"),
            ("src/cli/tests.rs", "fn f() { println!(\"x\") }"),
        ]);
        assert_eq!(places(&printing(&tree)), ["src/hook/a.rs:2", "src/cli/b.rs:1"]);
    }
}
