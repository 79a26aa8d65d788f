//! The binary, one folder a role; see `ARCHITECTURE.md`.
//!
//! `main` hands over here. The hook is dispatched before anything else is set up: it must not pay
//! for an argument parser, a runtime or a database.

use std::ffi::OsString;
use std::process::ExitCode;

pub mod client;
pub mod config;
pub mod hook;
pub mod install;

/// Runs the program with its arguments (without the program's name).
pub fn main(_args: Vec<OsString>) -> ExitCode {
    ExitCode::SUCCESS
}
