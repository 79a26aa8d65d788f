//! The person's own Claude Code as an observer without tools.
//!
//! One process answers many questions, one at a time. It is started anew when the conversation so
//! far, which it sends along each time, would grow beyond a bound, when the role changes, and after
//! every error; it leaves when it has had nothing to do for a while. Its input is a pipe of this
//! process, so it does not outlive it.

mod command;
mod neutral;
mod observer;
mod result;
mod talk;

pub(super) use observer::ClaudeCli;
