//! `afterword remember`

use std::process::ExitCode;

use afterword_domain::Time;
use afterword_domain::wire::memory::{RememberRequest, Remembered};
use clap::Args;

use crate::cli::door::Door;
use crate::cli::input::words_or_input;
use crate::cli::{Tools, project};

/// Remember a text on purpose
#[derive(Debug, Args)]
pub(in crate::cli) struct RememberArguments {
    /// What to remember; `-` reads standard input
    #[arg(required = true, num_args = 1..)]
    text: Vec<String>,
    /// A project's name or folder; the current folder's unless given
    #[arg(long, value_name = "NAME|PATH")]
    project: Option<String>,
    /// One line for lists
    #[arg(long, default_value = "")]
    title: String,
    /// A file it concerns, told before that file is touched; may be repeated
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// The day it is from; today unless given
    #[arg(long, value_name = "DATE")]
    date: Option<Time>,
}

/// Stores the text and says its id.
pub(in crate::cli) fn remember(
    tools: &Tools,
    arguments: &RememberArguments,
) -> anyhow::Result<ExitCode> {
    let text = words_or_input(&arguments.text)?;
    let door = Door::open(tools)?;
    let project = project::chosen_or_new(tools, &door, arguments.project.as_deref())?;
    let name = project.name.clone();
    let files = arguments.files.iter().map(|file| project::file_in(tools, &project, file));
    let request = RememberRequest {
        text,
        title: arguments.title.clone(),
        files: files.collect::<anyhow::Result<_>>()?,
        created_at: arguments.date,
        project,
        ..Default::default()
    };
    let remembered: Remembered = door.post("/api/memories", &request)?;
    if tools.out.json {
        tools.out.value(&remembered)?;
    } else {
        let id = tools.out.accent(&remembered.id.to_string());
        tools.out.line(&format!("Remembered as {id} in {name}."));
    }
    Ok(ExitCode::SUCCESS)
}
