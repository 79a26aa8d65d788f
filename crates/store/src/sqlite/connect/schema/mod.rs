//! The schema: how it came to be step by step, and whether it is all there.

mod migrate;
mod shape;

pub(super) use migrate::{migrate, refuse_newer, refuse_version};
pub(crate) use shape::differences;
pub(super) use shape::repair;

#[cfg(test)]
mod tests;
