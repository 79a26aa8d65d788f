//! A daemon that answers: found, started, or put in the place of an older one.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use afterword_domain::Clock;
use afterword_domain::wire::PROTOCOL;

use super::door::Client;
use super::endpoint::Unreachable;
use super::platform;
use super::spawn::{self, Attempt};
use crate::config::Home;

/// How long one liveness question may take while waiting for a daemon.
const PING_BUDGET: Duration = Duration::from_millis(500);

/// A daemon that answered just now, and whether this call started it.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The daemon.
    pub client: Client,
    /// This call started it.
    pub started: bool,
}

/// Finds a daemon that answers, or starts one and waits until it does, all within `budget`.
///
/// Waits grow from 2 to 50 ms. An attempt that was just made by another process is waited for as
/// long as that process lives; one that is known to have failed is not. A daemon of an older
/// release is asked to leave first. The client's calls get `budget` each.
pub fn ensure_running(
    home: &Home,
    exe: &Path,
    clock: &dyn Clock,
    budget: Duration,
) -> Result<Ready, Unreachable> {
    let deadline = Instant::now() + budget;
    let first = match current(home, deadline) {
        Ok(client) => return Ok(Ready { client: client.with_budget(budget), started: false }),
        Err(e) if !startable(&e) => return Err(e),
        Err(e) => e,
    };
    let wait = match spawn::try_start(exe, home, clock) {
        Ok(Attempt::Started(child)) => Wait::Ours(child),
        Ok(Attempt::Underway(pid)) => Wait::Theirs(pid),
        Ok(Attempt::Braked) | Err(_) => return Err(first),
    };
    let started = matches!(wait, Wait::Ours(_));
    if let Some(client) = wait_for(home, wait, deadline) {
        return Ok(Ready { client: client.with_budget(budget), started });
    }
    if started {
        // Without the mark the next call only waits once more.
        spawn::mark_failed(home).ok();
    }
    Err(first)
}

/// As [`ensure_running`] for a person who waits: a start is tried whatever earlier attempts gave.
pub fn start_now(home: &Home, exe: &Path, budget: Duration) -> Result<Ready, Unreachable> {
    let deadline = Instant::now() + budget;
    let first = match current(home, deadline) {
        Ok(client) => return Ok(Ready { client: client.with_budget(budget), started: false }),
        Err(e) if !startable(&e) => return Err(e),
        Err(e) => e,
    };
    let Ok(child) = spawn::start(exe, home) else { return Err(first) };
    match wait_for(home, Wait::Ours(child), deadline) {
        Some(client) => Ok(Ready { client: client.with_budget(budget), started: true }),
        None => Err(first),
    }
}

/// Puts this release's daemon in the place of an older one; does nothing where none runs.
///
/// Waits for neither: the older daemon finishes what it has, the new one waits for the folder.
/// A newer daemon is never replaced, and none is where starting has just failed. Says whether an
/// older daemon was asked to leave.
pub fn replace_outdated(
    home: &Home,
    exe: &Path,
    clock: &dyn Clock,
    budget: Duration,
) -> Result<bool, Unreachable> {
    let client = Client::find_any(home, budget)?;
    if !client.is_outdated() || !spawn::is_due(home, clock) {
        return Ok(false);
    }
    client.ask_to_leave()?;
    // Where another process is at it already, or starting fails, the next event sees to it.
    spawn::try_start(exe, home, clock).ok();
    Ok(true)
}

/// Whether starting a daemon may help; a newer one that speaks another protocol stays.
fn startable(why: &Unreachable) -> bool {
    !matches!(why, Unreachable::Protocol { theirs } if *theirs > PROTOCOL)
}

/// A daemon that answers and is not to be replaced. One that is has been asked to leave.
fn current(home: &Home, deadline: Instant) -> Result<Client, Unreachable> {
    let found = Client::find_any(home, until(deadline));
    if let Ok(client) = &found
        && client.is_outdated()
    {
        client.ask_to_leave()?;
        return Err(Unreachable::NotRunning);
    }
    answering(home, deadline)
}

/// Whose attempt is waited for.
enum Wait {
    /// This process made it.
    Ours(Child),
    /// Another process made it; the id of its daemon, once it is known.
    Theirs(Option<u32>),
}

impl Wait {
    /// Whether the attempt may still come to something.
    fn goes_on(&mut self) -> bool {
        match self {
            // A daemon that finds another one in charge ends well: that other one is waited for.
            Self::Ours(child) => !matches!(child.try_wait(), Ok(Some(s)) if !s.success()),
            Self::Theirs(pid) => pid.is_none_or(platform::pid_is_ours),
        }
    }
}

/// Waits until a daemon answers that is not to be replaced, the attempt fails, or time is up.
fn wait_for(home: &Home, mut wait: Wait, deadline: Instant) -> Option<Client> {
    let mut pause = Duration::from_millis(2);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(50));
        // Looked at before the question: a process may come up and end between the two.
        let goes_on = wait.goes_on();
        if let Ok(client) = answering(home, deadline)
            && !client.is_outdated()
        {
            return Some(client);
        }
        if !goes_on {
            return None;
        }
    }
}

fn answering(home: &Home, deadline: Instant) -> Result<Client, Unreachable> {
    let client = Client::find(home, until(deadline))?;
    client.ping()?;
    Ok(client)
}

fn until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now()).min(PING_BUDGET)
}

#[cfg(test)]
#[path = "tests/running.rs"]
mod tests;
