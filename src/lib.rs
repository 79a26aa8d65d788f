//! The binary, one folder a role; see `ARCHITECTURE.md`.
//!
//! `main` hands over here. The hook is dispatched before anything else is set up: it must not pay
//! for an argument parser, a runtime or a database.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::{io, panic};

pub mod api;
pub mod assembly;
pub mod cli;
pub mod client;
pub mod config;
pub mod daemon;
pub mod folder;
pub mod hook;
pub mod install;
pub mod mcp;
pub mod team;

/// Runs the program with its arguments (without the program's name).
///
/// `hook` ends with success whatever happens; people's commands say by their exit code who can mend
/// what went wrong: 2 what was typed, 3 the settings, 4 the daemon, 1 anything else.
pub fn main(args: Vec<OsString>) -> ExitCode {
    if args.first().is_some_and(|word| word == "hook") {
        run_hook(&args[1..]);
        return ExitCode::SUCCESS;
    }
    let (config, problem) = load(config::Env::capture());
    cli::run(args, config, problem, Arc::new(config::SystemClock))
}

/// The settings; good ones are copied for the time when they are not.
fn load(env: config::Env) -> (config::Config, Option<String>) {
    let (config, problem) = config::Config::load(env);
    if problem.is_none() {
        // Where it cannot be written, an older copy is stricter or there is none.
        folder::last_good::keep(&config.home).ok();
    }
    (config, problem)
}

/// The hook succeeds and stays silent whatever happens, even where a promise of this code breaks.
fn run_hook(args: &[OsString]) {
    let env = config::Env::capture();
    // Without a data folder nothing can be kept, and whatever folder is the current one is not it.
    if env.hooks_disabled() || env.home_folder().is_none() {
        return;
    }
    panic::set_hook(Box::new(|_| {}));
    let watchdog = hook::watchdog::Watchdog::start(hook::starts_session(args));
    let outcome = panic::catch_unwind(|| {
        let (config, problem) = load(env);
        if let Some(problem) = problem {
            hook::log::note(&config.home, &config::SystemClock, "hook", &problem);
        }
        let mut stdout = io::stdout().lock();
        hook::run(args, &config, &config::SystemClock, &watchdog, &mut stdout);
    });
    drop(outcome);
}
