//! Looking on: in the browser, and what happens as it happens.

mod line;
mod open;
mod tail;

pub(super) use open::{OpenArguments, open};
pub(super) use tail::{TailArguments, tail};
