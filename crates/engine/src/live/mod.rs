//! What happens, as it happens, for whoever watches.
//!
//! The store's log of changes is the truth: its numbers are the ids of events, and they survive a
//! restart. [`signal`] only wakes those who watch; each [`Follower`] reads the log at its own pace,
//! so nobody waits for a slow one, and [`tell`] makes messages of what it reads. Another server on
//! the same store wakes them by [`Engine::wake_watchers`](crate::Engine::wake_watchers).

mod follow;
mod signal;
mod tell;
#[cfg(test)]
mod tests;

pub use follow::{Follower, LiveEvent, Place};
pub(crate) use signal::Live;
