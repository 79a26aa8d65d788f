//! Handing an event over: to the daemon, else to the spool.

use std::time::{Duration, Instant};

use afterword_domain::Clock;
use afterword_domain::event::Event;
use afterword_domain::reply::Reply;
use afterword_domain::wire::daemon::ErrorBody;
use afterword_domain::wire::events::EventAnswer;
use afterword_domain::wire::spool::LOST;

use super::{health, log, spool};
use crate::client::{
    Answer, Client, Unreachable, ensure_running, own_binary, replace_outdated, spawn,
};
use crate::config::Home;

/// How long the daemon may take for an event that is only to be kept.
const CAPTURE: Duration = Duration::from_millis(150);

/// When a capture hook stops waiting for anything, counted from its start; writing the spool file
/// comes after it, inside the 300 ms that are promised.
const CAPTURE_TOTAL: Duration = Duration::from_millis(270);

/// How long the first try at a session's start may take before the daemon counts as stuck.
const FIRST_TRY: Duration = Duration::from_millis(900);

/// When a session's start stops waiting, counted from the hook's start; 2 s are promised.
const START_TOTAL: Duration = Duration::from_millis(1_800);

/// Least time that a call gets, however late it is.
const LEAST: Duration = Duration::from_millis(10);

/// Most bytes of a reply.
const ANSWER: usize = 1 << 20;

/// Pause before asking a daemon again that is still draining the spool.
const DRAINING_PAUSE: Duration = Duration::from_millis(20);

/// The code of a daemon that takes no events until it has drained the spool.
const DRAINING: &str = "draining";

/// Until when a hook may wait.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    until: Instant,
    first: Duration,
    waits_for_daemon: bool,
}

impl Budget {
    /// The budget of a hook that began at `started`; only a session's start may wait for a daemon
    /// to come up.
    pub fn new(started: Instant, session_start: bool) -> Self {
        let (total, first) =
            if session_start { (START_TOTAL, FIRST_TRY) } else { (CAPTURE_TOTAL, CAPTURE) };
        Self { until: started + total, first, waits_for_daemon: session_start }
    }

    fn left(self) -> Duration {
        self.until.saturating_duration_since(Instant::now()).max(LEAST)
    }

    fn passed(self) -> bool {
        Instant::now() >= self.until
    }
}

/// What is asked of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Keep the event and say what to print.
    Both,
    /// Keep the event.
    StoreOnly,
    /// Say what to print, and forget the event.
    ReplyOnly,
}

/// What a reply to a prompt is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The block of a session's start, where this is its first prompt.
    pub block: bool,
    /// Memories.
    pub memories: bool,
}

impl Wish {
    fn path(self, asked: Asked) -> String {
        let roles = match self {
            Self::Both => &[][..],
            Self::StoreOnly => return "/api/events?reply=false".to_owned(),
            Self::ReplyOnly => &["store=false"],
        };
        let block = asked.block.then_some("block=true");
        let memories = (!asked.memories).then_some("memories=false");
        let words: Vec<&str> = roles.iter().copied().chain(block).chain(memories).collect();
        if words.is_empty() {
            "/api/events".to_owned()
        } else {
            format!("/api/events?{}", words.join("&"))
        }
    }
}

/// One event's way out of the hook.
#[derive(Debug)]
pub struct Delivery<'a> {
    /// The data folder.
    pub home: &'a Home,
    /// The time, for the log and for the brake on starts.
    pub clock: &'a dyn Clock,
    /// What the hook is doing, for the log.
    pub doing: String,
    /// Until when it may wait.
    pub budget: Budget,
    /// What is asked of the daemon.
    pub wish: Wish,
    /// What a reply to a prompt is to hold.
    pub asked: Asked,
    /// Whether the event goes to the spool when the daemon does not take it.
    pub spools: bool,
    /// Whether the person is told when something is wrong that no daemon can say.
    pub speaks: bool,
}

/// Why the daemon did not take an event.
enum Refused {
    /// It is busy with the spool: the event must go behind what is there.
    Draining,
    /// It answered with an error.
    Status(u16),
    /// It did not answer as it should.
    Unreachable(Unreachable),
}

impl Delivery<'_> {
    /// Delivers; when this returns, the event is on disk unless the log says otherwise.
    pub fn deliver(&self, event: &Event, bytes: &[u8]) -> Reply {
        let refused = match self.try_deliver(bytes) {
            Ok(answer) => return answer.reply,
            Err(refused) => refused,
        };
        // On disk first: whatever comes now may take its time.
        let mut lost = None;
        if self.spools
            && let Err(e) = spool::write(self.home, event, bytes)
        {
            let why = format!("the spool cannot be written: {}", e.kind());
            self.note(&format!("{LOST}, {why}"));
            lost = Some(health::lost(&why));
        }
        match refused {
            Refused::Draining => {}
            Refused::Status(status) => self.note(&format!("the daemon answered {status}")),
            Refused::Unreachable(why) => {
                self.note(&why.to_string());
                match why {
                    // One that is older gives way to this release; a newer one stays.
                    Unreachable::Protocol { .. } => self.replace_outdated(),
                    // A session's start has tried already.
                    _ if self.budget.waits_for_daemon => {}
                    _ => self.start(),
                }
            }
        }
        let line = || lost.or_else(|| health::line(self.home, self.clock));
        let notice = if self.speaks { line() } else { None };
        match notice {
            Some(_) => Reply::Context { text: String::new(), notice },
            None => Reply::None,
        }
    }

    fn try_deliver(&self, bytes: &[u8]) -> Result<EventAnswer, Refused> {
        let first = self.budget.first.min(self.budget.left());
        let found = Client::find(self.home, first);
        let posted = found.as_ref().map_err(Clone::clone).and_then(|c| self.post(c, bytes));
        let answer = match posted {
            Ok(answer) => {
                // The older release has answered; the next call may meet this one.
                if self.budget.waits_for_daemon && found.is_ok_and(|c| c.is_outdated()) {
                    self.replace_outdated();
                }
                answer
            }
            Err(e) if !self.budget.waits_for_daemon => return Err(Refused::Unreachable(e)),
            Err(_) => {
                let ready = ensure_running(
                    self.home,
                    &own_binary(self.home),
                    self.clock,
                    self.budget.left(),
                )
                .map_err(Refused::Unreachable)?;
                let client = ready.client.with_budget(self.budget.left());
                self.post(&client, bytes).map_err(Refused::Unreachable)?
            }
        };
        match understand(&answer) {
            Err(Refused::Draining) if self.budget.waits_for_daemon => self.after_draining(bytes),
            other => other,
        }
    }

    /// A session that starts right after a daemon waits for the spool, to be given what was in it.
    fn after_draining(&self, bytes: &[u8]) -> Result<EventAnswer, Refused> {
        while !self.budget.passed() {
            std::thread::sleep(DRAINING_PAUSE.min(self.budget.left()));
            let answer = Client::find(self.home, self.budget.left())
                .and_then(|client| self.post(&client, bytes))
                .map_err(Refused::Unreachable)?;
            match understand(&answer) {
                Err(Refused::Draining) => {}
                other => return other,
            }
        }
        Err(Refused::Draining)
    }

    fn post(&self, client: &Client, bytes: &[u8]) -> Result<Answer, Unreachable> {
        let client = client.clone().with_answer_limit(ANSWER);
        client.request("POST", &self.wish.path(self.asked), Some(bytes))
    }

    fn start(&self) {
        if let Err(e) = spawn::try_start(&own_binary(self.home), self.home, self.clock) {
            self.note(&format!("the daemon cannot be started: {}", e.kind()));
        }
    }

    fn replace_outdated(&self) {
        let exe = own_binary(self.home);
        match replace_outdated(self.home, &exe, self.clock, self.budget.left()) {
            Ok(false) => {}
            Ok(true) => self.note("an older daemon was asked to give way to this release"),
            Err(e) => self.note(&format!("the older daemon stays: {e}")),
        }
    }

    fn note(&self, trouble: &str) {
        log::note(self.home, self.clock, &self.doing, trouble);
    }
}

fn understand(answer: &Answer) -> Result<EventAnswer, Refused> {
    match answer.status {
        200..300 => serde_json::from_slice(&answer.body).map_err(|_| {
            Refused::Unreachable(Unreachable::Foreign("its answer cannot be read".to_owned()))
        }),
        503 if serde_json::from_slice::<ErrorBody>(&answer.body)
            .is_ok_and(|body| body.code == DRAINING) =>
        {
            Err(Refused::Draining)
        }
        status => Err(Refused::Status(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_stands_in_the_path() {
        let usual = Asked { block: false, memories: true };
        assert_eq!(Wish::Both.path(usual), "/api/events");
        assert_eq!(Wish::ReplyOnly.path(usual), "/api/events?store=false");
        let first = Asked { block: true, memories: false };
        assert_eq!(Wish::Both.path(first), "/api/events?block=true&memories=false");
        assert_eq!(Wish::StoreOnly.path(first), "/api/events?reply=false");
        let last = Wish::ReplyOnly.path(Asked { block: true, memories: true });
        assert_eq!(last, "/api/events?store=false&block=true");
    }
}
