//! What was spent with models, and what sessions were handed, as `GET /api/spend` answers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::day::Day;

/// What lines are added up by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SpendBy {
    /// One line a day.
    #[default]
    Day,
    /// One line a project.
    Project,
    /// One line a provider.
    Provider,
    /// One line a provider and model.
    Model,
    /// One line a purpose: `turn`, `session`, `facts`, `test`.
    Purpose,
}

impl SpendBy {
    /// Every way.
    pub const ALL: [Self; 5] =
        [Self::Day, Self::Project, Self::Provider, Self::Model, Self::Purpose];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Project => "project",
            Self::Provider => "provider",
            Self::Model => "model",
            Self::Purpose => "purpose",
        }
    }
}

impl fmt::Display for SpendBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for SpendBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|by| by.word() == text);
        found.ok_or_else(|| format!("'{text}' is none of day, project, provider, model, purpose"))
    }
}

/// Calls added up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpendLine {
    /// The day, project, `provider/model` or purpose.
    pub name: String,
    /// Calls that were sent, or may have been.
    pub calls: u64,
    /// Tokens of requests.
    pub input_tokens: u64,
    /// Tokens of answers.
    pub output_tokens: u64,
    /// Of these, tokens of calls whose use nobody has told: charged with the most there can be.
    pub open_tokens: u64,
    /// What they cost, in micros of the price table's currency, as far as prices are known.
    pub cost_micros: u64,
    /// Tokens without a known price.
    pub unpriced_tokens: u64,
    /// Blocks that sessions were handed; none where lines are by model or purpose.
    pub injected_blocks: Option<u64>,
    /// About how many tokens these have.
    pub injected_tokens: Option<u64>,
}

impl SpendLine {
    /// Tokens in and out.
    pub const fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Adds another line to this one; the name stays.
    pub fn add(&mut self, other: &Self) {
        let sum = |a: &mut u64, b: u64| *a = a.saturating_add(b);
        sum(&mut self.calls, other.calls);
        sum(&mut self.input_tokens, other.input_tokens);
        sum(&mut self.output_tokens, other.output_tokens);
        sum(&mut self.open_tokens, other.open_tokens);
        sum(&mut self.cost_micros, other.cost_micros);
        sum(&mut self.unpriced_tokens, other.unpriced_tokens);
        let both = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        self.injected_blocks = both(self.injected_blocks, other.injected_blocks);
        self.injected_tokens = both(self.injected_tokens, other.injected_tokens);
    }
}

/// The net ledger of some days: tokens spent on memory against tokens handed to sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpendReport {
    /// The first day counted.
    pub from: Day,
    /// The last day counted: the ledger's today.
    pub to: Day,
    /// What lines are added up by.
    pub by: SpendBy,
    /// The lines: days in order, others by their tokens, most first.
    pub lines: Vec<SpendLine>,
    /// All of them, with everything that was handed to sessions.
    pub total: SpendLine,
    /// The hard cap of tokens for a day.
    pub daily_token_cap: u64,
    /// The hard cap of cost for a day in micros; none where none is set.
    pub daily_cost_cap_micros: Option<u64>,
}
