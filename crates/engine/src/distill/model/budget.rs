//! What a call may cost: asked before it is sent, told after it was answered.

use std::fmt;

use afterword_domain::Time;
use afterword_store::contract::NewAnswer;
use async_trait::async_trait;

use crate::provider::{Answer, Refusal, Usage};

/// What a call to a model is for, as the ledger names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The observations and the summary of one turn.
    Turn,
    /// The summary of a whole session.
    Session,
    /// Facts drawn from messages.
    Infer,
    /// A person's question whether the provider answers.
    Test,
}

impl Purpose {
    /// The word in the ledger.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Session => "session",
            Self::Infer => "infer",
            Self::Test => "test",
        }
    }
}

/// A call that is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// What it is for.
    pub purpose: Purpose,
    /// The project it is for; none for a test.
    pub project_id: Option<i64>,
    /// The session it is for.
    pub session_id: Option<i64>,
    /// Tokens of the request, estimated from above.
    pub input_tokens: u64,
    /// The limit that the request sets for the answer.
    pub max_output_tokens: u64,
    /// No session lives: the call is paid out of the budget for backlog.
    pub backlog: bool,
}

impl Call {
    /// The most that the call can use.
    pub const fn most(&self) -> u64 {
        self.input_tokens.saturating_add(self.max_output_tokens)
    }
}

/// What was set aside for a call; to be settled once.
#[derive(Debug, PartialEq, Eq)]
pub struct Reservation(
    /// The ledger's key.
    pub i64,
);

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// It used this much, by the provider's own count.
    Used(Usage),
    /// It was sent and nobody said what it used: what was set aside is charged.
    Unknown,
    /// It was turned away before any work was done.
    Nothing,
}

impl Charge {
    /// What a call that ended like this is charged.
    pub fn of(outcome: &Result<Answer, Refusal>) -> Self {
        match outcome {
            Ok(answer) => answer.usage.map_or(Self::Unknown, Self::Used),
            Err(refusal) => match refusal.usage {
                Some(usage) => Self::Used(usage),
                None if refusal.may_cost() => Self::Unknown,
                None => Self::Nothing,
            },
        }
    }
}

/// Why a call may not be sent.
#[derive(Debug)]
pub enum Over {
    /// The cap of the day is reached: nothing is sent until then.
    Day {
        /// When the next day begins.
        until: Time,
        /// Whether such a call has room on any day.
        fits: bool,
    },
    /// The session has had its share: its other calls wait until then, those of other sessions
    /// do not.
    Session {
        /// When its share grows again.
        until: Time,
    },
    /// No session lives, and what may be spent then is spent: its other calls wait until then, or
    /// until a session lives; those of living sessions do not.
    Backlog {
        /// When the next day begins.
        until: Time,
    },
    /// A cap of cost is set and nobody knows what the model costs: nothing is sent until a person
    /// does something.
    Price {
        /// The model.
        model: String,
    },
    /// The ledger cannot be written, so nothing may be spent.
    Unwritten(crate::Error),
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day { fits: false, .. } => f.write_str(
                "the cap of the day has no room for one such call: raise daily_tokens or daily_cost",
            ),
            Self::Day { until, .. } => {
                write!(f, "the cap of the day is reached; goes on at {}", until.rfc3339())
            }
            Self::Session { until } => {
                write!(f, "the session has had its share; goes on at {}", until.rfc3339())
            }
            Self::Backlog { until } => {
                write!(f, "no session lives; the backlog goes on at {}", until.rfc3339())
            }
            Self::Price { model } => {
                write!(f, "nobody knows what '{model}' costs, so the cap of cost cannot be kept")
            }
            Self::Unwritten(error) => write!(f, "the ledger cannot be written: {error}"),
        }
    }
}

/// Who says whether a call may be sent, and keeps count of what was spent.
///
/// A call is sent only with a [`Reservation`], which is durable before [`Self::reserve`] returns.
/// One that is never settled, because the process died, stays charged in full.
#[async_trait]
pub trait Budget: Send + Sync + fmt::Debug {
    /// Sets aside the most that a call can use.
    async fn reserve(&self, call: &Call) -> Result<Reservation, Over>;

    /// Puts what a call used in place of what was set aside for it.
    async fn settle(&self, reservation: Reservation, charge: Charge) -> crate::Result<()>;

    /// As [`settle`](Self::settle), and keeps the answer in the same step, so that it is not paid
    /// for a second time where the process ends before it is used.
    async fn settle_keeping(
        &self,
        reservation: Reservation,
        charge: Charge,
        answer: NewAnswer,
    ) -> crate::Result<()>;
}

/// Lets every call through, counts nothing and keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

#[async_trait]
impl Budget for Unlimited {
    async fn reserve(&self, _: &Call) -> Result<Reservation, Over> {
        Ok(Reservation(0))
    }

    async fn settle(&self, _: Reservation, _: Charge) -> crate::Result<()> {
        Ok(())
    }

    async fn settle_keeping(&self, _: Reservation, _: Charge, _: NewAnswer) -> crate::Result<()> {
        Ok(())
    }
}
