//! Counts per stage, as `GET /api/stats` and `afterword status --json` give them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::asked::ModelAsked;
use super::spend::SpendLine;
use crate::day::Day;
use crate::time::Time;

/// Where every event stands. `received = spooled + stored` and
/// `stored = distilled + waiting + parked` hold at any moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Status {
    /// Events that hooks and other callers handed over and that were neither skipped nor known.
    pub received: u64,
    /// Events in the spool folder, not yet in the database.
    pub spooled: u64,
    /// Rows of the events table.
    pub stored: u64,
    /// Events that are in observations or summaries, or needed none.
    pub distilled: u64,
    /// Events whose turn is still to be distilled.
    pub waiting: u64,
    /// Events whose turn failed three times.
    pub parked: u64,
    /// Rows in the full-text index.
    pub indexed: u64,
    /// Rows that are found by meaning.
    #[serde(default)]
    pub embeddings: Embeddings,
    /// Events that came a second time.
    pub duplicates: u64,
    /// Events that were deliberately not stored, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Spool files that could not be read and were set aside.
    pub spool_bad: u64,
    /// Rows by kind.
    pub rows: BTreeMap<String, u64>,
    /// Projects known.
    pub projects: u64,
    /// Sessions known.
    pub sessions: u64,
    /// Turns and sessions that a model is to read.
    #[serde(default)]
    pub model: ModelQueue,
    /// Who that model is.
    #[serde(default)]
    pub asked: ModelAsked,
    /// What was spent with a provider today, and the caps.
    pub spend: Spend,
    /// When an event was last stored.
    pub last_stored_at: Option<Time>,
    /// When a turn was last distilled.
    pub last_distilled_at: Option<Time>,
    /// Sessions that began and brought nothing, where something had come before them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<Silence>,
    /// Bytes of the database file and its log.
    pub database_bytes: u64,
}

impl Status {
    /// Why no model is asked, where a person should know: a cap, or a provider that a person must
    /// see to.
    pub fn model_stopped(&self) -> Option<&str> {
        let cap = self.spend.stopped.as_ref().map(|stopped| stopped.why.as_str());
        cap.or_else(|| self.model.held.as_deref().filter(|_| self.model.stopped))
            .or_else(|| self.model.failing.as_deref().filter(|_| self.model.lasts))
    }
}

/// Sessions begin, and nothing of what happens in them comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Silence {
    /// When something came last before it.
    pub since: Time,
    /// When the first of these sessions began.
    pub began_at: Time,
    /// How many began.
    pub sessions: u64,
}

/// How far rows are embedded, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Embeddings {
    /// The model that embeds; none where none is installed and no service is set.
    pub model: Option<String>,
    /// The space of the vectors that are counted: the model, and how rows are cut.
    pub space: String,
    /// Whether the model is in memory now.
    pub loaded: bool,
    /// Rows that are embedded.
    pub embedded: u64,
    /// Rows that wait to be.
    pub waiting: u64,
    /// What keeps rows from being embedded.
    pub problem: Option<String>,
}

/// What a model is to read, and has read; all zero while no provider was ever set. What waits or is
/// parked here is told by rules meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelQueue {
    /// Turns and sessions that wait, or whose call is out.
    pub waiting: u64,
    /// Of these, the ones whose session has had its share of the day's tokens.
    #[serde(default)]
    pub kept_back: u64,
    /// Turns and sessions whose calls gave nothing.
    pub parked: u64,
    /// Turns and sessions that were read.
    pub done: u64,
    /// Why nothing is asked at the moment, where something holds it back.
    #[serde(default)]
    pub held: Option<String>,
    /// Whether it takes a person to go on.
    #[serde(default)]
    pub stopped: bool,
    /// What comes instead of answers, and since when; none where the last call was answered.
    #[serde(default)]
    pub failing: Option<String>,
    /// Whether that has lasted, or only a person can mend it.
    #[serde(default)]
    pub lasts: bool,
}

/// What was spent with a provider today, and what sessions were handed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Spend {
    /// The ledger's day, in UTC.
    pub day: Day,
    /// Input and output together, with what is set aside for calls that are not settled.
    pub tokens_today: u64,
    /// Of these, what is only set aside.
    pub open_tokens: u64,
    /// The hard cap for a day; none where nobody keeps one.
    pub daily_token_cap: Option<u64>,
    /// What it cost, in micros of the price table's currency, as far as prices are known.
    pub cost_today_micros: u64,
    /// Tokens of today without a known price.
    pub unpriced_tokens: u64,
    /// The hard cap of cost for a day in micros; none where none is set.
    pub daily_cost_cap_micros: Option<u64>,
    /// Today by provider and model, the most tokens first.
    pub models: Vec<SpendLine>,
    /// Blocks that sessions were handed today.
    pub injected_blocks: u64,
    /// About how many tokens these have.
    pub injected_tokens: u64,
    /// Why no model is asked now, where something stops it.
    pub stopped: Option<Stopped>,
}

/// Why no model is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stopped {
    /// What happened, and what is done meanwhile.
    pub why: String,
    /// When it goes on by itself; none where it does not.
    pub until: Option<Time>,
    /// What a person can do; empty where nothing needs to be done.
    #[serde(default)]
    pub remedy: String,
}
