//! Bodies that cross a process boundary, shared by clients and servers so that neither borrows
//! from the other.

pub mod context;
pub mod daemon;
pub mod events;
pub mod live;
pub mod memory;
pub mod observer;
pub mod portable;
pub mod recall;
pub mod search;
pub mod spool;
pub mod status;
pub mod team;
pub mod timeline;
pub mod viewer;

pub use status::{jobs, spend};

/// The version of everything in this folder as spoken between hook, commands and daemon.
///
/// Separate from the release: it changes only when an older peer would misread a newer one.
pub const PROTOCOL: u32 = 1;

/// The header that names the protocol version in every answer of the daemon.
pub const PROTOCOL_HEADER: &str = "x-afterword-protocol";
