//! The data folder on disk, as every role meets it: a leaf that knows only settings and nouns.
//!
//! [`files`] reads and writes private files whole; [`brake`] is the record of attempts to start
//! the daemon, which callers and the daemon itself write; [`settings`] changes one switch of
//! `config.toml`, and [`last_good`] keeps a copy from when it was good.

pub mod brake;
pub mod files;
pub mod last_good;
pub mod settings;
