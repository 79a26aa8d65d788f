//! What happened to rows and sessions: told to whoever watches, and done by people.

mod live;
mod revisions;

pub use live::{LiveChange, LiveChanges, LiveStore, RowChange, SessionChange, What};
pub use revisions::{NewContent, Revised, Revision, RevisionStore};
