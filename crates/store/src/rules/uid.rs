//! Ids of rows that are unique across machines.

use afterword_domain::Time;
use uuid::{NoContext, Timestamp, Uuid};

/// A new uid that sorts by the time it belongs to.
pub(crate) fn new_uid(at: Time) -> Uuid {
    let ms = u64::try_from(at.millis()).unwrap_or(0);
    let nanos = u32::try_from(ms % 1000).unwrap_or(0) * 1_000_000;
    Uuid::new_v7(Timestamp::from_unix(NoContext, ms / 1000, nanos))
}
