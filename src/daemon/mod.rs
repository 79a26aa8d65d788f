//! The local process: one for each data folder, found through `daemon.json`.
//!
//! [`run`] owns the lock, opens the store, publishes the endpoint, serves until it is told to stop
//! or has been idle for long, and leaves nothing behind but the data.

mod endpoint;
mod lock;
mod log;
mod losses;
mod platform;
mod serve;
mod spool;

pub use crate::api::{Machine, Setting};
pub use crate::assembly::{mode, open_ledger, open_provider, settings_mark};
pub use serve::{Exit, Options, run};

/// Ends the daemon that owns the data folder without asking it; gives the process that was ended.
///
/// Only where the system tells for certain which process that is: the published one, if it holds
/// the folder's lock file open. What it has stored stays; what it was just doing is done again by the next one.
pub fn end_owner(home: &crate::config::Home) -> Option<u32> {
    let owner = endpoint::published(&home.endpoint_file())?;
    let ended = is_owned(home) && platform::end_holder(owner.pid, &home.lock_file());
    ended.then_some(owner.pid)
}

/// Publishes again where the owner of the data folder answers, if somebody took `daemon.json` away.
pub fn republish(home: &crate::config::Home) -> std::io::Result<()> {
    endpoint::republish(home)
}

/// Whether a daemon owns the data folder now, answering or not.
pub fn is_owned(home: &crate::config::Home) -> bool {
    home.lock_file().exists() && matches!(lock::take(&home.lock_file()), Ok(None))
}

/// Events in the spool folder and files set aside there, counted without a daemon.
pub fn spool_count(home: &crate::config::Home) -> (u64, u64) {
    (spool::count(&home.spool()), spool::count_bad(&home.spool()))
}
