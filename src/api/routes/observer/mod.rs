//! The observer door: bodies that integrations of the five-stage observer send, old spellings and
//! new, translated into the same intake.
//!
//! Every answer carries the keys of both spellings. Nothing here waits for distilling. `call` reads
//! what callers send, `session` has the five stages, `state` what they ask about the server.

mod call;
mod session;
mod state;

pub(super) use session::{complete, init, init_by_id, observation, summarize};
pub(super) use state::{processing, processing_status, readiness, version};
