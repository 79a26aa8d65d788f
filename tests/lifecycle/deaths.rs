use std::io::Write;
use std::process::Stdio;

use afterword_testkit::{Payload, Sandbox};

use super::*;

#[test]
fn c5_a_frozen_daemon_delays_nobody_for_long_and_loses_nothing() {
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    send(&sandbox, 0);
    freeze(pid);
    for n in 1..4 {
        send(&sandbox, n);
    }
    let start = Payload::session_start("startup").session("session-two");
    assert_eq!(sandbox.send(&start).success().stdout, "");
    assert_eq!(spooled(&sandbox), 4);
    let status = sandbox.afterword(&["daemon", "status", "--json"]).success().json();
    assert_eq!(status["reason"], "frozen", "{status}");
    signal(pid, Signal::CONT);
    // It also finds in its sockets what hooks had sent before they gave up: the same events.
    account(&sandbox, 5);
    assert_eq!((starts(&sandbox), sandbox.wait_for_daemon()), (1, pid));
}

#[cfg(target_os = "linux")]
#[test]
fn c5_a_frozen_daemon_is_replaced_when_a_person_says_so() {
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    send(&sandbox, 1);
    freeze(pid);
    send(&sandbox, 2);
    drop(sandbox.afterword(&["daemon", "restart"]).success());
    assert_ne!(sandbox.wait_for_daemon(), pid);
    account(&sandbox, 2);
    assert_eq!(processes(&sandbox).len(), 1);
}

/// A process id in a file is no reason to end the process.
#[cfg(target_os = "linux")]
#[test]
fn b5_only_the_process_that_holds_the_folder_is_ever_ended() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    let real = sandbox.endpoint().unwrap();
    let mut stranger = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    republish(&sandbox, |endpoint| {
        endpoint.port = listener.local_addr().unwrap().port();
        endpoint.pid = stranger.id();
    });
    let stop = sandbox.afterword(&["daemon", "stop"]);
    assert_eq!(stop.code, Some(4), "{}", stop.stdout);
    assert!(stranger.try_wait().unwrap().is_none());
    republish(&sandbox, |endpoint| *endpoint = real);
    assert_eq!(sandbox.wait_for_daemon(), pid);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn b1_killed_again_and_again_it_leaves_no_process_and_no_socket() {
    let sandbox = Sandbox::new(BIN);
    for n in 0..10 {
        sandbox.start_daemon();
        send(&sandbox, n);
        let port = sandbox.endpoint().unwrap().port;
        assert_eq!(processes(&sandbox).len(), 1);
        sandbox.kill_daemon();
        eventually("the end of its socket", DEADLINE, || {
            std::net::TcpStream::connect(("127.0.0.1", port)).is_err().then_some(())
        });
    }
    eventually("the end of every process", DEADLINE, || {
        processes(&sandbox).is_empty().then_some(())
    });
    account(&sandbox, 10);
}

#[test]
fn b8_after_an_end_of_any_kind_the_next_hook_brings_a_daemon_back() {
    let sandbox = Sandbox::new(BIN);
    let mut last = sandbox.start_daemon();
    for (n, how) in [Signal::TERM, Signal::KILL, Signal::ABORT, Signal::INT].into_iter().enumerate()
    {
        signal(last, how);
        wait_for_end("its end", last, DEADLINE);
        send(&sandbox, n);
        let pid = sandbox.wait_for_daemon();
        assert_ne!(pid, last);
        last = pid;
    }
    account(&sandbox, 4);
}

#[test]
fn an_address_that_somebody_deletes_is_published_again() {
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    fs::remove_file(sandbox.data().join("daemon.json")).unwrap();
    send(&sandbox, 1);
    assert_eq!(sandbox.wait_for_daemon(), pid, "the same one");
    account(&sandbox, 1);
    fs::remove_file(sandbox.data().join("daemon.json")).unwrap();
    drop(sandbox.afterword(&["daemon", "stop"]).success());
    wait_for_end("the end of a daemon without an address", pid, DEADLINE);
}

/// The agent goes on calling a program that an upgrade has taken away under it.
#[cfg(target_os = "linux")]
#[test]
fn s2_a_hook_whose_program_is_deleted_starts_the_stable_copy() {
    let sandbox = Sandbox::new(BIN);
    let stable = sandbox.data().join("bin/afterword");
    let program = sandbox.root().join("afterword-of-last-week");
    fs::create_dir_all(stable.parent().unwrap()).unwrap();
    for copy in [&stable, &program] {
        fs::copy(BIN, copy).unwrap();
    }
    let mut hook = sandbox
        .command(&program)
        .args(["hook", "claude-code", "post-tool-use"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    fs::remove_file(&program).unwrap();
    let payload = serde_json::to_vec(&edit(1).json(sandbox.project())).unwrap();
    hook.stdin.take().unwrap().write_all(&payload).unwrap();
    let ended = hook.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stdout.is_empty() && ended.stderr.is_empty());
    let pid = sandbox.wait_for_daemon();
    assert_eq!(fs::read_link(format!("/proc/{pid}/exe")).unwrap(), stable);
    account(&sandbox, 1);
}

#[cfg(target_os = "linux")]
#[test]
fn s2_a_daemon_whose_program_is_replaced_or_deleted_goes_on() {
    let sandbox = Sandbox::new(BIN);
    let program = sandbox.data().join("bin/afterword");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::copy(BIN, &program).unwrap();
    let mut start = sandbox.command(&program);
    start.args(["daemon", "start"]);
    drop(sandbox.run(start, b"").success());
    let pid = sandbox.wait_for_daemon();
    fs::remove_file(&program).unwrap();
    send(&sandbox, 1);
    fs::copy(BIN, &program).unwrap();
    send(&sandbox, 2);
    assert_eq!(sandbox.wait_for_daemon(), pid);
    account(&sandbox, 2);
}
