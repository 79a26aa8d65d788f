//! What may leave the hook, and what may enter the store: every text of an event cleaned, then cut to
//! size.
//!
//! One function for every event, sent or spooled, and again at intake for whoever else calls.
//! [`key_files`] drops what key files hold, [`cut`] keeps texts and lists to their sizes.

mod cut;
mod key_files;
mod seal;

pub use key_files::KEY_FILE;
pub use seal::{EVENT, Sealed, TEXT, seal};

#[cfg(test)]
mod tests;
