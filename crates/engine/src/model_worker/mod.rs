//! The worker that has a model read turns and sessions: it sleeps until work is due, and never
//! polls.
//!
//! Nothing is sent without a reservation and a note of the try, both durable before the call, and
//! an answer is kept with its charge before it is read: a crash costs the try whose answer had not
//! come, and what was paid for is used by the next process. `hold` keeps the provider alone where
//! it wants or must be, `heed` says when that is, `ask` makes one call and says what to do about its
//! end, `turn` and `session` save what came of it, `later` goes on with it.

mod ask;
mod heed;
mod hold;
mod later;
mod queue;
mod run;
mod session;
#[cfg(test)]
mod tests;
mod turn;

use std::sync::atomic::AtomicI64;

use tokio::sync::Notify;

pub(crate) use hold::Hold;
pub(crate) use later::go_on;
pub(crate) use turn::{new_summary, summary_of};

/// A session without an event for this long is summed up, in milliseconds.
pub(crate) const IDLE_MS: i64 = 30 * 60_000;

/// A turn that nothing closes is over when its session is idle. Rules tell of it meanwhile; a model
/// is asked once a turn, so neither a long build nor a question that waits for the person may pass
/// for its end.
pub(crate) const QUIET_MS: i64 = IDLE_MS;

/// What the worker keeps between jobs.
#[derive(Debug, Default)]
pub(crate) struct ModelWork {
    /// Wakes the worker.
    pub(crate) due: Notify,
    /// The session that was served last.
    served: AtomicI64,
    /// Why and until when the provider is left alone.
    pub(crate) hold: Hold,
}
