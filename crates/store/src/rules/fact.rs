//! Facts as an inference's row keeps them.

use afterword_domain::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::contract::{FactChange, KEPT_DAYS};

/// A fact, by the uids of its memories and without their texts.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) memory: Uuid,
    pub(crate) change: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) superseded: Vec<Uuid>,
}

pub(crate) const ADDED: &str = "added";
pub(crate) const SUPERSEDED: &str = "superseded";
pub(crate) const REPEATED: &str = "repeated";

impl Line {
    /// What was done with the fact.
    pub(crate) fn change(&self) -> FactChange {
        match self.change.as_str() {
            SUPERSEDED => FactChange::Superseded,
            REPEATED => FactChange::Repeated,
            _ => FactChange::Added,
        }
    }
}

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Before this time nothing of an inference is kept.
pub(crate) fn kept_since(now: Time) -> i64 {
    now.millis().saturating_sub(KEPT_DAYS * DAY_MS)
}
