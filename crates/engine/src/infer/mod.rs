//! Facts drawn from messages and kept as memories.
//!
//! [`Engine::infer`](crate::Engine::infer) is the one door. `messages` cleans what was said, `near`
//! finds what is known, `ask` has a model draw the facts in one call within its budget, `rules`
//! draws them where there is none, and `compare` says of each fact whether it is known, new, or in
//! the place of something older. Nothing is ever destroyed: what does not hold any more stays, with
//! the uid of what took its place.

mod ask;
mod compare;
mod messages;
mod near;
mod request;
mod rules;
mod run;
#[cfg(test)]
mod tests;

use afterword_domain::Time;
use afterword_domain::memory::Attributes;
use afterword_domain::owner::Owner;
use afterword_domain::project::ProjectRef;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use afterword_store::contract::{FactChange, KeptFact};
pub use messages::{Message, Speaker};

/// Facts of one inference.
const MOST_FACTS: usize = 30;

/// Characters of a fact.
const MOST_CHARS: usize = 500;

/// The field of a memory's metadata in which an inference says how it came to be.
///
/// An object with `by` (`model` or `rules`), `said_by` (`user` or `assistant`) and, where the fact
/// has one, the `date` of its event as `YYYY-MM-DD`. What a caller has put there is replaced.
pub const ABOUT: &str = "afterword";

/// What facts are drawn from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InferRequest {
    /// Names the request: asked for once more with the same id, after a crash too, it costs
    /// nothing a second time and changes nothing. The messages must then be the same.
    pub id: Uuid,
    /// What was said, oldest first. The last 200 are read, 32 KiB of each; a model is shown the last
    /// 12,000 bytes.
    pub messages: Vec<Message>,
    /// Where the facts belong.
    pub project: ProjectRef,
    /// A caller's own fields, kept with every fact: an object or null.
    #[serde(default)]
    pub metadata: Value,
    /// Whose the facts are: they are held only against memories that have all of these names. Where
    /// it is nobody, the fields [`OwnerKind::field`](afterword_domain::owner::OwnerKind::field) of the
    /// metadata say it.
    #[serde(default)]
    pub owner: Owner,
    /// What else is kept with every fact; the role is that of whoever said it.
    #[serde(default)]
    pub attributes: Attributes,
    /// When the messages were said that have no time of their own; now unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// How far the speakers' clocks are ahead of UTC, in minutes: where their days begin.
    #[serde(default)]
    pub offset_minutes: i32,
    /// What the caller wishes to be kept besides, in words for a model; rules do not read it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wishes: String,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// Who drew the facts.
    pub by: DrawnBy,
    /// The facts in the order they were said; none where nothing is worth keeping.
    pub facts: Vec<KeptFact>,
}

/// Who drew facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawnBy {
    /// A model.
    Model,
    /// Rules.
    Rules {
        /// Why no model did, for people.
        why: String,
    },
    /// The same request had been answered before.
    Earlier,
}

/// A fact on its way to a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fact {
    /// One sentence, or a few that belong together.
    text: String,
    /// When it was said.
    said_at: Time,
    /// Who said it.
    said_by: Speaker,
    /// The day of an event, `YYYY-MM-DD`.
    date: Option<String>,
}
