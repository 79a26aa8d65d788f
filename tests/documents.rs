//! What the documents say is so.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use afterword::api::{Access, routes};
use afterword::config::env::VARIABLES;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn the_readme_is_short_and_its_twin_has_the_same_shape() {
    let (english, chinese) = (read("README.md"), read("README.zh-CN.md"));
    assert!(english.lines().count() <= 200, "README.md is over 200 lines");
    let headings = |text: &str| -> Vec<usize> {
        text.lines()
            .filter(|line| line.starts_with('#'))
            .map(|line| line.chars().take_while(|c| *c == '#').count())
            .collect()
    };
    assert_eq!(headings(&english), headings(&chinese), "the headings differ");
    let commands = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("cargo ") || line.starts_with("afterword "))
            .map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
            .collect()
    };
    assert_eq!(commands(&english), commands(&chinese), "the commands differ");
}

#[test]
fn every_command_of_the_readme_exists() {
    let readme = read("README.md");
    let words: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("afterword "))
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert!(words.len() >= 8, "README.md shows only {words:?}");
    for word in words {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_afterword"))
            .env_clear()
            .args([word, "--help"])
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "README.md names `afterword {word}`, which does not exist"
        );
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let front = ["README.md", "README.zh-CN.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    let mut names: Vec<PathBuf> = front.map(PathBuf::from).into();
    for folder in ["docs", "docs/design", "docs/guide", "docs/reference"] {
        let pages = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        names.extend(pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    for name in names {
        let page = root().join(&name);
        for part in fs::read_to_string(&page).unwrap().split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap_or_default();
            let elsewhere = target.is_empty() || target.contains("://");
            let there = page.parent().unwrap().join(target).exists();
            assert!(elsewhere || there, "{} links to {target}", name.display());
        }
    }
}

#[test]
fn every_picture_is_shown_and_small() {
    let guide = read("docs/guide/viewer.md");
    let mut pictures = 0;
    for entry in fs::read_dir(root().join("docs/viewer")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(guide.contains(&format!("](../viewer/{name})")), "{name} is shown nowhere");
        let bytes = fs::metadata(&path).unwrap().len();
        assert!(bytes <= 200_000, "{name} has {bytes} bytes");
        pictures += 1;
    }
    assert!(pictures > 10, "{pictures} pictures");
}

#[test]
fn every_live_event_is_explained() {
    let page = read("docs/reference/events.md");
    let source = read("crates/domain/src/wire/live.rs");
    let names: Vec<&str> = source
        .split("=> \"")
        .skip(1)
        .filter_map(|part| part.split('"').next())
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        .collect();
    assert!(names.len() >= 16, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("| `{name}` |")), "{name} is not explained");
    }
}

/// Wants a generated page to be what it is made from.
fn assert_is_made(path: &str, expected: &str) {
    if fs::read_to_string(root().join(path)).ok().as_deref() != Some(expected) {
        let name = Path::new(path).file_name().unwrap();
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&made, expected).unwrap();
        panic!("{path} is out of date: cp {} {path}", made.display());
    }
}

#[test]
fn the_config_reference_is_the_table() {
    assert_is_made("docs/reference/config.md", &afterword::config::table::reference());
}

#[test]
fn the_environment_reference_is_the_table() {
    let mut expected = String::from(
        "# Environment\n\nThe table of `src/config/env.rs`; a test keeps the two equal.\n\n\
         | variable | meaning |\n| --- | --- |\n",
    );
    for variable in VARIABLES {
        writeln!(expected, "| `{}` | {} |", variable.name, variable.meaning).unwrap();
    }
    assert_is_made("docs/reference/environment.md", &expected);
}

#[test]
fn the_observer_reference_names_every_route_of_that_door() {
    let page = read("docs/reference/observer-api.md");
    let open = |access| matches!(access, Access::Observer | Access::Shared);
    let missing: Vec<String> = routes()
        .into_iter()
        .filter(|route| open(route.access))
        .map(|route| format!("`{} {}", route.method, route.path))
        .filter(|route| {
            !page.contains(&format!("{route}`")) && !page.contains(&format!("{route}?"))
        })
        .collect();
    assert!(missing.is_empty(), "docs/reference/observer-api.md says nothing of {missing:?}");
}

#[test]
fn the_command_reference_is_the_help() {
    assert_is_made("docs/reference/cli.md", &afterword::cli::reference());
}
