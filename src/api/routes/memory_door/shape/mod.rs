//! What the door answers: the spellings of the platform, of mem0's self-hosted server and of
//! AnalyticDB in one, where they do not contradict each other.

mod history;
mod item;
mod list;
mod owners;
mod receipt;

pub(in crate::api) use history::HistoryItem;
pub(in crate::api) use item::{Item, Parts, item, only};
pub(in crate::api) use list::{ListOrPage, ListOrResults, Page, Results, Shown};
pub(in crate::api) use owners::{Entities, OwnedBy};
pub(in crate::api) use receipt::{Added, AddedItem, Event, added, added_list, event};

use schemars::JsonSchema;
use serde::Serialize;

/// That something was done, in a sentence.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Told {
    /// What was done.
    pub(in crate::api) message: String,
    /// How many memories it concerned, where it can be several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::api) count: Option<u64>,
}

impl Told {
    pub(in crate::api) fn plain(message: &str) -> Self {
        Self { message: message.to_owned(), count: None }
    }

    /// `Successfully deleted 3 memories`.
    pub(in crate::api) fn counted(verb: &str, count: u64) -> Self {
        let noun = if count == 1 { "memory" } else { "memories" };
        Self { message: format!("Successfully {verb} {count} {noun}"), count: Some(count) }
    }
}
