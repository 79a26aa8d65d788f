//! What viewers and integrations of the five-stage observer read: lists are texts that hold JSON,
//! times come twice, ids are the bare keys of the tables.

mod corpus;
mod platform;
mod rows;
mod sessions;
mod tool_uses;

pub use corpus::{Corpus, CorpusFilter, CorpusRange, CorpusStats};
pub use platform::{agent, platform};
pub use rows::{ObserverObservation, ObserverPrompt, ObserverSummary, RowPlace};
pub use sessions::{ObserverProjects, ObserverSession};
pub use tool_uses::ObserverToolUse;
