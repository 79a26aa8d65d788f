//! What a ledger is written in: days, and amounts as people read them.

pub mod amounts;
pub mod day;
