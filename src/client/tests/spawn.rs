use std::sync::atomic::{AtomicUsize, Ordering};

use afterword_domain::Time;
use afterword_domain::time::FixedClock;

use super::*;
use crate::folder::brake::{FAILED_PAUSE_MS, FORGOTTEN_MS, LONGEST_PAUSE_MS};

const NOW: i64 = 1_796_000_000_000;

fn at(ms: i64) -> FixedClock {
    FixedClock(Time::from_millis(NOW + ms))
}

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("made/home"));
    (folder, home)
}

/// A program that exists everywhere tests run and ends at once, whatever its arguments.
#[cfg(unix)]
const ENDS_AT_ONCE: &str = "/bin/true";
#[cfg(windows)]
const ENDS_AT_ONCE: &str = "C:\\Windows\\System32\\where.exe";

fn attempt(home: &Home, ms: i64) -> &'static str {
    match try_start(Path::new(ENDS_AT_ONCE), home, &at(ms)).unwrap() {
        Attempt::Started(mut child) => {
            child.wait().unwrap();
            "started"
        }
        Attempt::Underway(_) => "underway",
        Attempt::Braked => "braked",
    }
}

#[test]
fn a13_a_daemon_that_keeps_dying_is_tried_less_and_less() {
    let (_folder, home) = home();
    let mut starts = Vec::new();
    for ms in (0..300_000).step_by(500) {
        if attempt(&home, ms) == "started" {
            starts.push(ms);
        }
    }
    let pauses: Vec<i64> = starts.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(&pauses[..6], &[1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
    assert!(pauses[6..].iter().all(|p| *p == LONGEST_PAUSE_MS), "{pauses:?}");
}

#[test]
fn a13_nobody_waits_for_a_start_that_was_seen_to_fail() {
    let (_folder, home) = home();
    assert_eq!(attempt(&home, 0), "started");
    assert_eq!(attempt(&home, 500), "underway");
    mark_failed(&home).unwrap();
    assert_eq!(attempt(&home, 500), "braked");
    assert_eq!(attempt(&home, FAILED_PAUSE_MS), "started");
}

#[test]
fn s1_a_daemon_that_came_up_clears_the_count() {
    let (_folder, home) = home();
    for ms in [0, 1_000, 3_000] {
        assert_eq!(attempt(&home, ms), "started");
    }
    brake::mark_up(&home, at(3_050).now()).unwrap();
    // It has gone again: asked to, or not.
    assert_eq!(attempt(&home, 3_100), "started");
    brake::clear(&home).unwrap();
    assert_eq!(attempt(&home, 3_101), "started");
    // Whoever waited in vain for it says so too late.
    brake::mark_up(&home, at(3_150).now()).unwrap();
    mark_failed(&home).unwrap();
    assert_eq!(attempt(&home, 3_200), "started");
}

#[test]
fn whoever_waits_is_told_for_which_process() {
    let (_folder, home) = home();
    let exe = Path::new(ENDS_AT_ONCE);
    let Attempt::Started(mut child) = try_start(exe, &home, &at(0)).unwrap() else { panic!() };
    let Attempt::Underway(pid) = try_start(exe, &home, &at(1)).unwrap() else { panic!() };
    assert_eq!(pid, Some(child.id()));
    child.wait().unwrap();
}

#[test]
fn old_attempts_and_clocks_that_went_back_brake_nobody() {
    let (_folder, home) = home();
    assert_eq!(attempt(&home, 0), "started");
    assert_eq!(attempt(&home, -1), "started");
    mark_failed(&home).unwrap();
    assert_eq!(attempt(&home, FORGOTTEN_MS), "started");
    std::fs::write(home.folder().join("daemon.starting"), [0xff, 0xfe]).unwrap();
    assert_eq!(attempt(&home, FORGOTTEN_MS + 1), "started");
}

#[test]
fn of_fifty_at_once_one_starts() {
    let (_folder, home) = home();
    let started = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                if attempt(&home, 0) == "started" {
                    started.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(started.into_inner(), 1);
}

#[cfg(unix)]
#[test]
fn the_daemon_is_started_detached_in_its_own_folder() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, home) = home();
    let exe = folder.path().join("fake daemon");
    let script = "#!/bin/sh\n\
        { echo \"$@\"; echo \"$AFTERWORD_HOME\"; pwd -P; readlink /proc/$$/fd/0; \
        [ \"$(ps -o pgid= -p $$ | tr -d ' ')\" = $$ ] && echo leader; } > seen.tmp\n\
        mv seen.tmp seen\n";
    std::fs::write(&exe, script).unwrap();
    std::fs::set_permissions(&exe, std::fs::Permissions::from_mode(0o700)).unwrap();
    start(&exe, &home).unwrap().wait().unwrap();
    let seen = std::fs::read_to_string(home.folder().join("seen")).unwrap();
    let lines: Vec<&str> = seen.lines().collect();
    assert_eq!(lines[0], "daemon run --detached");
    assert_eq!(Path::new(lines[1]), home.folder());
    assert_eq!(Path::new(lines[2]), home.folder().canonicalize().unwrap());
    assert_eq!(lines[3], "/dev/null");
    let mode = std::fs::metadata(home.folder()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}
