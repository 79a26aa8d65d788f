//! The binary, one folder a role; see `ARCHITECTURE.md`.
//!
//! `main` hands over here. The hook is dispatched before anything else is set up: it must not pay
//! for an argument parser, a runtime or a database.

use std::ffi::OsString;
use std::process::ExitCode;
use std::{io, panic};

pub mod client;
pub mod config;
pub mod hook;
pub mod install;

/// Runs the program with its arguments (without the program's name).
pub fn main(args: Vec<OsString>) -> ExitCode {
    let mut words = args.into_iter();
    if words.next().is_some_and(|word| word == "hook") {
        run_hook(&words.collect::<Vec<_>>());
    }
    ExitCode::SUCCESS
}

/// The hook succeeds and stays silent whatever happens, even where a promise of this code breaks.
fn run_hook(args: &[OsString]) {
    let env = config::Env::capture();
    if env.hooks_disabled() {
        return;
    }
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(|| {
        let (config, problem) = config::Config::load(env);
        if let Some(problem) = problem {
            hook::log::note(&config.home, &config::SystemClock, "hook", &problem);
        }
        hook::run(args, &config, &config::SystemClock, &mut io::stdout().lock());
    });
    drop(outcome);
}
