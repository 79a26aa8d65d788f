//! What calls to a model cost: set aside before, settled after, added up for people.

use afterword_domain::Time;
use afterword_domain::day::Day;
use afterword_domain::wire::spend::{SpendBy, SpendLine};
use async_trait::async_trait;

use crate::Result;

/// The most tokens that one side of a call is counted with, whoever says it used more; so that no
/// sum of a day can overflow.
pub const MOST_TOKENS: u64 = 1_000_000_000_000;

/// How many days the clock may be set back with the ledger staying on its day. A ledger that is
/// further ahead was written by a clock that was wrong.
pub const AHEAD_DAYS: i64 = 2;

/// What may be spent, what was, and what sessions were handed.
///
/// Days are those of the ledger: [`Day`]s of the times that callers give, but never an earlier one
/// than its newest row, so that a clock that is set back opens no cap again. Where the ledger is
/// more than [`AHEAD_DAYS`] ahead, its rows of days to come are put on the day of the clock.
#[async_trait]
pub trait SpendStore {
    /// Looks at every limit and sets aside the most that a call can use, in one transaction:
    /// whatever is asked at once, what is settled and set aside on a day stays within the limits.
    /// What is set aside and never settled stays charged in full.
    async fn reserve_spend(&self, call: &NewSpend, limits: &SpendLimits) -> Result<Reserved>;

    /// Puts what a call used in place of what was set aside for it, on the day it was set aside.
    /// False when it was settled before: then nothing changes.
    async fn settle_spend(&self, id: i64, settled: Settled) -> Result<bool>;

    /// The ledger's day at a time.
    async fn spend_day(&self, now: Time) -> Result<Day>;

    /// What was spent and handed over from one day to another, both counted, added up. Days come in
    /// order, other lines by their tokens, most first, then by name. Lines by model and purpose say
    /// nothing of what was handed over. A line without a name is of no project, or of one that is
    /// gone.
    async fn spend_lines(&self, by: SpendBy, from: Day, to: Day) -> Result<Vec<SpendLine>>;

    /// Counts a block that a session was handed.
    async fn note_injected(&self, injected: NewInjected) -> Result<()>;
}

/// A call that is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSpend {
    /// When.
    pub at: Time,
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// What it is for, as a word.
    pub purpose: String,
    /// The project it is for.
    pub project_id: Option<i64>,
    /// The session it is for.
    pub session_id: Option<i64>,
    /// The most tokens that can go in.
    pub input_tokens: u64,
    /// The most tokens that can come out.
    pub output_tokens: u64,
    /// The most that these can cost, in micros of the currency; none where nobody knows.
    pub cost: Option<u64>,
    /// Whether no session lives.
    pub backlog: bool,
}

impl NewSpend {
    /// The most tokens that it can use.
    pub const fn most(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// What may be spent on one day. Zero means nothing at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpendLimits {
    /// Tokens, hard: the most that a call can use must fit in.
    pub tokens: u64,
    /// Micros of the currency, hard; none where no cap is set.
    pub cost: Option<u64>,
    /// Tokens of one session, soft: a call that begins below it is let through whole.
    pub session_tokens: u64,
    /// Tokens for calls while no session lives, hard.
    pub backlog_tokens: u64,
}

impl Default for SpendLimits {
    /// About a hundred turns, half of them for one session, none while nobody works.
    fn default() -> Self {
        Self { tokens: 500_000, cost: None, session_tokens: 250_000, backlog_tokens: 0 }
    }
}

/// Whether a call may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// It may; the key to settle it by.
    Within(i64),
    /// It may not, on this day of the ledger.
    Over {
        /// The limit that it would pass.
        limit: Limit,
        /// The ledger's day.
        day: Day,
    },
}

/// A limit that a call would pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Tokens of the day.
    Tokens,
    /// Cost of the day.
    Cost,
    /// A cap of cost is set and nobody knows what the call can cost, so that it could not be kept.
    Price,
    /// Tokens of its session.
    Session,
    /// Tokens while no session lives.
    Backlog,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It used this much.
    Used {
        /// Tokens that went in.
        input_tokens: u64,
        /// Tokens that came out.
        output_tokens: u64,
        /// What they cost, in micros; none leaves what was set aside.
        cost: Option<u64>,
    },
    /// It was sent, and nobody will say what it used: what was set aside stays charged.
    Unknown,
    /// It used nothing.
    Nothing,
}

/// A block that a session was handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInjected {
    /// When.
    pub at: Time,
    /// The project that it tells of.
    pub project_id: i64,
    /// How it came: `session-start`, `prompt`, `file`.
    pub way: &'static str,
    /// About how many tokens it has.
    pub tokens: u64,
}
