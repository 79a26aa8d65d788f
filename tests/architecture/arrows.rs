//! Who may know whom.

use super::Finding;
use super::paths::{named, resolved};
use super::tree::{SourceFile, Tree};

/// A part of the house and the parts below it that it may know.
struct Part {
    /// A role of `src/`, or a crate.
    name: &'static str,
    knows: &'static [&'static str],
}

/// The arrows. A part that is not in this list has no place in the house yet.
const HOUSE: &[Part] = &[
    part(
        "main",
        &[
            "cli", "hook", "daemon", "mcp", "team", "install", "client", "folder", "config",
            "domain",
        ],
    ),
    part(
        "cli",
        &["hook", "daemon", "mcp", "team", "install", "client", "folder", "config", "domain"],
    ),
    part("hook", &["client", "folder", "config", "domain"]),
    part("mcp", &["client", "config", "domain"]),
    part("install", &["config", "domain"]),
    part("client", &["folder", "config", "domain"]),
    part("daemon", &["api", "assembly", "folder", "config", "engine", "store", "domain"]),
    part("team", &["api", "assembly", "config", "engine", "store", "domain"]),
    part("assembly", &["config", "engine", "store", "domain"]),
    part("api", &["config", "engine", "store", "domain"]),
    part("folder", &["config", "domain"]),
    part("config", &["domain"]),
    part("engine", &["embed", "store", "domain"]),
    part("embed", &[]),
    part("store", &["domain"]),
    part("domain", &[]),
    part("testkit", &["engine", "store", "domain"]),
    part("xtask", &[]),
];

/// Commands that work without a daemon and may look below it.
const LOOK_BELOW: [&str; 5] =
    ["src/cli/eval.rs", "src/cli/eval", "src/cli/doctor.rs", "src/cli/doctor", "src/cli/provider"];

/// What would cost the hook its milliseconds.
const HEAVY: [&str; 12] = [
    "tokio",
    "tokio_stream",
    "axum",
    "hyper",
    "reqwest",
    "async_trait",
    "rusqlite",
    "sqlx",
    "tokio_postgres",
    "deadpool_postgres",
    "afterword_engine",
    "afterword_store",
];

const fn part(name: &'static str, knows: &'static [&'static str]) -> Part {
    Part { name, knows }
}

/// The part that a file belongs to; none for files outside sources.
fn part_of(file: &SourceFile) -> Option<&str> {
    if let Some(inside) = file.path.strip_prefix("src/") {
        return Some(inside.split_once('/').map_or_else(|| root_file(inside), |(role, _)| role));
    }
    let inside = file.path.strip_prefix("crates/").or_else(|| file.path.strip_prefix("xtask/"));
    match inside {
        Some(_) if file.path.starts_with("xtask/") => Some("xtask"),
        Some(inside) => inside.split_once('/').map(|(name, _)| name),
        None => None,
    }
}

/// A file directly in `src/` is the entry, or a role of one file.
fn root_file(name: &str) -> &str {
    match name.trim_end_matches(".rs") {
        "main" | "lib" => "main",
        role => role,
    }
}

/// The part that a path leads into; none where it stays or leaves the house.
fn target(segments: &[String], local: Option<&[String]>, own: &str) -> Option<String> {
    let name = match local {
        Some(path) => path.first()?.clone(),
        None => segments[0].strip_prefix("afterword_")?.to_owned(),
    };
    (name != own && HOUSE.iter().any(|p| p.name == name)).then_some(name)
}

/// Paths that lead to a part that the file's part may not know, and parts without a place.
pub(super) fn upward(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let Some(own) = part_of(file) else { continue };
        let Some(part) = HOUSE.iter().find(|p| p.name == own) else {
            findings.push(Finding::new(
                &file.path,
                1,
                format!("`{own}` has no place in the list of parts in tests/architecture"),
            ));
            continue;
        };
        let looks_below = LOOK_BELOW.iter().any(|path| file.is_in(path));
        let in_src = file.path.starts_with("src/");
        for path in named(file) {
            let local = if in_src { resolved(&path, file, "src/") } else { None };
            // The library under its own name is what `crate` is to the others.
            let library = (in_src && path.segments[0] == "afterword").then(|| &path.segments[1..]);
            let local = library.or(local.as_deref());
            let Some(name) = target(&path.segments, local, own) else { continue };
            let below = looks_below && matches!(name.as_str(), "engine" | "store");
            if !below && !part.knows.contains(&name.as_str()) {
                let what = format!("`{own}` may not know `{name}`: {}", path.segments.join("::"));
                findings.push(Finding::new(&file.path, path.line, what));
            }
        }
    }
    findings
}

/// Paths of `hook`, `client` and `domain` into crates that a hook must not pay for.
pub(super) fn heavy_crates(tree: &Tree) -> Vec<Finding> {
    let light =
        ["src/hook", "src/hook.rs", "src/client", "src/client.rs", "src/folder", "crates/domain"];
    let mut findings = Vec::new();
    for file in tree.rust().filter(|f| light.iter().any(|folder| f.is_in(folder))) {
        for path in named(file).iter().filter(|p| HEAVY.contains(&p.segments[0].as_str())) {
            let what = format!("no place for {}", path.segments.join("::"));
            findings.push(Finding::new(&file.path, path.line, what));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, code: &str) -> Vec<String> {
        upward(&Tree::of(&[(path, code)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arrow_to_a_sibling_or_upwards_is_found_however_it_is_written() {
        for (path, code) in [
            ("src/hook/mod.rs", "use crate::daemon::start;"),
            ("src/hook/agents/claude.rs", "use super::super::super::mcp::X;"),
            ("src/mcp/mod.rs", "use crate::{client::Client, daemon};"),
            ("src/client/mod.rs", "fn f() { crate::hook::run() }"),
            ("src/api/mod.rs", "use crate::daemon::Lock;"),
            ("src/install/mod.rs", "use crate::client::Client;"),
            ("src/config/mod.rs", "use super::cli::Args;"),
            ("src/cli/search.rs", "use afterword_store::Store;"),
            ("src/cli/mod.rs", "use crate::api::router;"),
            ("src/main.rs", "fn main() { afterword::api::serve() }"),
            ("src/hook/mod.rs", "use afterword_engine as e;"),
            ("crates/store/src/lib.rs", "use afterword_engine::Recall;"),
            ("crates/domain/src/lib.rs", "pub use afterword_store::Store;"),
        ] {
            assert_eq!(found(path, code).len(), 1, "{path}: {code}");
        }
    }

    #[test]
    fn arrows_that_run_down_are_fine() {
        for (path, code) in [
            ("src/lib.rs", "pub mod hook; use crate::cli::run; use crate::config::Env;"),
            ("src/cli/search.rs", "use crate::client::Client; use crate::cli::output::say;"),
            ("src/cli/eval.rs", "use afterword_engine::Recall; use afterword_store::Store;"),
            ("src/cli/doctor/database.rs", "use afterword_store::Store;"),
            ("src/hook/mod.rs", "use crate::client::Client; use afterword_domain::Event;"),
            ("src/daemon/mod.rs", "use crate::api::router; use afterword_store::Store;"),
            ("crates/engine/src/lib.rs", "use crate::daemon_talk::X; use std::env;"),
            ("src/hook/mod.rs", "#[cfg(test)]\nmod tests { use crate::daemon::X; }"),
        ] {
            assert_eq!(found(path, code), Vec::<String>::new(), "{path}: {code}");
        }
    }

    #[test]
    fn a_part_without_a_place_is_found() {
        assert!(found("src/tools/mod.rs", "")[0].contains("`tools` has no place"));
        assert!(found("crates/extra/src/lib.rs", "")[0].contains("`extra` has no place"));
    }

    #[test]
    fn the_hook_pays_for_nothing_heavy() {
        let tree = Tree::of(&[
            ("src/hook/mod.rs", "fn f() { tokio::spawn(x) }"),
            ("src/client/door.rs", "use axum;"),
            ("crates/domain/src/lib.rs", "use rusqlite::Connection;"),
            ("src/daemon/mod.rs", "use tokio::net::TcpListener;"),
        ]);
        let found: Vec<String> = heavy_crates(&tree).into_iter().map(|f| f.place).collect();
        assert_eq!(
            found,
            ["src/hook/mod.rs:1", "src/client/door.rs:1", "crates/domain/src/lib.rs:1"]
        );
    }
}
