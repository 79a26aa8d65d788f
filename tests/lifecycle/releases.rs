use afterword_testkit::{Payload, Sandbox};

use super::*;

fn session_start(sandbox: &Sandbox, id: &str) -> String {
    sandbox.send(&Payload::session_start("startup").session(id)).success().stdout
}

#[test]
fn s1_an_older_daemon_answers_once_more_and_gives_way_to_this_release() {
    let sandbox = Sandbox::new(BIN);
    let old = sandbox.start_daemon();
    drop(sandbox.afterword(&["remember", "the vault opens at nine"]).success());
    republish(&sandbox, |endpoint| endpoint.version = "0.0.1".to_owned());
    for n in 0..5 {
        send(&sandbox, n);
    }
    assert_eq!(sandbox.endpoint().unwrap().pid, old, "captures disturb nobody");
    assert!(session_start(&sandbox, "one").contains("vault"), "nothing is missing meanwhile");
    for n in 5..10 {
        send(&sandbox, n);
    }
    let new = sandbox.wait_for_daemon();
    assert_ne!(new, old);
    account(&sandbox, 11);
    assert_eq!((starts(&sandbox), sandbox.endpoint().unwrap().pid), (2, new));
}

#[test]
fn s1_a_command_puts_this_release_in_the_place_of_an_older_daemon() {
    let sandbox = Sandbox::new(BIN);
    let old = sandbox.start_daemon();
    republish(&sandbox, |endpoint| endpoint.version = "0.0.1".to_owned());
    send(&sandbox, 1);
    account(&sandbox, 1);
    assert_ne!(sandbox.wait_for_daemon(), old);
    assert_eq!(starts(&sandbox), 2);
}

/// Two releases on one folder: the older one finds a newer daemon, the newer one finds its own.
#[test]
fn s1_two_releases_in_turn_hand_over_once_and_lose_nothing() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let ours = sandbox.endpoint().unwrap().version;
    republish(&sandbox, |endpoint| endpoint.version = "0.0.1".to_owned());
    session_start(&sandbox, "the newer release comes");
    let pid = sandbox.wait_for_daemon();
    for n in 0..20 {
        let seen_by = if n % 2 == 0 { "9.9.9" } else { ours.as_str() };
        republish(&sandbox, |endpoint| endpoint.version = seen_by.to_owned());
        send(&sandbox, n);
        session_start(&sandbox, &format!("session-{n}"));
        assert_eq!(sandbox.wait_for_daemon(), pid, "{seen_by}");
    }
    account(&sandbox, 41);
    assert_eq!(starts(&sandbox), 2);
}

#[test]
fn s1_many_at_once_hand_over_once() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    republish(&sandbox, |endpoint| endpoint.version = "0.0.1".to_owned());
    std::thread::scope(|scope| {
        for n in 0..20 {
            let sandbox = &sandbox;
            scope.spawn(move || session_start(sandbox, &format!("session-{n}")));
        }
    });
    let pid = sandbox.wait_for_daemon();
    account(&sandbox, 20);
    assert_eq!((starts(&sandbox), sandbox.wait_for_daemon()), (2, pid));
}

#[test]
fn c6_a_daemon_of_a_newer_protocol_stays_and_events_wait_for_a_program_that_speaks_it() {
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    republish(&sandbox, |endpoint| endpoint.protocol = 101);
    send(&sandbox, 1);
    assert_eq!(session_start(&sandbox, "one"), "");
    assert_eq!(spooled(&sandbox), 2);
    let search = sandbox.afterword(&["search", "x"]);
    assert_eq!(search.code, Some(4));
    assert!(search.stderr.contains("protocol 101"), "{}", search.stderr);
    assert_eq!((starts(&sandbox), sandbox.endpoint().unwrap().pid), (1, pid));
    republish(&sandbox, |endpoint| endpoint.protocol = 1);
    account(&sandbox, 2);
}
