//! Command lines: what ran, whether it is worth telling, and what a check checks.

mod check;
mod line;

pub(super) use check::{Check, failed_names};
pub(super) use line::{Command, segments, words_of};
