//! The viewer's words: both languages say the same things, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What ends a key whose text is for a single one; Chinese makes no difference.
const ONE: &str = ".one";

fn viewer() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer")
}

/// The texts of a language by their keys.
fn dictionary(language: &str) -> BTreeMap<String, String> {
    let file = fs::read_to_string(viewer().join("i18n").join(format!("{language}.js"))).unwrap();
    let mut found = BTreeMap::new();
    for line in file.lines().filter(|line| line.starts_with("  \"")) {
        let entry: BTreeMap<String, String> =
            serde_json::from_str(&format!("{{{}}}", line.trim().trim_end_matches(','))).unwrap();
        for (key, text) in entry {
            assert!(!text.trim().is_empty(), "{language}: {key} says nothing");
            assert!(found.insert(key.clone(), text).is_none(), "{language}: {key} stands twice");
        }
    }
    found
}

/// The scripts of the viewer, without its words.
fn scripts() -> String {
    let mut all = String::new();
    for folder in ["app", "net", "pages", "parts", "ui"] {
        for entry in fs::read_dir(viewer().join(folder)).unwrap() {
            all += &fs::read_to_string(entry.unwrap().path()).unwrap();
        }
    }
    all
}

/// What stands between a beginning and an end, wherever both do.
fn between<'t>(text: &'t str, begin: &str, end: &[char]) -> BTreeSet<&'t str> {
    text.match_indices(begin)
        // `put(` ends with the same letter as `t(`.
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric()))
        .filter_map(|(at, _)| text[at + begin.len()..].split(end).next())
        .collect()
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|part| part.split('}').next()).collect()
}

#[test]
fn both_languages_say_the_same_things() {
    let (english, chinese) = (dictionary("en"), dictionary("zh"));
    assert!(english.len() > 300, "the file is read whole: {}", english.len());
    for (key, text) in &english {
        let Some(other) = chinese.get(key) else {
            assert!(key.ends_with(ONE), "zh.js lacks {key}");
            continue;
        };
        assert_eq!(placeholders(text), placeholders(other), "{key}");
    }
    for key in chinese.keys() {
        assert!(english.contains_key(key), "en.js lacks {key}");
    }
    for key in english.keys().filter_map(|key| key.strip_suffix(ONE)) {
        assert!(english.contains_key(key), "{key} has a text for one and none for more");
    }
}

#[test]
fn every_word_is_used_and_every_used_word_is_there() {
    let (words, scripts) = (dictionary("en"), scripts());
    let mut asked = between(&scripts, "t(\"", &['"']);
    asked.extend(between(&scripts, "tOr(\"", &['"']));
    assert!(asked.len() > 200, "calls are found: {}", asked.len());
    for key in asked {
        assert!(words.contains_key(key), "{key} is asked for and not there");
    }
    // A part of the key is only known when the page runs.
    let mut beginnings = between(&scripts, "t(`", &['$', '`']);
    beginnings.extend(between(&scripts, "tOr(`", &['$', '`']));
    for beginning in &beginnings {
        let any = words.keys().any(|key| key.starts_with(beginning));
        assert!(any, "nothing begins with {beginning}");
    }
    let mut unused = Vec::new();
    for key in words.keys() {
        let whole = key.strip_suffix(ONE).unwrap_or(key);
        let named = scripts.contains(&format!("\"{whole}\""));
        let made = beginnings.iter().any(|beginning| whole.starts_with(beginning));
        if !named && !made {
            unused.push(key);
        }
    }
    assert!(unused.is_empty(), "used nowhere: {unused:?}");
}
