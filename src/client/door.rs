//! A found daemon, and the calls it takes.

use std::time::{Duration, Instant};

use afterword_domain::proof;
use afterword_domain::wire::PROTOCOL;
use afterword_domain::wire::daemon::{Endpoint, ErrorBody, Ping};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::endpoint::{self, Address, Unreachable, compatible};
use super::events::Events;
use super::http::{Answer, Connection, Failure, Request};
use crate::config::Home;

/// Most bytes of an answer that a command takes.
pub const COMMAND_ANSWER: usize = 64 << 20;

/// Most bytes of an answer that may be a proof.
const PROOF_ANSWER: usize = 1024;

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
        let found = Self::find_any(home, budget)?;
        match found.address.endpoint.protocol {
            theirs if compatible(theirs) => Ok(found),
            theirs => Err(Unreachable::Protocol { theirs }),
        }
    }

    /// Like [`Self::find`], whatever protocol the daemon speaks: all that may be asked of it is to
    /// leave.
    pub fn find_any(home: &Home, budget: Duration) -> Result<Self, Unreachable> {
        let address = endpoint::locate(home)?;
        Ok(Self { address, budget, answer_limit: COMMAND_ANSWER })
    }

    /// Whether the daemon is of an older release than this program and is to give way to it.
    pub fn is_outdated(&self) -> bool {
        self.address.endpoint.gives_way_to(env!("CARGO_PKG_VERSION"), PROTOCOL)
    }

    /// What the daemon published about itself.
    pub fn endpoint(&self) -> &Endpoint {
        &self.address.endpoint
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
    /// Neither the token nor the body goes out before whoever listens there has proved that it
    /// knows the token; see [`proof`]. 401, 403 and answers without our protocol header are
    /// [`Unreachable::Foreign`].
    pub fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Answer, Unreachable> {
        understood(self.exchange(method, path, body)?)
    }

    /// Asks this very daemon to leave, whatever protocol it speaks; another one that has taken its
    /// place meanwhile stays. What is in flight is finished.
    pub fn ask_to_leave(&self) -> Result<(), Unreachable> {
        let path = format!("/api/admin/shutdown?pid={}", self.address.endpoint.pid);
        match self.exchange("POST", &path, Some(b"{}"))?.status {
            200 | 409 => Ok(()),
            status => Err(Unreachable::Foreign(format!("status {status}"))),
        }
    }

    fn exchange(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Answer, Unreachable> {
        let why = |failure| self.unreachable(failure);
        let deadline = Instant::now() + self.budget;
        let mut connection = Connection::open(self.port(), deadline).map_err(why)?;
        self.prove(&mut connection)?;
        let token = Some(self.address.token.as_str());
        let answer_limit = self.answer_limit;
        let request = Request { method, path, token, body, answer_limit, last: true };
        connection.exchange(&request).map_err(why)
    }

    /// Listens to a stream of events, from behind the event `after` where one is given.
    pub fn events(&self, path: &str, after: Option<&str>) -> Result<Events, CallError> {
        let why = |failure| self.unreachable(failure);
        let deadline = Instant::now() + self.budget;
        let mut connection = Connection::open(self.port(), deadline).map_err(why)?;
        self.prove(&mut connection)?;
        let joint = if path.contains('?') { '&' } else { '?' };
        let path = match after {
            Some(id) => format!("{path}{joint}lastEventId={id}"),
            None => path.to_owned(),
        };
        let token = Some(self.address.token.as_str());
        let answer_limit = self.answer_limit;
        let request =
            Request { method: "GET", path: &path, token, body: None, answer_limit, last: true };
        let wire = connection.send(&request).map_err(why)?;
        match Events::begin(wire).map_err(why)? {
            Ok(events) => Ok(events),
            Err(answer) => Err(refused(&understood(answer)?)),
        }
    }

    /// Makes whoever is at the other end prove that it knows the token.
    fn prove(&self, connection: &mut Connection) -> Result<(), Unreachable> {
        let nonce = Uuid::new_v4().simple().to_string();
        let path = format!("{}?nonce={nonce}", proof::PATH);
        let question = Request {
            method: "GET",
            path: &path,
            token: None,
            body: None,
            answer_limit: PROOF_ANSWER,
            last: false,
        };
        let answer = connection.exchange(&question).map_err(|e| self.unreachable(e))?;
        let wanted = proof::answer(&self.address.token, &nonce, self.port());
        if answer.status == 200 && proof::same(&answer.body, wanted.as_bytes()) {
            return Ok(());
        }
        Err(Unreachable::Foreign("it does not know the token".to_owned()))
    }

    fn unreachable(&self, failure: Failure) -> Unreachable {
        match failure {
            Failure::Refused => Unreachable::NotRunning,
            Failure::TimedOut => Unreachable::Frozen(self.budget),
            Failure::Garbage(why) => Unreachable::Foreign(why.to_owned()),
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
        Err(refused(&answer))
    }
}

/// An answer of a daemon that takes the token and speaks our protocol.
fn understood(answer: Answer) -> Result<Answer, Unreachable> {
    match (answer.status, answer.protocol) {
        (401 | 403, _) => Err(Unreachable::Foreign("it refused the token".to_owned())),
        (_, None) => Err(Unreachable::Foreign("it names no protocol".to_owned())),
        (_, Some(theirs)) if !compatible(theirs) => Err(Unreachable::Protocol { theirs }),
        _ => Ok(answer),
    }
}

fn refused(answer: &Answer) -> CallError {
    let body = serde_json::from_slice(&answer.body).unwrap_or_else(|_| ErrorBody {
        error: format!("the daemon answered with status {}", answer.status),
        code: "unknown".to_owned(),
        hint: None,
        detail: String::new(),
    });
    CallError::Refused { status: answer.status, body }
}

fn parse<T: DeserializeOwned>(answer: &Answer) -> Result<T, Unreachable> {
    serde_json::from_slice(&answer.body)
        .map_err(|_| Unreachable::Foreign("its answer cannot be read".to_owned()))
}

#[cfg(test)]
#[path = "tests/door.rs"]
mod tests;
