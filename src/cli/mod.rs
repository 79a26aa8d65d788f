//! People's commands, one file each.
//!
//! [`run`] parses the arguments and hands over; [`output`] is the only place that prints; [`door`]
//! speaks to the daemon and turns its errors into sentences.

mod arguments;
mod daemon;
mod demo;
mod doctor;
mod door;
mod eval;
mod input;
mod install;
mod jobs;
mod live;
mod mcp;
mod memory;
mod model;
mod output;
mod project;
mod provider;
mod reference;
mod status;
mod team;
mod width;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use afterword_domain::Clock;
use clap::Parser as _;

use crate::config::Config;
use arguments::{Arguments, Command};
use output::{Failure, Output};

pub use reference::reference;

/// What a command is given.
struct Tools {
    config: Config,
    /// Why `config.toml` is not in force, where it is not.
    problem: Option<String>,
    clock: Arc<dyn Clock>,
    out: Output,
}

/// Runs a people's command; errors become one sentence, a hint and an exit code.
pub(crate) fn run(
    args: Vec<OsString>,
    config: Config,
    problem: Option<String>,
    clock: Arc<dyn Clock>,
) -> ExitCode {
    let plain = config.env.get("NO_COLOR").is_some();
    let name = OsString::from("afterword");
    let json = args.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let arguments = match Arguments::try_parse_from(std::iter::once(name).chain(args)) {
        Ok(arguments) => arguments,
        Err(error) => return output::usage(&error, json),
    };
    let columns = config.env.get("COLUMNS").and_then(|columns| columns.trim().parse().ok());
    let out = Output::new(arguments.json, plain, columns);
    let tools = Tools { config, problem, clock, out };
    if tools.config.env.home_folder().is_none() {
        let what = "there is no data folder: set HOME, or AFTERWORD_HOME to a folder of your own";
        return tools.out.failure(&Failure::Config(what.to_owned()).into());
    }
    if let Some(problem) = &tools.problem {
        tools.out.note(&format!("warning: {problem}"));
    }
    let result = match arguments.command {
        Command::Install(arguments) => install::install(&tools, &arguments),
        Command::Uninstall(arguments) => install::uninstall(&tools, &arguments),
        Command::Search(arguments) => memory::search(&tools, &arguments),
        Command::Timeline(arguments) => memory::timeline(&tools, &arguments),
        Command::Show(arguments) => memory::show(&tools, &arguments),
        Command::Context(arguments) => memory::context(&tools, &arguments),
        Command::Remember(arguments) => memory::remember(&tools, &arguments),
        Command::Forget(arguments) => memory::forget(&tools, &arguments),
        Command::Import(arguments) => memory::import(&tools, &arguments),
        Command::Export(arguments) => memory::export(&tools, &arguments),
        Command::Pause(arguments) => memory::pause(&tools, &arguments),
        Command::Resume(arguments) => memory::resume(&tools, &arguments),
        Command::Open(arguments) => live::open(&tools, &arguments),
        Command::Tail(arguments) => live::tail(&tools, &arguments),
        Command::Status => status::status(&tools),
        Command::Jobs(arguments) => jobs::jobs(&tools, &arguments),
        Command::Spend(arguments) => status::spend(&tools, &arguments),
        Command::Doctor(arguments) => doctor::doctor(&tools, &arguments),
        Command::Demo(arguments) => demo::demo(&tools, &arguments),
        Command::Eval(arguments) => eval::eval(&tools, &arguments),
        Command::Model(arguments) => model::model(&tools, &arguments),
        Command::Provider(arguments) => provider::provider(&tools, &arguments),
        Command::Deliver(arguments) => daemon::deliver(&tools, &arguments),
        Command::Daemon(arguments) => daemon::daemon(&tools, &arguments),
        Command::Mcp(arguments) => mcp::mcp(&tools, &arguments),
        Command::Serve(arguments) => team::serve(&tools, &arguments),
        Command::Token(arguments) => team::token(&tools, &arguments),
        // Dispatched before the parser; here for the help only.
        Command::Hook => Ok(ExitCode::SUCCESS),
    };
    match result {
        Ok(code) => code,
        Err(error) => tools.out.failure(&error),
    }
}
