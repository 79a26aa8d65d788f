//! stdin → event → reply, in milliseconds, whatever happens.
//!
//! [`run`] is the whole role: [`stdin`] reads the payload, an adapter of [`agents`] understands it,
//! [`project`] and [`pause`] say where it belongs and whether it is wanted, `before_tool` answers for
//! tools that are about to run: the [`guard`], and what is known of a file, [`boundary`](afterword_domain::boundary) cleans and cuts what may
//! leave, [`delivery`] hands it to the daemon or to the [`spool`]; [`remote`] is the way where a remote service keeps memories. Nothing here can fail: trouble is a line in [`log`],
//! and what hangs is ended by the [`watchdog`].

pub mod agents;
mod before_tool;
pub mod delivery;
mod flow;
pub mod guard;
pub mod health;
pub mod log;
pub mod pause;
pub mod platform;
pub mod project;
pub mod remote;
pub mod spool;
pub mod stdin;
pub mod transcript;
pub mod watchdog;

pub use flow::{run, run_with, starts_session};
