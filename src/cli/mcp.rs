//! `afterword mcp`

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use super::output::Failure;
use super::{Tools, project};
use crate::hook::pause;
use crate::mcp::{self, Setup};

/// Serve tools for the model (run by the agent)
#[derive(Debug, Args)]
pub(super) struct McpArguments {
    /// Over HTTP instead of standard input and output
    #[arg(long)]
    http: bool,
    /// Where to listen, on this machine only; port 0 is any
    #[arg(long, value_name = "ADDRESS", requires = "http",
          default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))]
    listen: SocketAddr,
}

/// Serves the memory's tools to an agent until it closes our input, or over HTTP until it is
/// interrupted.
pub(super) fn mcp(tools: &Tools, arguments: &McpArguments) -> anyhow::Result<ExitCode> {
    // The agent may start its servers elsewhere, and says where it works.
    let folder = tools.config.env.get("CLAUDE_PROJECT_DIR").map(Path::new);
    let setup = Setup {
        home: tools.config.home.clone(),
        exe: std::env::current_exe().context("cannot find this program's own file")?,
        project: project::here(tools, folder)?,
        is_paused: pause::is_paused,
        context_question: project::context_question,
    };
    if arguments.http {
        let said = |url: &str| tools.out.line(url);
        mcp::run_http(setup, arguments.listen, said).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => Failure::User(error.to_string()),
            _ => Failure::Daemon(error.to_string()),
        })?;
    } else {
        mcp::run(setup).context("the connection to the agent broke")?;
    }
    Ok(ExitCode::SUCCESS)
}
