//! `afterword pause` and `afterword resume`

use std::process::ExitCode;

use afterword_domain::project::ProjectRef;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use crate::cli::door::Door;
use crate::cli::output::Failure;
use crate::cli::{Tools, project};
use crate::hook::pause as paused;

/// Stop or go on with capture and context
#[derive(Debug, Args)]
pub(in crate::cli) struct PauseArguments {
    /// Only for this project: a name or a folder (`.` is the current one); everywhere unless given
    #[arg(long, value_name = "NAME|PATH")]
    project: Option<String>,
}

fn which(tools: &Tools, arguments: &PauseArguments) -> anyhow::Result<Option<ProjectRef>> {
    let Some(text) = arguments.project.as_deref() else { return Ok(None) };
    // A folder needs no daemon; only a name does.
    let found = match project::of_folder(tools, text)? {
        Some(found) => found,
        None => project::known(tools, &Door::open(tools)?, text)?,
    };
    if found.keys.is_empty() {
        return Err(Failure::User(format!(
            "'{}' was made by its name alone and has no folder: no hook works in it",
            found.name
        ))
        .into());
    }
    Ok(Some(found))
}

/// Stops capture and context from the next hook on.
pub(in crate::cli) fn pause(tools: &Tools, arguments: &PauseArguments) -> anyhow::Result<ExitCode> {
    let project = which(tools, arguments)?;
    paused::pause(&tools.config.home, project.as_ref()).context("cannot note the pause")?;
    say(tools, project.as_ref(), true)
}

/// Goes on with capture and context from the next hook on.
pub(in crate::cli) fn resume(
    tools: &Tools,
    arguments: &PauseArguments,
) -> anyhow::Result<ExitCode> {
    let project = which(tools, arguments)?;
    paused::resume(&tools.config.home, project.as_ref())
        .context("cannot note the end of the pause")?;
    let still = project.as_ref().is_some_and(|p| paused::is_paused(&tools.config.home, p));
    if still {
        tools.out.note("warning: everything is still paused; 'afterword resume' ends that");
    }
    say(tools, project.as_ref(), still)
}

fn say(tools: &Tools, project: Option<&ProjectRef>, paused: bool) -> anyhow::Result<ExitCode> {
    if tools.out.json {
        let name = project.map(|p| p.name.as_str());
        tools.out.value(&json!({ "paused": paused, "project": name }))?;
    } else {
        let place = project.map_or("every project".to_owned(), |p| p.name.clone());
        tools.out.line(&if paused {
            format!("Paused for {place}: nothing is captured or given until 'afterword resume'.")
        } else {
            format!("Capture and context go on for {place}.")
        });
    }
    Ok(ExitCode::SUCCESS)
}
