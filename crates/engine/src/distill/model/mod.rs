//! Distilling with a language model: what is asked of it, and what is made of its answer.
//!
//! `evidence` shows a turn, numbered and within a size; `request` puts it into a question, in the
//! words of a [`Mode`] and a [`Language`]; [`budget`] is asked before anything is sent; `answer`
//! reads what comes back, leniently; `weigh` sets its claims against the evidence. Prompts are files
//! in `prompts/`. All of it but the budget is a pure function of its input.

pub mod answer;
pub mod budget;
mod evidence;
mod language;
mod mode;
mod request;
mod weigh;

use std::fmt;
use std::sync::Arc;

pub(crate) use evidence::neutral;
pub use evidence::{Evidence, ROOM};
pub use language::Language;
pub use mode::{BadMode, CODE, Mode};
pub(crate) use request::written;
pub use request::{SESSION_ROOM, about_session, about_turn};
pub use weigh::{CONFIRMED, HYPOTHESIS, NO_EVIDENCE, REFUTED, Weighed, weigh};

use crate::provider::Provider;
use budget::{Budget, Unlimited};

/// A model that distils, and what holds for it.
pub struct Model {
    /// Who runs it.
    pub provider: Arc<dyn Provider>,
    /// What it may cost.
    pub budget: Arc<dyn Budget>,
    /// What it is told to look for.
    pub mode: Mode,
    /// Why that is not what the settings name.
    pub mode_problem: Option<String>,
    /// What it writes in.
    pub language: Language,
    /// Tokens of a day that may go on what waits while no session lives; 0: none, it goes on
    /// waiting.
    pub backlog_tokens: u64,
    /// A number from 0 up to 1, another one every time: how far waits are spread.
    pub chance: Box<dyn Fn() -> f64 + Send + Sync>,
}

impl Model {
    /// A model with everything but its provider as it is by default, and without a limit.
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        Self {
            provider,
            budget: Arc::new(Unlimited),
            mode: Mode::default(),
            mode_problem: None,
            language: Language::default(),
            backlog_tokens: 0,
            chance: Box::new(chance),
        }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("provider", &self.provider)
            .field("mode", &self.mode.name)
            .finish_non_exhaustive()
    }
}

/// Random enough to keep two machines apart.
fn chance() -> f64 {
    f64::from(uuid::Uuid::new_v4().as_fields().0) / 4_294_967_296.0
}
