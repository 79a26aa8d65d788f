//! The one blocking door to the daemon: plain sockets, no runtime, one deadline a call.
//!
//! [`endpoint`] finds the daemon of a data folder, [`http`] speaks to it, [`spawn`] starts it, and
//! [`platform`] holds what differs by operating system. Hooks, commands and the MCP role use
//! [`Client`] and nothing below it.

pub mod door;
pub mod endpoint;
pub mod http;
pub mod platform;
pub mod spawn;

pub use door::{CallError, Client, Ready, ensure_running, start_now};
pub use endpoint::Unreachable;
pub use http::Answer;
