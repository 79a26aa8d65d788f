//! What earlier work has to say to a prompt: [`answers`] chooses rows, [`block`] makes their text.

mod answers;
mod block;

pub use block::prompt_recall;
