//! What happens, as it happens.

mod line;
mod tail;

pub(super) use tail::{TailArguments, tail};
