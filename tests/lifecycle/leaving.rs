use std::io::Read;
use std::net::TcpListener;

use afterword_testkit::{Payload, Sandbox};

use super::*;

#[test]
fn b4_asked_to_end_it_is_gone_in_time_whoever_still_listens_or_is_half_done() {
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    for n in 0..5 {
        send(&sandbox, n);
    }
    let (port, token) = (sandbox.endpoint().unwrap().port, token(&sandbox));
    let head = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
    let mut watcher = say(port, &format!("GET /stream HTTP/1.1\r\n{head}\r\n"));
    let mut first = [0_u8; 1024];
    assert!(watcher.read(&mut first).unwrap() > 0);
    let _half_a_head = say(port, "POST /api/events HTTP/1.1\r\nHost: 127.0");
    let _half_a_body = say(
        port,
        &format!("POST /api/events HTTP/1.1\r\n{head}Content-Length: 500\r\n\r\n{{\"a\""),
    );
    let _silent = say(port, "");
    signal(pid, Signal::TERM);
    wait_for_end("the end of a daemon that was asked to", pid, Duration::from_secs(5));
    drop(TcpListener::bind(("127.0.0.1", port)).unwrap());
    assert!(!sandbox.data().join("daemon.json").exists());
    let log = fs::metadata(sandbox.data().join("afterword.db-wal"));
    assert!(log.map_or(0, |m| m.len()) == 0, "the database is whole in its file");
    #[cfg(target_os = "linux")]
    assert_eq!(processes(&sandbox).len(), 0);
    // Live events end with the server, not with the patience of the watcher.
    let mut rest = Vec::new();
    watcher.read_to_end(&mut rest).unwrap();
    account(&sandbox, 5);
}

#[test]
fn b9_whatever_fails_on_the_way_out_the_rest_is_done() {
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    for n in 0..5 {
        send(&sandbox, n);
    }
    let endpoint = sandbox.endpoint().unwrap();
    // Callers that keep the server from closing in peace.
    let head = format!(
        "Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n",
        endpoint.port,
        token(&sandbox)
    );
    let body = format!("POST /api/events HTTP/1.1\r\n{head}Content-Length: 500\r\n\r\n{{\"a\"");
    let _half_done: Vec<_> = (0..3).map(|_| say(endpoint.port, &body)).collect();
    // Neither the address nor the record of starts can be taken away, nor anything be logged.
    for name in ["daemon.json", "daemon.starting", "logs/daemon.log"] {
        let path = sandbox.data().join(name);
        fs::remove_file(&path).unwrap();
        fs::create_dir_all(path.join("in the way")).unwrap();
    }
    signal(pid, Signal::TERM);
    wait_for_end("the end of a daemon whose way out is blocked", pid, Duration::from_secs(5));
    let log = fs::metadata(sandbox.data().join("afterword.db-wal"));
    assert!(log.map_or(0, |m| m.len()) == 0, "the database is whole in its file");
    drop(sandbox.keep_daemon_away());
    drop(TcpListener::bind(("127.0.0.1", endpoint.port)).unwrap());
    for name in ["daemon.json", "daemon.starting", "logs/daemon.log"] {
        fs::remove_dir_all(sandbox.data().join(name)).unwrap();
    }
    sandbox.start_daemon();
    account(&sandbox, 5);
}

#[test]
fn slow_callers_are_cut_off_and_hold_nobody_up() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let (port, token) = (sandbox.endpoint().unwrap().port, token(&sandbox));
    let body = format!(
        "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: 500\r\n\r\n{{\"a\""
    );
    let mut slow = vec![say(port, "GET /health HTTP/1.1\r\nHost: 127."), say(port, &body)];
    // Callers that never say anything.
    slow.extend((0..50).map(|_| say(port, "")));
    let mut answers = Vec::new();
    for stream in &mut slow {
        let mut answer = Vec::new();
        // However a connection is cut off, the read ends.
        drop(stream.read_to_end(&mut answer));
        answers.push(String::from_utf8_lossy(&answer).into_owned());
    }
    assert!(answers[1].starts_with("HTTP/1.1 408 "), "{}", answers[1]);
    send(&sandbox, 1);
    account(&sandbox, 1);
}

#[test]
fn a_clean_stop_is_no_failed_start() {
    let sandbox = Sandbox::new(BIN);
    drop(sandbox.afterword(&["remember", "the vault opens at nine"]).success());
    for n in 0..6 {
        drop(sandbox.afterword(&["daemon", "stop"]).success());
        assert!(sandbox.endpoint().is_none());
        let start = Payload::session_start("startup").session(&format!("session-{n}"));
        let given = sandbox.send(&start).success().stdout;
        assert!(given.contains("vault"), "round {n}: {given}");
    }
    assert_eq!(starts(&sandbox), 7);
    account(&sandbox, 6);
}

#[test]
fn b2_a_daemon_that_is_leaving_is_waited_for_by_the_next() {
    let sandbox = Sandbox::new(BIN);
    let pid = sandbox.start_daemon();
    // Half a request makes it use the whole time that it has for leaving.
    let _half = say(sandbox.endpoint().unwrap().port, "GET /health HTTP/1.1\r\nHost: 127.");
    signal(pid, Signal::TERM);
    drop(sandbox.afterword(&["daemon", "start"]).success());
    assert_ne!(sandbox.wait_for_daemon(), pid);
}

#[test]
fn a_relative_data_folder_is_one_folder_for_hook_and_daemon() {
    let sandbox = Sandbox::new(BIN);
    let run = |args: &[&str], stdin: &[u8]| {
        let mut command = sandbox.command(sandbox.binary());
        command.args(args).env("AFTERWORD_HOME", "memory");
        sandbox.run(command, stdin).success()
    };
    let payload = serde_json::to_vec(&edit(1).json(sandbox.project())).unwrap();
    drop(run(&["hook", "claude-code", "post-tool-use"], &payload));
    let status = run(&["status", "--json"], b"").json();
    assert_eq!((&status["stored"], &status["spooled"]), (&1.into(), &0.into()), "{status}");
    drop(run(&["daemon", "stop"], b""));
    let memory = sandbox.project().join("memory");
    assert!(memory.join("afterword.db").exists());
    assert!(!memory.join("memory").exists() && !sandbox.data().exists());
}

#[test]
fn without_a_data_folder_hooks_do_nothing_and_commands_say_what_to_set() {
    let sandbox = Sandbox::new(BIN);
    let here = sandbox.root().join("nowhere");
    fs::create_dir(&here).unwrap();
    let homeless = |args: &[&str], stdin: &[u8]| {
        let mut command = sandbox.command(sandbox.binary());
        command.args(args).env_remove("HOME").env_remove("AFTERWORD_HOME").current_dir(&here);
        sandbox.run(command, stdin)
    };
    let payload = serde_json::to_vec(&edit(1).json(&here)).unwrap();
    let hook = homeless(&["hook", "claude-code", "post-tool-use"], &payload).success();
    assert_eq!((hook.stdout.as_str(), hook.stderr.as_str()), ("", ""));
    let status = homeless(&["status"], b"");
    assert_eq!(status.code, Some(3));
    assert!(status.stderr.contains("set HOME, or AFTERWORD_HOME"), "{}", status.stderr);
    drop(homeless(&["--help"], b"").success());
    assert_eq!(fs::read_dir(&here).unwrap().count(), 0);
}
