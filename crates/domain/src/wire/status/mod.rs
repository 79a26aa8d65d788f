//! Where everything stands: the counts of every stage, what waits, and what was spent.

mod asked;
mod counts;
pub mod jobs;
pub mod spend;

pub use asked::ModelAsked;
pub use counts::*;
