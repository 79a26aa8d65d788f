//! Our own hooks for a remote service, against our own door.

use std::fs;

use afterword_testkit::{Payload, Sandbox};
use serde_json::{Value, json};

use super::{BIN, Server};
use crate::observer_door::Door;
use crate::remote::{ANSWERED, ASKED, delivered, given, home_of, log, silent, with_log};

#[test]
fn our_hooks_keep_their_memories_at_our_own_door() {
    let keeper = Sandbox::new(BIN);
    let server = Server::daemon(&keeper);
    let door = Door::open(&keeper);
    let kept = || -> Vec<Value> {
        let listed = door.post("/v3/memories/", &json!({"filters": {"user_id": "dev.one"}}));
        listed["results"].as_array().unwrap().clone()
    };

    let sandbox = home_of(&server.url, &server.key);
    assert_eq!(given(&sandbox), "", "nothing is known yet");
    let first = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
    silent(&sandbox, &with_log(Payload::stop(ANSWERED), &first));
    delivered(&sandbox);
    let summaries = kept();
    assert_eq!(summaries.len(), 1, "{summaries:?}");
    assert_eq!(summaries[0]["metadata"]["type"], "session_summary");
    assert!(summaries[0]["memory"].as_str().unwrap().contains("dead channel"));

    // The session goes on: the same memory says more.
    let last = format!("Now it is covered by a test as well. {ANSWERED}");
    silent(&sandbox, &with_log(Payload::stop(&last), &first));
    delivered(&sandbox);
    let again = kept();
    assert_eq!(again.len(), 1, "{again:?}");
    assert_eq!(again[0]["id"], summaries[0]["id"]);
    assert!(again[0]["memory"].as_str().unwrap().contains("covered by a test"));

    // What is compacted is kept beside it.
    silent(&sandbox, &with_log(Payload::pre_compact("auto"), &first));
    delivered(&sandbox);
    let types: Vec<Value> = kept().iter().map(|one| one["metadata"]["type"].clone()).collect();
    assert!(types.contains(&json!("compact_summary")), "{types:?}");

    // Another session of the same person is told what answers the two questions of its start.
    let decision = "Architecture decisions: the project uses PostgreSQL, its coding conventions \
                    are in STYLE.md.";
    door.post(
        "/v3/memories/add/",
        &json!({"messages": decision, "user_id": "dev.one", "infer": false}),
    );
    fs::create_dir_all(sandbox.data()).unwrap();
    fs::write(sandbox.data().join("config.toml"), "[remote]\nmin_score = 0.1\n").unwrap();
    let block = given(&sandbox);
    assert!(block.contains("the project uses PostgreSQL"), "{block}");
    assert!(sandbox.endpoint().is_none(), "no daemon of their own is started");
}
