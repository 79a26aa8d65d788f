//! A stand-in for the Messages API on loopback, so that the real client runs without an account.
//!
//! A marker `[[script:NAME]]` in a prompt selects a script, a list of turns; which turn is due
//! follows from how often the model has answered since. Requests to summarise a conversation are
//! answered with a fixed summary, prompts without a marker with a fixed sentence. Every request is
//! recorded.

pub(crate) mod http;
pub(crate) mod reply;
mod requests;
mod script;
mod server;

pub use requests::{Request, Sighting};
pub use script::Turn;
pub use server::ModelStub;
