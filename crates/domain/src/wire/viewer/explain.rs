//! The context block with its reasons.

use serde::{Deserialize, Serialize};

use crate::ids::PublicId;
use crate::time::Time;
use crate::wire::context::ContextBlock;

/// The block that the next session would be given, and why it is so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextExplained {
    /// The block, exactly.
    #[serde(flatten)]
    pub block: ContextBlock,
    /// Most characters it may have, in UTF-16 units.
    pub budget: usize,
    /// Characters it has.
    pub used: usize,
    /// About how many tokens it has.
    pub tokens: u64,
    /// The branch that a session would start on, where it is known.
    pub branch: Option<String>,
    /// Files that are changed and not committed, as a session would report them.
    pub changed_files: Vec<String>,
    /// Whether nothing is given because capture and context are paused, or context is switched off.
    pub switched_off: bool,
    /// What the block shows, in order.
    pub items: Vec<ShownItem>,
    /// What was looked at and left out, newest first; at most 200.
    pub left_out: Vec<LeftOut>,
}

/// A row in the block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownItem {
    /// The row.
    pub id: PublicId,
    /// The heading that it stands under, as in the block.
    pub section: String,
    /// Its first line in the block, as in the block.
    pub line: String,
    /// Why it is there, the weightiest reason first.
    pub why: Vec<Why>,
}

/// Why a row is in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It tells of the last session.
    LastSession,
    /// It tells of a session before the last one.
    EarlierSession,
    /// It was kept before the compaction that the session goes on after.
    BeforeCompaction,
    /// It was told on purpose.
    Told,
    /// It is a decision that holds.
    Decision,
    /// The person said it.
    Person,
    /// It is recent.
    Recent,
    /// It is of the branch that is checked out.
    SameBranch,
    /// It concerns a file of the last session or of the next steps.
    FileAtHand,
    /// It concerns a file that is changed and not committed.
    ChangedFile,
    /// It was found for the next steps.
    Related,
    /// It tells how something was fixed, made or found out.
    Finding,
    /// It is named so that it can be looked up.
    Index,
}

/// A row that is not in the block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// The row.
    pub id: PublicId,
    /// One line.
    pub title: String,
    /// When it was made.
    pub created_at: Time,
    /// Why it is not there.
    pub why: WhyLeftOut,
}

/// Why a row is not in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WhyLeftOut {
    /// There was no room for it.
    NoRoom,
    /// A newer one says otherwise.
    Superseded,
    /// It was shown to be wrong later.
    Refuted,
    /// It is a failure that the session's summary tells of, or that was seen to pass later.
    ToldBySummary,
    /// The block says the same elsewhere.
    SaidAlready,
    /// A newer summary stands for the session, or it is too old to be told.
    OlderSession,
}
