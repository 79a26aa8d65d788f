//! The spool: one file an event, written by a hook when the daemon cannot take it.
//!
//! A file is made under a temporary name, synced and renamed, so a reader sees whole files only; a
//! torn file can lose nothing but itself. Names sort by the time of the event.

use uuid::Uuid;

use crate::event::Event;
use crate::time::Time;

/// The folder of the spool inside the data folder.
pub const FOLDER: &str = "spool";

/// Where files that cannot be read are set aside, inside the spool.
pub const BAD_FOLDER: &str = "bad";

/// Ending of a complete spool file.
pub const ENDING: &str = ".event.json";

/// Ending of a file that a hook has not finished.
pub const UNFINISHED: &str = ".tmp";

/// What a hook's log says of an event that could be kept nowhere.
pub const LOST: &str = "an event is lost";

/// When the event of a file happened, by the file's name.
pub fn time_of(file_name: &str) -> Option<Time> {
    file_name.split('-').next()?.parse().ok().map(Time::from_millis)
}

/// The name of the file for one event: time, then the event's uid.
pub fn file_name(at: Time, uid: Uuid) -> String {
    format!("{:015}-{}{ENDING}", at.millis().max(0), uid.simple())
}

/// The bytes of a spool file.
pub fn encode(event: &Event) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(event)
}

/// Reads a spool file; what is broken beyond repair is an error, never a panic.
pub fn decode(bytes: &[u8]) -> serde_json::Result<Event> {
    serde_json::from_slice(bytes)
}
