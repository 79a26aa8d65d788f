//! `afterword mcp`

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

use super::{Tools, project};
use crate::mcp::{self, Setup};

/// Serves the memory's tools to an agent until it closes our input.
pub(super) fn mcp(tools: &Tools) -> anyhow::Result<ExitCode> {
    // The agent may start its servers elsewhere, and says where it works.
    let folder = tools.config.env.get("CLAUDE_PROJECT_DIR").map(Path::new);
    let setup = Setup {
        home: tools.config.home.clone(),
        exe: std::env::current_exe().context("cannot find this program's own file")?,
        project: project::here(tools, folder)?,
    };
    mcp::run(setup).context("the connection to the agent broke")?;
    Ok(ExitCode::SUCCESS)
}
