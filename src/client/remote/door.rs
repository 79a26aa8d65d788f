//! What hooks ask of a remote service.

use std::time::{Duration, Instant};

use afterword_domain::text::{one_line, prefix};
use serde_json::{Value, json};

use super::address::Address;
use super::call::{self, Request};
use super::dialect::{DIALECTS, Dialect};
use super::read::{self, Added, Found};
use crate::client::http::{Answer, Failure};

/// Most bytes of a text that is searched for.
const QUERY: usize = 500;

/// Most bytes of a service's own words that are passed on.
const WORDS: usize = 200;

/// How many results are looked through for a memory of our own.
const LOOK_THROUGH: usize = 50;

/// A remote service. Making one opens no connection.
#[derive(Clone)]
pub struct RemoteDoor {
    address: Address,
    token: String,
    user_id: String,
    dialect: Option<Dialect>,
    /// Whether the dialect was found by this value, and not just remembered.
    proved: bool,
    budget: Duration,
}

impl std::fmt::Debug for RemoteDoor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the token.
        f.debug_struct("RemoteDoor").field("host", &self.address.host).finish_non_exhaustive()
    }
}

/// What can go wrong with a remote service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// What is configured is no address, or no token.
    #[error("its address cannot be used: {0}")]
    Address(&'static str),
    /// Nothing listens there.
    #[error("nothing listens there")]
    Refused,
    /// It did not answer in time.
    #[error("it did not answer within {} ms", .0.as_millis())]
    Slow(Duration),
    /// What came back cannot be understood.
    #[error("{0}")]
    Garbage(&'static str),
    /// It does not take the token.
    #[error("it does not take the token (status {0})")]
    Denied(u16),
    /// It has none of the paths of a memory service.
    #[error("no memory service answers at this address")]
    NoService,
    /// It cannot do it now.
    #[error("it answered with status {0}")]
    Failing(u16),
    /// It will never do it.
    #[error("it refused with status {status}{said}")]
    Rejected {
        /// The HTTP status.
        status: u16,
        /// What it said, after a colon; empty where it said nothing.
        said: String,
    },
}

impl Trouble {
    /// What a person can do about it.
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::Address(_) => "correct AFTERWORD_API_URL or AFTERWORD_API_TOKEN",
            Self::Refused | Self::Slow(_) => {
                "is the service up, and is AFTERWORD_API_URL right? what is to be kept waits here meanwhile"
            }
            Self::Garbage(_) | Self::NoService => {
                "set AFTERWORD_API_URL to the service's own address, with https:// and without a path behind it"
            }
            Self::Denied(_) => "set AFTERWORD_API_TOKEN to a token that is in force",
            Self::Failing(_) => {
                "wait, or ask who runs the service; what is to be kept waits here meanwhile"
            }
            Self::Rejected { .. } => {
                "ask who runs the service, or run 'afterword doctor' with a newer release"
            }
        }
    }

    /// Whether the same request would be refused for ever.
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Rejected { .. })
    }
}

/// A text to be kept as it is.
#[derive(Clone, Copy, Debug)]
pub struct NewMemory<'a> {
    /// The text.
    pub text: &'a str,
    /// What is kept with it.
    pub metadata: &'a Value,
    /// The same for every try of the same text.
    pub key: &'a str,
}

/// What came of replacing a memory's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It has the new text.
    Done,
    /// There is no such memory, or the service replaces none.
    Gone,
}

impl RemoteDoor {
    /// A door to the service at `url`. `budget` bounds each call of this value.
    pub fn new(url: &str, token: &str, user_id: &str, budget: Duration) -> Result<Self, Trouble> {
        let address = Address::parse(url).map_err(Trouble::Address)?;
        if token.contains(|c: char| c.is_control()) {
            return Err(Trouble::Address("the token holds a line break"));
        }
        let (token, user_id) = (token.trim().to_owned(), user_id.to_owned());
        Ok(Self { address, token, user_id, dialect: None, proved: false, budget })
    }

    /// The same service, spoken to as it was before.
    #[must_use]
    pub fn with_dialect(self, dialect: Option<Dialect>) -> Self {
        Self { dialect, ..self }
    }

    /// How the service is spoken to, once that is known.
    pub const fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// Finds out how the service wants to be spoken to, by asking it a small question in each way.
    pub fn settle(&mut self) -> Result<Dialect, Trouble> {
        if let Some(dialect) = self.dialect {
            return Ok(dialect);
        }
        let deadline = Instant::now() + self.budget;
        let mut trouble = Trouble::NoService;
        for (_, dialect) in DIALECTS {
            let body = dialect.search_body("afterword", &self.user_id, 1);
            let answer =
                self.send(dialect, "POST", dialect.search_path(), Some(&body), None, deadline)?;
            match answer.status {
                200..300 if read::found(&answer.body).is_some() => {
                    (self.dialect, self.proved) = (Some(dialect), true);
                    return Ok(dialect);
                }
                200..300 => trouble = Trouble::Garbage("its answer cannot be read"),
                404 | 405 => {}
                status @ (401 | 403) => trouble = Trouble::Denied(status),
                // It knows the path and the token.
                400 | 422 => trouble = judged(&answer),
                _ => return Err(judged(&answer)),
            }
        }
        Err(trouble)
    }

    /// The memories that answer a question best.
    pub fn search(&mut self, query: &str, most: usize) -> Result<Vec<Found>, Trouble> {
        let query = prefix(query.trim(), QUERY).to_owned();
        let user = self.user_id.clone();
        let answer = self.ask(None, |dialect| {
            (dialect.search_path(), dialect.search_body(&query, &user, most))
        })?;
        read::found(&answer.body).ok_or(Trouble::Garbage("its answer cannot be read"))
    }

    /// Keeps a text as it is.
    pub fn add(&mut self, new: &NewMemory<'_>) -> Result<Added, Trouble> {
        let user = self.user_id.clone();
        let answer = self.ask(Some(new.key), |dialect| {
            (dialect.add_path(), dialect.add_body(new.text, &user, new.metadata))
        })?;
        read::added(&answer.body).ok_or(Trouble::Garbage("its answer cannot be read"))
    }

    /// Finds a memory of our own by what was kept with it; `text` helps where a service lists by
    /// words alone.
    pub fn find(
        &mut self,
        session: &str,
        text: &str,
        ours: impl Fn(&Found) -> bool,
    ) -> Result<Option<Found>, Trouble> {
        let dialect = self.settle()?;
        if let Some(path) = dialect.list_path() {
            let filters = json!({"filters": {"AND": [
                {"user_id": self.user_id},
                {"metadata": {"session_id": session}},
            ]}});
            let deadline = Instant::now() + self.budget;
            let answer = self.send(dialect, "POST", path, Some(&filters), None, deadline)?;
            let listed = read::found(&answer.body).filter(|_| answer.status == 200);
            if let Some(found) = listed.into_iter().flatten().find(&ours) {
                return Ok(Some(found));
            }
        }
        Ok(self.search(text, LOOK_THROUGH)?.into_iter().find(ours))
    }

    /// Gives a memory another text.
    pub fn update(&mut self, id: &str, new: &NewMemory<'_>) -> Result<Update, Trouble> {
        let body = json!({"text": new.text, "metadata": new.metadata});
        let answer = self.by_id("PUT", id, Some(&body))?;
        match answer.status {
            200..300 => Ok(Update::Done),
            404 | 405 | 410 | 501 => Ok(Update::Gone),
            _ => Err(judged(&answer)),
        }
    }

    /// Takes a memory away; one that is not there is no trouble.
    pub fn delete(&mut self, id: &str) -> Result<(), Trouble> {
        let answer = self.by_id("DELETE", id, None)?;
        match answer.status {
            200..300 | 404 | 405 | 410 | 501 => Ok(()),
            _ => Err(judged(&answer)),
        }
    }

    fn by_id(&mut self, method: &str, id: &str, body: Option<&Value>) -> Result<Answer, Trouble> {
        let dialect = self.settle()?;
        let deadline = Instant::now() + self.budget;
        self.send(dialect, method, &dialect.memory_path(id), body, None, deadline)
    }

    /// Posts what a dialect spells. A service that was changed since it was last spoken to is asked
    /// again how it wants it.
    fn ask(
        &mut self,
        key: Option<&str>,
        spell: impl Fn(Dialect) -> (&'static str, Value),
    ) -> Result<Answer, Trouble> {
        loop {
            let dialect = self.settle()?;
            let (path, body) = spell(dialect);
            let deadline = Instant::now() + self.budget;
            let answer = self.send(dialect, "POST", path, Some(&body), key, deadline)?;
            match answer.status {
                200..300 => return Ok(answer),
                401 | 403 | 404 | 405 if !self.proved => self.dialect = None,
                _ => return Err(judged(&answer)),
            }
        }
    }

    fn send(
        &self,
        dialect: Dialect,
        method: &str,
        path: &str,
        body: Option<&Value>,
        idempotency_key: Option<&str>,
        deadline: Instant,
    ) -> Result<Answer, Trouble> {
        let auth = (!self.token.is_empty()).then(|| dialect.auth(&self.token));
        let body = body.map(|body| body.to_string().into_bytes());
        let request = Request { method, path, auth, idempotency_key, body };
        call::exchange(&self.address, &request, deadline).map_err(|failure| match failure {
            Failure::Refused => Trouble::Refused,
            Failure::TimedOut => Trouble::Slow(self.budget),
            Failure::Garbage(why) => Trouble::Garbage(why),
        })
    }
}

/// What an answer that is no success means.
fn judged(answer: &Answer) -> Trouble {
    match answer.status {
        status @ (401 | 403) => Trouble::Denied(status),
        404 | 405 => Trouble::NoService,
        300..=399 => Trouble::Garbage("it redirects: set the address that it redirects to"),
        status @ (408 | 409 | 425 | 429 | 500..=599) => Trouble::Failing(status),
        status => Trouble::Rejected { status, said: said(&answer.body) },
    }
}

/// A service's own words, for people: never the request's.
fn said(body: &[u8]) -> String {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let words = ["detail", "error", "message"].iter().find_map(|key| value.get(key)?.as_str());
    words.map_or_else(String::new, |words| format!(": {}", prefix(&one_line(words), WORDS)))
}
