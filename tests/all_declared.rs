//! No test file is forgotten: one that `main.rs` does not declare would never run.

use std::fs;
use std::path::Path;

/// Names of files and folders in `tests/` that are modules but not declared in `main`.
fn forgotten(folder: &Path, main: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("mod.rs").exists() || path.extension().is_some_and(|e| e == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "main")
        .filter(|name| !main.lines().any(|line| line.trim() == format!("mod {name};")))
        .collect();
    names.sort();
    names
}

#[test]
fn every_file_of_tests_is_a_module_of_this_binary() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    assert_eq!(forgotten(&folder, &main), Vec::<String>::new(), "declare these in tests/main.rs");
}

#[test]
fn a_forgotten_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["main.rs", "kept.rs", "lost.rs", "notes.txt"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    fs::create_dir_all(folder.path().join("lost_folder")).unwrap();
    fs::write(folder.path().join("lost_folder/mod.rs"), "").unwrap();
    fs::create_dir_all(folder.path().join("fixtures")).unwrap();
    assert_eq!(forgotten(folder.path(), "// mod lost;\nmod kept;"), ["lost", "lost_folder"]);
}
