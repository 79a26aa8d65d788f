use std::collections::BTreeMap;

use super::*;

fn load(name: &str, files: &[(&str, &str)]) -> Result<Mode, BadMode> {
    let files: BTreeMap<String, String> =
        files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    Mode::load(name, &|name| Ok(files.get(name).cloned()))
}

#[test]
fn the_built_in_mode_is_there_without_files() {
    let mode = load(CODE, &[]).unwrap();
    assert_eq!(mode, Mode::default());
    assert!(mode.types.contains_key("bugfix") && mode.concepts.contains_key("gotcha"));
}

#[test]
fn a_mode_changes_what_it_inherits() {
    let files = [
        ("law", "[types]\nruling = \"what a court said\"\nbugfix = \"\"\n"),
        (
            "law-short",
            "inherits = \"law\"\n[concepts]\n\"Open Question\" = \"not settled\"\n\
             [prompts]\nrecord = \"Record rulings only.\"\n",
        ),
    ];
    let mode = load("law-short", &files).unwrap();
    assert_eq!(mode.name, "law-short");
    assert_eq!(mode.types["ruling"], "what a court said");
    assert!(!mode.types.contains_key("bugfix"), "taken away");
    assert!(mode.types.contains_key("decision"), "inherited from the built-in mode");
    assert_eq!(mode.concepts["open-question"], "not settled");
    assert_eq!(mode.record, "Record rulings only.");
    assert_eq!(mode.role, Mode::default().role);
}

#[test]
fn a_file_may_change_the_built_in_mode() {
    let mode = load(CODE, &[(CODE, "[types]\nincident = \"an outage\"\n")]).unwrap();
    assert!(mode.types.contains_key("incident") && mode.types.contains_key("feature"));
}

#[test]
fn a_bad_mode_says_what_is_wrong() {
    for (name, files, told) in [
        ("none", vec![], "no file none.toml"),
        ("../up", vec![], "letters, digits"),
        ("a", vec![("a", "inherits = \"b\""), ("b", "inherits = \"a\"")], "itself"),
        ("a", vec![("a", "inherits = \"gone\"")], "'gone' cannot be used"),
        ("a", vec![("a", "[typos]\n")], "typos"),
        ("a", vec![("a", "[prompts]\nrole = 3\n")], "role"),
    ] {
        let error = load(name, &files).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}
