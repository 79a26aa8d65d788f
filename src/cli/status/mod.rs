//! Where everything stands, and what it cost.

mod counts;
mod page;
mod remote;
mod spend;

pub(super) use counts::status;
pub(super) use spend::{SpendArguments, spend};
