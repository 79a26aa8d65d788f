//! HTTP and live events, shared by the daemon and the team server.
//!
//! `routes/` has one file a noun; [`door`] is what every route may touch; [`auth`] stands in front
//! of all of them. Routes translate: the rules are the engine's.

mod auth;
mod door;
mod error;
mod routes;

pub use door::{Door, DoorSetup, SpoolCount};
pub use routes::router;
