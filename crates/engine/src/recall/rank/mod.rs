//! One score in [0, 1] for a row and a question, the order it gives, and what says the same.

mod beside;
mod dates;
mod matching;
mod meaning;
mod same;
mod score;
pub(super) mod weights;

#[cfg(test)]
mod tests;

pub(super) use dates::Dates;
pub(super) use meaning::Meaning;
pub(super) use same::drop_repeats;
pub(super) use score::{Parts, Question, Ranked, halved};
