//! `afterword context`

use std::path::PathBuf;
use std::process::ExitCode;

use afterword_domain::wire::context::ContextBlock;
use clap::Args;

use crate::cli::door::Door;
use crate::cli::{Tools, project};

/// Show what the next session would be given
#[derive(Debug, Args)]
pub(in crate::cli) struct ContextArguments {
    /// The folder the session would start in; the current one unless given
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// A project's name or folder instead
    #[arg(long, value_name = "NAME|PATH", conflicts_with = "cwd")]
    project: Option<String>,
}

/// Prints exactly the block that the next session would receive; nothing when there is none.
pub(in crate::cli) fn context(
    tools: &Tools,
    arguments: &ContextArguments,
) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    let project = match &arguments.project {
        Some(text) => project::known(tools, &door, text)?,
        None => project::here(tools, arguments.cwd.as_deref())?,
    };
    let question = project::context_question(project);
    let block: ContextBlock = door.post("/api/context", &question)?;
    if tools.out.json {
        tools.out.value(&block)?;
    } else if block.text.is_empty() {
        tools.out.note(&format!("Nothing is remembered for {} yet.", question.project.name));
    } else {
        tools.out.raw(&block.text);
        tools.out.raw("\n");
    }
    Ok(ExitCode::SUCCESS)
}
