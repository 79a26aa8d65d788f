//! `afterword pause` and `afterword resume`

use std::process::ExitCode;

use afterword_domain::project::ProjectRef;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use crate::cli::door::Door;
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
    if text.contains(['/', '\\']) || text.starts_with('.') {
        return Ok(Some(project::here(tools, Some(std::path::Path::new(text)))?));
    }
    let door = Door::open(tools)?;
    Ok(Some(project::named(tools, &door, text)?))
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
    say(tools, project.as_ref(), false)
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
