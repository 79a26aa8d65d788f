//! The one blocking door to the daemon: plain sockets, no runtime, one deadline a call.
//!
//! [`endpoint`] finds the daemon of a data folder, [`http`] speaks to it, [`door`] makes it prove
//! itself and asks, [`events`] listens to what happens, [`spawn`] starts it, [`running`] does what it takes to have one that answers,
//! and [`platform`] holds what differs by operating system. Hooks, commands and the MCP role use
//! what this file exports and nothing below it.

mod answer;
pub mod door;
pub mod endpoint;
pub mod events;
pub mod http;
pub mod platform;
pub mod remote;
pub mod running;
pub mod spawn;
mod wire;

#[cfg(test)]
#[path = "tests/fake.rs"]
mod fake;

pub use door::{CallError, Client};
pub use endpoint::Unreachable;
pub use events::{Events, ServerEvent};
pub use http::Answer;
pub use running::{Ready, ensure_running, replace_outdated, start_now};
pub use spawn::own_binary;
