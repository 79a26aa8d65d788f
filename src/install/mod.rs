//! Edits other programs' config files so that every change can be taken back.

pub mod json_file;
