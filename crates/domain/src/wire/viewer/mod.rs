//! What the viewer asks and is answered, under `/api/viewer`.

mod explain;
mod feed;
mod revise;
mod settings;
mod story;

pub use explain::{ContextExplained, LeftOut, ShownItem, Why, WhyLeftOut};
pub use feed::{BadCursor, Feed, FeedCursor, FeedRequest, Found, FoundEntry};
pub use revise::{MergeRequest, ReviseRequest, RevisionRow, Revisions, RowContent};
pub use settings::{
    Boot, Changeable, DayRows, Growth, PauseState, ProjectPause, Setting, ViewerSettings,
};
pub use story::{
    Conversation, Conversations, EvidenceAnswer, SessionCard, Story, StoryEvent, StoryTurn,
    WholeEvent,
};
