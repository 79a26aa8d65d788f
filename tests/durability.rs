//! Nothing lost, nothing twice, every event accounted for.

use std::fs;

use afterword_testkit::{Outcome, Payload, Sandbox};
use serde_json::Value;

use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

pub(crate) fn assert_adds_up(status: &Value) {
    let n = |name: &str| status[name].as_u64().unwrap();
    assert_eq!(n("received"), n("spooled") + n("stored"), "{status}");
    assert_eq!(n("stored"), n("distilled") + n("waiting") + n("parked"), "{status}");
}

#[test]
fn g1_the_same_event_ten_times_at_once_is_one_row() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let payload = Payload::bash("cargo build", &Outcome::ok("done")).session("s").tool_use_id("t1");
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| sandbox.send(&payload).success());
        }
    });
    let status = settle(&sandbox);
    assert_adds_up(&status);
    assert_eq!(status["stored"], 1);
    assert_eq!(status["duplicates"], 9);
}

#[test]
fn events_wait_in_the_spool_and_come_in_once_and_in_order() {
    let sandbox = Sandbox::new(BIN);
    let lock = sandbox.keep_daemon_away();
    let send = |payload: Payload| sandbox.send(&payload.session("s")).success();
    send(Payload::prompt("First prompt of the lonely session"));
    send(Payload::edit("src/one.rs", "a", "b"));
    send(Payload::prompt("Second prompt of the lonely session"));
    send(Payload::edit("src/two.rs", "a", "b"));
    let spool = sandbox.data().join("spool");
    let waiting = fs::read_dir(&spool).unwrap().count();
    assert!(waiting >= 4, "only {waiting} files in the spool");
    drop(lock);
    sandbox.start_daemon();
    let status = settle(&sandbox);
    assert_adds_up(&status);
    assert_eq!(status["stored"], 4);
    let left = fs::read_dir(&spool).unwrap().filter(|e| e.as_ref().unwrap().path().is_file());
    assert_eq!(left.count(), 0, "the spool is empty");
    let prompts = sandbox.afterword(&["search", "", "--kind", "prompt", "--json"]).success().json();
    let titles: Vec<&str> = prompts["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["title"].as_str().unwrap())
        .collect();
    assert!(titles[0].starts_with("Second") && titles[1].starts_with("First"), "{titles:?}");
}

#[test]
fn a_torn_spool_file_is_set_aside_and_stops_nothing() {
    let sandbox = Sandbox::new(BIN);
    let lock = sandbox.keep_daemon_away();
    sandbox.send(&Payload::edit("src/kept.rs", "a", "b").session("s")).success();
    fs::write(sandbox.data().join("spool/000000000000001-torn.event.json"), "{\"uid\": \"")
        .unwrap();
    drop(lock);
    sandbox.start_daemon();
    let status = settle(&sandbox);
    assert_eq!((&status["stored"], &status["spool_bad"]), (&1.into(), &1.into()), "{status}");
    assert!(sandbox.data().join("spool/bad/000000000000001-torn.event.json").exists());
    let doctor = sandbox.afterword(&["doctor", "--json"]);
    assert_ne!(doctor.code, Some(0), "doctor says so");
}

#[test]
fn a_killed_daemon_loses_nothing() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let send = |n: usize| {
        let payload = Payload::edit(&format!("src/file_{n}.rs"), "a", "b");
        sandbox.send(&payload.session("s").tool_use_id(&format!("t{n}"))).success();
    };
    for round in 0..4 {
        for n in 0..5 {
            send(round * 5 + n);
        }
        sandbox.kill_daemon();
    }
    send(20);
    sandbox.start_daemon();
    let status = settle(&sandbox);
    assert_adds_up(&status);
    assert_eq!(status["stored"], 21, "{status}");
    let found = sandbox.afterword(&["search", "file_7", "--json"]).success().json();
    assert!(found["total"].as_u64() > Some(0), "{found}");
}

#[test]
fn fifty_hooks_on_a_cold_start_give_one_daemon() {
    let sandbox = Sandbox::new(BIN);
    std::thread::scope(|scope| {
        for n in 0..50 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let payload = Payload::edit("src/a.rs", "a", "b").session("s");
                sandbox.send(&payload.tool_use_id(&format!("t{n}"))).success();
            });
        }
    });
    sandbox.start_daemon();
    let status = settle(&sandbox);
    assert_adds_up(&status);
    assert_eq!(status["stored"], 50);
    let log = fs::read_to_string(sandbox.data().join("logs/daemon.log")).unwrap();
    assert_eq!(log.matches("ready").count(), 1, "{log}");
}

#[test]
fn i11_a_session_end_drops_no_work() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    for reason in ["clear", "logout", "prompt_input_exit", "other"] {
        for n in 0..10 {
            let payload = Payload::edit(&format!("src/{reason}_{n}.rs"), "a", "b");
            sandbox.send(&payload.session(reason).tool_use_id(&format!("{reason}{n}"))).success();
        }
        sandbox.send(&Payload::session_end(reason).session(reason)).success();
    }
    let status = settle(&sandbox);
    assert_adds_up(&status);
    assert_eq!((&status["stored"], &status["parked"]), (&44.into(), &0.into()), "{status}");
}
