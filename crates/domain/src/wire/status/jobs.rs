//! The queues as people see them: what waits, what failed, and what to do about it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::time::Time;

/// Whose work a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Queue {
    /// Distilling by rules.
    Rules,
    /// Distilling by a language model.
    Model,
}

impl Queue {
    /// The word in JSON and in ids.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Model => "model",
        }
    }
}

/// A job's id, such as `rules-12` or `model-5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId {
    /// Its queue.
    pub queue: Queue,
    /// Its key there.
    pub number: i64,
}

/// A text that is no job's id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no job: write an id as 'afterword jobs list' shows it, such as model-5")]
pub struct BadJobId(pub String);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.queue.word(), self.number)
    }
}

impl FromStr for JobId {
    type Err = BadJobId;

    fn from_str(text: &str) -> Result<Self, BadJobId> {
        let bad = || BadJobId(text.to_owned());
        let (queue, number) = text.trim().split_once('-').ok_or_else(bad)?;
        let queue = [Queue::Rules, Queue::Model].into_iter().find(|q| q.word() == queue);
        let number = number.parse().ok().filter(|n| *n > 0).ok_or_else(bad)?;
        Ok(Self { queue: queue.ok_or_else(bad)?, number })
    }
}

impl Serialize for JobId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for JobId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// One job, as `GET /api/jobs` and `afterword jobs list --json` give it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobRow {
    /// Its id.
    pub id: JobId,
    /// `turn`, or `session` for the summary of a whole session.
    pub of: String,
    /// The project's name.
    pub project: String,
    /// The agent's id of the session.
    pub session: String,
    /// The prompt's number; 0 for a session.
    pub prompt_number: i64,
    /// `waiting`, `claimed`, `sent` or `parked`.
    pub state: String,
    /// Tries that failed.
    pub attempts: i64,
    /// When it is due.
    pub due: Time,
    /// What went wrong last.
    pub error: Option<String>,
}

/// Answer of `GET /api/jobs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobList {
    /// The parked ones first, then by the time they are due; at most 1,000.
    pub jobs: Vec<JobRow>,
    /// Why no model is asked at the moment, where there is one and something holds it back.
    pub held: Option<String>,
}

/// Body of `POST /api/jobs/retry` and `POST /api/jobs/drop`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobRequest {
    /// These jobs; all parked ones when empty.
    #[serde(default)]
    pub ids: Vec<JobId>,
}

/// Answer of `POST /api/jobs/drop`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobsDropped {
    /// How many jobs were given up.
    pub dropped: u64,
    /// Which.
    pub ids: Vec<JobId>,
}

/// Answer of `POST /api/jobs/retry`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobsRetried {
    /// How many jobs wait again.
    pub retried: u64,
    /// Which.
    pub ids: Vec<JobId>,
    /// What held the model back until now; none where nothing did.
    #[serde(default)]
    pub was_held: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_and_the_rest_is_refused() {
        for text in ["rules-12", "model-5"] {
            assert_eq!(text.parse::<JobId>().unwrap().to_string(), text);
        }
        for text in ["", "m5", "model-", "model-0", "model--1", "other-3", "model-5x"] {
            assert!(text.parse::<JobId>().is_err(), "{text}");
        }
    }
}
