//! The summary of a turn, what it left open, and the roll-up of a session's turns.

mod of_turn;
mod open_end;
mod roll_up;

pub(super) use of_turn::{next_steps, of_turn};
pub(crate) use roll_up::MAX_TURNS;
pub use roll_up::roll_up;
