//! The local process: run, started and stopped; and what its viewer may ask of the machine.

mod control;
mod deliver;
mod machine;

pub(super) use control::{DaemonArguments, daemon, stop};
pub(super) use deliver::{DeliverArguments, deliver};
