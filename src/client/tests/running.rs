use afterword_domain::Time;
use afterword_domain::time::FixedClock;

use super::super::fake::{PING, PROVER, SPOKEN, answer, home, listen, publish};
use super::*;

const CLOCK: FixedClock = FixedClock(Time::from_millis(1_796_000_000_000));

#[test]
fn a_daemon_that_answers_is_not_started_again() {
    let (_folder, home) = home();
    publish(&home, listen(PROVER, answer("200 OK", SPOKEN, PING)).0);
    let nothing = home.folder().join("nothing");
    let ready = ensure_running(&home, &nothing, &CLOCK, Duration::from_secs(10)).unwrap();
    assert!(!ready.started);
}

#[cfg(unix)]
#[test]
fn a13_a_daemon_that_dies_at_once_costs_one_wait_and_then_none() {
    let (folder, home) = home();
    let starts = folder.path().join("starts");
    let exe = script(folder.path(), &format!("echo x >> {}; exit 1", starts.display()));
    let budget = Duration::from_secs(30);
    for _ in 0..3 {
        // Far less than the budget: the end of the process is seen, then remembered.
        let error = ensure_running(&home, &exe, &CLOCK, budget).unwrap_err();
        assert_eq!(error, Unreachable::NotRunning);
    }
    assert_eq!(std::fs::read_to_string(starts).unwrap(), "x\n");
}

#[cfg(unix)]
#[test]
fn a_started_daemon_is_waited_for_until_it_answers() {
    let (folder, home) = home();
    let port = listen(PROVER, answer("200 OK", SPOKEN, PING)).0;
    publish(&home, port);
    let ready_file = folder.path().join("endpoint");
    std::fs::rename(home.endpoint_file(), &ready_file).unwrap();
    let exe = script(
        folder.path(),
        &format!("mv {} {}", ready_file.display(), home.endpoint_file().display()),
    );
    let ready = ensure_running(&home, &exe, &CLOCK, Duration::from_secs(30)).unwrap();
    assert!(ready.started);
    assert_eq!(ready.client.port(), port);
}

#[cfg(unix)]
fn script(folder: &Path, body: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let exe = folder.join("daemon.sh");
    std::fs::write(&exe, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&exe, std::fs::Permissions::from_mode(0o700)).unwrap();
    exe
}

#[cfg(unix)]
#[test]
fn s1_an_older_daemon_is_asked_once_to_leave_and_a_newer_one_never() {
    let (folder, home) = home();
    let starts = folder.path().join("starts");
    let exe = script(folder.path(), &format!("echo x >> {}", starts.display()));
    let (port, seen) = listen(PROVER, answer("200 OK", SPOKEN, PING));
    let budget = Duration::from_secs(10);
    for (version, leaves) in [("9.9.9", false), (env!("CARGO_PKG_VERSION"), false), ("0.0.1", true)]
    {
        publish(&home, port);
        let text = std::fs::read_to_string(home.endpoint_file()).unwrap();
        let text = text.replace("0.1.0", version);
        std::fs::write(home.endpoint_file(), text).unwrap();
        assert_eq!(replace_outdated(&home, &exe, &CLOCK, budget).unwrap(), leaves, "{version}");
        // A second caller at the same moment starts nothing more.
        assert!(!replace_outdated(&home, &exe, &CLOCK, budget).unwrap(), "{version}");
    }
    let asked: Vec<String> = seen.try_iter().filter(|r| r.starts_with("POST ")).collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
}
