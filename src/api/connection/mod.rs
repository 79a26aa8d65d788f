//! Connections: accepted, bounded, and ended when the system says so.

mod ending;
mod refusal;
mod server;

pub use ending::asked_to_end;
pub use server::{Peer, Serving, serve};
