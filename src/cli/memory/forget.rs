//! `afterword forget`

use std::process::ExitCode;

use afterword_domain::PublicId;
use afterword_domain::wire::memory::{ForgetRequest, Forgotten};
use clap::Args;

use crate::cli::Tools;
use crate::cli::door::Door;

/// Forget rows for good
#[derive(Debug, Args)]
pub(in crate::cli) struct ForgetArguments {
    /// Ids as `search` shows them, such as m4 or o12
    #[arg(required = true)]
    ids: Vec<PublicId>,
}

/// Deletes the rows; exit 2 when an id names none.
pub(in crate::cli) fn forget(
    tools: &Tools,
    arguments: &ForgetArguments,
) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    let request = ForgetRequest { ids: arguments.ids.clone() };
    let forgotten: Forgotten = door.post("/api/forget", &request)?;
    if tools.out.json {
        tools.out.value(&forgotten)?;
    } else {
        let join =
            |ids: &[PublicId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if !forgotten.forgotten.is_empty() {
            tools.out.line(&format!("Forgotten: {}.", join(&forgotten.forgotten)));
        }
        if !forgotten.unknown.is_empty() {
            tools.out.note(&format!("No such row: {}.", join(&forgotten.unknown)));
        }
    }
    Ok(ExitCode::from(if forgotten.unknown.is_empty() { 0 } else { 2 }))
}
