//! The context block on its way to whoever asked.

use serde::{Deserialize, Serialize};

use crate::ids::PublicId;
use crate::project::ProjectRef;

/// The name of the element that wraps the block, once.
pub const BLOCK_TAG: &str = "afterword-context";

/// Most characters a block may have, in UTF-16 units (and so in code points).
///
/// Claude Code replaces what is longer than 10,000 characters by a stub; the rest is margin.
pub const BLOCK_BUDGET: usize = 9_500;

/// Body of `POST /api/context`: whose block is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextQuestion {
    /// The project.
    #[serde(flatten)]
    pub project: ProjectRef,
    /// As in the event of a session's start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_files: Vec<String>,
}

/// A rendered block and what it was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextBlock {
    /// The text with its wrapper; empty when there is nothing to say.
    pub text: String,
    /// The rows it shows, in order.
    pub shown: Vec<PublicId>,
    /// How many rows were left out for want of room.
    pub left_out: usize,
}
