//! The daemon, as the commands speak to it: started when it is not there, errors in sentences.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Tools;
use super::output::Failure;
use crate::client::{CallError, Client, Unreachable, own_binary, start_now};

/// How long a command waits for a daemon that it had to start.
const START: Duration = Duration::from_secs(5);

/// How long a command waits for an answer.
const ANSWER: Duration = Duration::from_mins(2);

/// How long a living daemon takes at most to say so.
const LIVENESS: Duration = Duration::from_millis(500);

/// A daemon that answers.
#[derive(Debug)]
pub(super) struct Door {
    client: Client,
}

impl Door {
    /// The daemon of the data folder, started when it is not running.
    pub(super) fn open(tools: &Tools) -> anyhow::Result<Self> {
        let exe = own_binary(&tools.config.home);
        let ready = start_now(&tools.config.home, &exe, START)
            .map_err(|e| Failure::Daemon(not_started(tools, &e)))?;
        Ok(Self { client: ready.client.with_budget(ANSWER) })
    }

    /// The daemon of the data folder, if it runs and answers.
    pub(super) fn find(tools: &Tools) -> Result<Self, Unreachable> {
        let client = Client::find(&tools.config.home, LIVENESS)?;
        client.ping()?;
        Ok(Self { client: client.with_budget(ANSWER) })
    }

    /// The daemon itself.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        self.client.call("GET", path, None).map_err(|e| failure(&e))
    }

    pub(super) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        self.post_bytes(path, &serde_json::to_vec(body)?)
    }

    /// Posts bytes that are no single JSON value.
    pub(super) fn post_bytes<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &[u8],
    ) -> anyhow::Result<T> {
        self.client.call("POST", path, Some(body)).map_err(|e| failure(&e))
    }
}

fn failure(error: &CallError) -> anyhow::Error {
    match error {
        CallError::Refused { status: 400 | 404 | 413 | 415 | 422, .. } => {
            Failure::User(error.to_string()).into()
        }
        _ => Failure::Daemon(error.to_string()).into(),
    }
}

/// Why no daemon could be started: its own last word, where it left one.
fn not_started(tools: &Tools, error: &Unreachable) -> String {
    let log = tools.config.home.logs().join("daemon.log");
    let last = std::fs::read_to_string(&log).ok().and_then(|text| {
        let line = text.lines().next_back()?;
        Some(line.split_once("ERROR").map_or("", |(_, said)| said.trim()).to_owned())
    });
    match last.filter(|said| !said.is_empty()) {
        Some(said) => format!("the daemon could not be started: {said} (log: {})", log.display()),
        None => error.to_string(),
    }
}
