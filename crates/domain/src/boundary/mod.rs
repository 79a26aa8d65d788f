//! What may leave the hook, and what may enter the store: every text of an event cleaned, then cut to
//! size.
//!
//! One function for every event, sent or spooled, and again at intake for whoever else calls.
//! `bound` cuts what is too large to be looked through, `key_files` drops what key files hold,
//! `cut` keeps texts and lists to their sizes, `names` treats what rows are found by.

mod bound;
mod cut;
mod key_files;
mod lines;
mod names;
mod seal;
mod written;

pub use key_files::KEY_FILE;
pub use names::{agent_name, clean_changed, clean_file_question, clean_project, session_id};
pub use seal::{EVENT, Sealed, TEXT, seal};

#[cfg(test)]
mod tests;
