use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use afterword_testkit::{Sandbox, setting};

use super::*;

/// Callers at a time.
const CALLERS: usize = 4;

/// What one run did.
#[derive(Debug)]
struct Run {
    kills: usize,
    events: usize,
    stored: u64,
    /// What hooks said was lost, or may have been.
    told: u64,
    starts: usize,
    duplicates: u64,
    seconds: u64,
}

/// Numbers that look random and are the same in every run with one seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// Callers send events without a pause while the daemon is killed at random moments.
fn kill_under_load(kills: usize, seed: u64) -> Run {
    let sandbox = Sandbox::new(BIN);
    let begun = Instant::now();
    let (over, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (mut dice, mut killed) = (Dice(seed | 1), 0);
    std::thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    send(&sandbox, sent.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
        while killed < kills {
            // Sometimes a person, mostly the next hook brings it back; the brake slows only hooks.
            if dice.roll(4) == 0 || sandbox.daemon_pid().is_none() {
                drop(sandbox.afterword(&["daemon", "start"]));
            }
            let pid = eventually("a daemon to kill", DEADLINE, || sandbox.daemon_pid());
            // Any moment of the next few events: the wait is for what is sent, not for time.
            let until = sent.load(Ordering::Relaxed) + usize::try_from(dice.roll(12)).unwrap();
            eventually("more events", DEADLINE, || {
                (sent.load(Ordering::Relaxed) >= until).then_some(())
            });
            if dice.roll(8) == 0 {
                signal(pid, Signal::STOP);
            }
            killed += usize::from(sandbox.kill_daemon());
        }
        over.store(true, Ordering::Relaxed);
    });
    drop(sandbox.afterword(&["daemon", "start"]).success());
    let events = sent.into_inner();
    let status = crate::remember::settle(&sandbox);
    crate::durability::assert_adds_up(&status);
    let count = |name: &str| status[name].as_u64().unwrap();
    let (stored, duplicates) = (count("stored"), count("duplicates"));
    assert_eq!((spooled(&sandbox), count("parked"), count("spool_bad")), (0, 0, 0), "{status}");
    let told = told_as_lost(&sandbox);
    // Nothing twice, and nothing lost without a word.
    assert!(
        stored <= events as u64 && stored + told >= events as u64,
        "{events}, {told}: {status}"
    );
    let doctor = sandbox.afterword(&["doctor", "--json"]).json();
    assert!(!doctor.to_string().contains("damaged"), "{doctor}");
    Run {
        kills,
        events,
        stored,
        told,
        starts: starts(&sandbox),
        duplicates,
        seconds: begun.elapsed().as_secs(),
    }
}

#[test]
fn killed_at_random_points_under_load_it_loses_nothing_and_keeps_nothing_twice() {
    let run = kill_under_load(40, 0x5eed);
    assert_eq!(run.stored, run.events as u64, "{run:?}");
    assert!(run.starts > run.kills / 2, "{run:?}");
}

/// Goes on for minutes, so only where `cargo xtask soak` asks for it; it says what the settings mean.
#[test]
#[expect(clippy::print_stdout, reason = "a long run tells what it did")]
fn soak() {
    let Some(kills) = setting("SOAK_KILLS") else { return };
    let rounds = setting("SOAK_ROUNDS").unwrap_or(1);
    let seed = setting("SOAK_SEED").unwrap_or(1);
    for round in 0..rounds {
        let run = kill_under_load(usize::try_from(kills).unwrap(), seed + round);
        println!(
            "round {round}, seed {}: {} kills, {} starts, {} events in, {} out, {} told as lost, \
             {} sent twice and kept once, {} s",
            seed + round,
            run.kills,
            run.starts,
            run.events,
            run.stored,
            run.told,
            run.duplicates,
            run.seconds
        );
    }
}
