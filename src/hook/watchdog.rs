//! The end of a hook that cannot end itself.
//!
//! Every wait of a hook has a limit of its own. What has none is the system underneath: a file on a
//! dead network drive, a disk that does not answer, a pipe that nobody reads. The agent waits for
//! the hook, so the hook gives up in time whatever it is stuck in.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use afterword_domain::wire::spool::LOST;

use super::{log, platform};
use crate::config::{Home, SystemClock};

/// What any capture hook is promised to take at most.
const CAPTURE: Duration = Duration::from_millis(300);

/// What a session's start is promised to take at most.
const SESSION_START: Duration = Duration::from_secs(2);

/// What a hook may take whose event is ready: a slow disk is waited for, because giving up now
/// would lose the event. Waiting for the daemon is bounded without this.
const KEEPING: Duration = Duration::from_secs(1);

/// How long the line in the log may take, and one that tells of a loss.
const LAST_WORDS: Duration = Duration::from_millis(10);
const LAST_WORDS_OF_A_LOSS: Duration = Duration::from_millis(50);

/// Builds that are not optimised take their time.
pub(super) const SLOWNESS: u32 = if cfg!(debug_assertions) { 10 } else { 1 };

/// Ends this process, with success, when a hook has not ended in time.
#[derive(Clone, Debug)]
pub struct Watchdog(Arc<Watched>);

#[derive(Debug)]
struct Watched {
    started: Instant,
    /// Milliseconds from the start; it may grow while the hook runs.
    limit: AtomicU64,
    /// An event has begun to come and is not yet on disk.
    in_hand: AtomicBool,
    home: OnceLock<Home>,
}

impl Watchdog {
    /// Watches this process from now on. A system that gives no thread has no watchdog.
    pub fn start(session_start: bool) -> Self {
        let limit = if session_start { SESSION_START } else { CAPTURE };
        let dog = Self(Arc::new(Watched {
            started: Instant::now(),
            limit: AtomicU64::new(millis(limit)),
            in_hand: AtomicBool::new(false),
            home: OnceLock::new(),
        }));
        let watched = Arc::clone(&dog.0);
        let watch = move || {
            watched.wait();
            watched.end();
        };
        thread::Builder::new().name("watchdog".to_owned()).spawn(watch).ok();
        dog
    }

    /// Where to leave a line when it comes to that.
    pub fn knows(&self, home: &Home) {
        self.0.home.set(home.clone()).ok();
    }

    /// An event comes or is ready, and must get to the disk.
    pub fn keeping(&self) {
        self.0.in_hand.store(true, Ordering::Relaxed);
        self.0.limit.fetch_max(millis(KEEPING), Ordering::Relaxed);
    }
}

impl Watchdog {
    /// There is no event, or it is where it should be, as far as it could be brought there.
    pub fn settled(&self) {
        self.0.in_hand.store(false, Ordering::Relaxed);
    }
}

impl Watched {
    fn wait(&self) {
        // Asked only when time is up, which it hardly ever is.
        let mut crowding = None;
        loop {
            let limit = Duration::from_millis(self.limit.load(Ordering::Relaxed));
            if self.started.elapsed() >= limit && crowding.is_none() {
                crowding = Some(platform::crowding());
            }
            let limit = limit * crowding.unwrap_or(1);
            let left = limit.saturating_sub(self.started.elapsed());
            if left.is_zero() {
                return;
            }
            thread::sleep(left);
        }
    }

    #[expect(clippy::disallowed_methods, reason = "what hangs cannot be returned from")]
    fn end(&self) {
        if let Some(home) = self.home.get().cloned() {
            // The log may lie on what the hook is stuck in.
            let (written, done) = std::sync::mpsc::channel();
            let (what, patience) = if self.in_hand.load(Ordering::Relaxed) {
                let what = format!(
                    "{LOST} unless the daemon has it: the hook took too long and was ended"
                );
                (what, LAST_WORDS_OF_A_LOSS)
            } else {
                ("it took too long and was ended".to_owned(), LAST_WORDS)
            };
            thread::spawn(move || {
                log::note(&home, &SystemClock, "hook", &what);
                written.send(()).ok();
            });
            done.recv_timeout(patience * SLOWNESS).ok();
        }
        std::process::exit(0);
    }
}

fn millis(limit: Duration) -> u64 {
    u64::try_from((limit * SLOWNESS).as_millis()).expect("a few seconds")
}
