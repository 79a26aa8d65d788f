//! Without a daemon nothing blocks and nothing is lost.

use std::fs;
use std::sync::Arc;

use afterword_testkit::{Sandbox, Turn};
use serde_json::{Value, json};

use super::{Story, assert_contains};

/// Events that wait on disk for a daemon.
fn spooled(sandbox: &Sandbox) -> u64 {
    let Ok(files) = fs::read_dir(sandbox.data().join("spool")) else { return 0 };
    let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    u64::try_from(names.filter(|name| name.ends_with(".event.json")).count()).unwrap()
}

fn write(sandbox: &Sandbox, path: &str) -> Turn {
    let file = sandbox.project().join(path);
    Turn::tool("Write", &json!({"file_path": file, "content": "pub fn wave() {}\n"}))
}

fn files_found(results: &[Value]) -> String {
    results.iter().map(|r| r["files"].to_string()).collect()
}

#[test]
fn a_daemon_killed_in_the_middle_of_a_session_loses_nothing() {
    let Some(story) = Story::begin() else { return };
    story.sandbox.start_daemon();
    let victim = Arc::clone(&story.sandbox);
    story.stub.script(
        "wave",
        [
            write(&story.sandbox, "src/first_wave.rs"),
            // The kill falls between two hooks: the first tool use is stored, the next is not.
            write(&story.sandbox, "src/second_wave.rs").after(move || {
                assert!(victim.kill_daemon(), "a daemon runs in the middle of the session");
            }),
            Turn::text("Both waves are there."),
        ],
    );

    let result = story.ask("make two waves [[script:wave]]");
    assert_eq!(result["result"], "Both waves are there.");

    story.sandbox.start_daemon();
    let status = story.settle();
    // Session start, prompt, two tool uses, stop and session end.
    assert!(status["stored"].as_u64() >= Some(6), "{status}");
    assert_eq!(status["received"], status["stored"], "{status}");
    for wave in ["first_wave", "second_wave"] {
        assert_contains(&files_found(&story.search(wave, &[])), &[&format!("{wave}.rs")]);
    }
}

#[test]
fn a_session_without_any_daemon_is_kept_on_disk_and_taken_in_once() {
    let Some(story) = Story::begin() else { return };
    story.sandbox.start_daemon();
    story.ask("build a retry queue [[script:build]]");
    let before = story.settle();
    assert_eq!(spooled(&story.sandbox), 0);

    assert!(story.sandbox.kill_daemon());
    let away = story.sandbox.keep_daemon_away();
    story.stub.script(
        "dark",
        [write(&story.sandbox, "src/dark_wave.rs"), Turn::text("Written in the dark.")],
    );
    let result = story.ask("work in the dark [[script:dark]]");
    assert_eq!(result["result"], "Written in the dark.");
    // Session start, prompt, tool use, stop and session end.
    let waiting = spooled(&story.sandbox);
    assert!(waiting >= 5, "{waiting} events wait on disk");

    drop(away);
    story.sandbox.start_daemon();
    let after = story.settle();
    assert_eq!(spooled(&story.sandbox), 0);
    let count = |status: &Value| status["stored"].as_u64().unwrap();
    assert_eq!(count(&after) - count(&before), waiting, "each once: {before} {after}");
    assert_contains(&files_found(&story.search("dark_wave", &[])), &["dark_wave.rs"]);
}
