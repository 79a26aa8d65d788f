//! The local process: one for each data folder, found through `daemon.json`.
//!
//! [`run`] owns the lock, opens the store, publishes the endpoint, serves until it is told to stop
//! or has been idle for long, and leaves nothing behind but the data.

mod endpoint;
mod lock;
mod log;
mod platform;
mod serve;
mod spool;

pub use serve::{Exit, Options, run};

/// Whether a daemon owns the data folder now, answering or not.
pub fn is_owned(home: &crate::config::Home) -> bool {
    home.lock_file().exists() && matches!(lock::take(&home.lock_file()), Ok(None))
}
