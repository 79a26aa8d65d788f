//! `afterword provider status|test`
//!
//! Works without the daemon, on the settings as they are now.

mod status;
mod trial;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Tools;

pub(super) use trial::trial;

/// Show or try who runs a language model
#[derive(Debug, Args)]
pub(super) struct ProviderArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what is configured; sends nothing
    Status,
    /// Ask one small question and say what it cost
    Test,
}

/// Runs the sub-command.
pub(super) fn provider(tools: &Tools, arguments: &ProviderArguments) -> anyhow::Result<ExitCode> {
    match arguments.action {
        Action::Status => status::status(tools),
        Action::Test => trial::test(tools),
    }
}
