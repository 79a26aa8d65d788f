//! `afterword remember`

use std::io::Read as _;
use std::process::ExitCode;

use afterword_domain::Time;
use afterword_domain::wire::memory::{RememberRequest, Remembered};
use clap::Args;

use crate::cli::door::Door;
use crate::cli::output::Failure;
use crate::cli::{Tools, project};

/// Most bytes read from standard input.
const STDIN_BYTES: u64 = 1024 * 1024;

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
    let text = match arguments.text.as_slice() {
        [dash] if dash == "-" => {
            let mut text = String::new();
            std::io::stdin()
                .take(STDIN_BYTES)
                .read_to_string(&mut text)
                .map_err(|e| Failure::User(format!("standard input cannot be read: {e}")))?;
            text
        }
        words => words.join(" "),
    };
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
