//! The local process: run, started and stopped; and what its viewer may ask of the machine.

mod control;
mod machine;

pub(super) use control::{DaemonArguments, daemon, stop};
