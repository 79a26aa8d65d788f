//! A found daemon, and the calls it takes.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use afterword_domain::Clock;
use afterword_domain::wire::daemon::{ErrorBody, Ping};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::endpoint::{self, Address, Unreachable, compatible};
use super::http::{self, Answer, Failure, Request};
use super::platform;
use super::spawn::{self, Attempt};
use crate::config::Home;

/// Most bytes of an answer that a command takes.
pub const COMMAND_ANSWER: usize = 64 << 20;

/// How long one liveness question may take while waiting for a daemon.
const PING_BUDGET: Duration = Duration::from_millis(500);

/// A daemon whose address and token are known. Making one opens no connection.
#[derive(Clone, Debug)]
pub struct Client {
    address: Address,
    budget: Duration,
    answer_limit: usize,
}

/// What can go wrong with a call whose answer is to be understood.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// Nobody answered as the daemon does.
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    /// The daemon answered that it will not do it.
    #[error("{}", refusal(.body))]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the daemon says about it.
        body: ErrorBody,
    },
}

fn refusal(body: &ErrorBody) -> String {
    match &body.hint {
        Some(hint) => format!("{}; {hint}", body.error),
        None => body.error.clone(),
    }
}

impl Client {
    /// Finds the daemon of a data folder by its files. `budget` bounds each call, from connecting
    /// to the last byte of the answer.
    pub fn find(home: &Home, budget: Duration) -> Result<Self, Unreachable> {
        let address = endpoint::locate(home)?;
        if !compatible(address.endpoint.protocol) {
            return Err(Unreachable::Protocol { theirs: address.endpoint.protocol });
        }
        Ok(Self { address, budget, answer_limit: COMMAND_ANSWER })
    }

    /// The same daemon with another budget for each call.
    #[must_use]
    pub fn with_budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// The same daemon with another limit for the bytes of an answer's body.
    #[must_use]
    pub fn with_answer_limit(mut self, bytes: usize) -> Self {
        self.answer_limit = bytes;
        self
    }

    /// The daemon's port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.address.endpoint.port
    }

    /// Asks whether the daemon of this data folder lives there.
    pub fn ping(&self) -> Result<Ping, Unreachable> {
        let answer = self.get("/api/ping")?;
        if answer.status != 200 {
            return Err(Unreachable::Foreign(format!("status {}", answer.status)));
        }
        parse(&answer)
    }

    /// Like [`Self::ping`], only where something hints that another process may own the address by
    /// now: then nothing but the question goes out until the answer has proved the owner.
    pub fn prove(&self) -> Result<(), Unreachable> {
        if platform::pid_is_ours(self.address.endpoint.pid) {
            return Ok(());
        }
        self.ping().map(drop)
    }

    /// `GET`: the answer, whatever its status.
    pub fn get(&self, path: &str) -> Result<Answer, Unreachable> {
        self.request("GET", path, None)
    }

    /// `POST` with a JSON body: the answer, whatever its status.
    pub fn post_json<T: Serialize + ?Sized>(
        &self,
        path: &str,
        body: &T,
    ) -> Result<Answer, Unreachable> {
        let bytes = serde_json::to_vec(body)
            .map_err(|_| Unreachable::Foreign("the request cannot be written".to_owned()))?;
        self.request("POST", path, Some(&bytes))
    }

    /// Any method, with a JSON body that is already written: the answer, whatever its status.
    ///
    /// 401, 403 and answers without our protocol header are [`Unreachable::Foreign`].
    pub fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Answer, Unreachable> {
        let request = Request {
            port: self.address.endpoint.port,
            method,
            path,
            token: &self.address.token,
            body,
            answer_limit: self.answer_limit,
        };
        let answer = http::send(&request, Instant::now() + self.budget).map_err(|e| match e {
            Failure::Refused => Unreachable::NotRunning,
            Failure::TimedOut => Unreachable::Frozen(self.budget),
            Failure::Garbage(why) => Unreachable::Foreign(why.to_owned()),
        })?;
        match (answer.status, answer.protocol) {
            (401 | 403, _) => Err(Unreachable::Foreign("it refused the token".to_owned())),
            (_, None) => Err(Unreachable::Foreign("it names no protocol".to_owned())),
            (_, Some(theirs)) if !compatible(theirs) => Err(Unreachable::Protocol { theirs }),
            _ => Ok(answer),
        }
    }

    /// A call whose answer is understood: 2xx gives the value, anything else the daemon's reason.
    pub fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<T, CallError> {
        let answer = self.request(method, path, body)?;
        if (200..300).contains(&answer.status) {
            return Ok(parse(&answer)?);
        }
        let body = serde_json::from_slice(&answer.body).unwrap_or_else(|_| ErrorBody {
            error: format!("the daemon answered with status {}", answer.status),
            code: "unknown".to_owned(),
            hint: None,
        });
        Err(CallError::Refused { status: answer.status, body })
    }
}

fn parse<T: DeserializeOwned>(answer: &Answer) -> Result<T, Unreachable> {
    serde_json::from_slice(&answer.body)
        .map_err(|_| Unreachable::Foreign("its answer cannot be read".to_owned()))
}

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
/// Waits grow from 2 to 50 ms. An attempt that was just made by another process is waited for; one
/// that is known to have failed is not. The client's calls get `budget` each.
pub fn ensure_running(
    home: &Home,
    exe: &Path,
    clock: &dyn Clock,
    budget: Duration,
) -> Result<Ready, Unreachable> {
    let deadline = Instant::now() + budget;
    let first = match answering(home, deadline) {
        Ok(client) => return Ok(Ready { client: client.with_budget(budget), started: false }),
        Err(e @ Unreachable::Protocol { .. }) => return Err(e),
        Err(e) => e,
    };
    let child = match spawn::try_start(exe, home, clock) {
        Ok(Attempt::Started(child)) => Some(child),
        Ok(Attempt::Underway) => None,
        Ok(Attempt::Braked) | Err(_) => return Err(first),
    };
    let started = child.is_some();
    if let Some(client) = wait_for(home, child, deadline) {
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
    let first = match answering(home, deadline) {
        Ok(client) => return Ok(Ready { client: client.with_budget(budget), started: false }),
        Err(e @ Unreachable::Protocol { .. }) => return Err(e),
        Err(e) => e,
    };
    let Ok(child) = spawn::start(exe, home) else { return Err(first) };
    match wait_for(home, Some(child), deadline) {
        Some(client) => Ok(Ready { client: client.with_budget(budget), started: true }),
        None => Err(first),
    }
}

/// Waits until a daemon answers, the one that was started fails, or time is up.
fn wait_for(home: &Home, mut child: Option<Child>, deadline: Instant) -> Option<Client> {
    let mut pause = Duration::from_millis(2);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(50));
        if let Ok(client) = answering(home, deadline) {
            return Some(client);
        }
        // A daemon that finds another one in charge ends well: that other one is waited for.
        if let Some(Ok(Some(status))) = child.as_mut().map(Child::try_wait)
            && !status.success()
        {
            return None;
        }
    }
}

fn answering(home: &Home, deadline: Instant) -> Result<Client, Unreachable> {
    let left = deadline.saturating_duration_since(Instant::now());
    let client = Client::find(home, left.min(PING_BUDGET))?;
    client.ping()?;
    Ok(client)
}

#[cfg(test)]
#[path = "tests/door.rs"]
mod tests;
