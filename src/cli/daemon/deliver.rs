//! `afterword deliver`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::Tools;
use crate::cli::output::visible;
use crate::hook::remote::deliver;

/// Send what waits for the remote memory service
#[derive(Debug, Args)]
pub(in crate::cli) struct DeliverArguments {
    /// Say nothing: as hooks start it
    #[arg(long, hide = true)]
    quiet: bool,
}

/// Sends what waits; exit 1 where something stood in the way.
pub(in crate::cli) fn deliver(
    tools: &Tools,
    arguments: &DeliverArguments,
) -> anyhow::Result<ExitCode> {
    let done = deliver::deliver(&tools.config, tools.clock.as_ref());
    let code = if done.trouble.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if arguments.quiet {
        return Ok(code);
    }
    if tools.out.json {
        tools.out.value(&json!({
            "sent": done.sent,
            "unchanged": done.unchanged,
            "parked": done.parked,
            "waiting": done.waiting,
            "problem": done.trouble.as_ref().map(ToString::to_string),
        }))?;
        return Ok(code);
    }
    if done.elsewhere {
        tools.out.line("Another sender is at it.");
    }
    let (sent, unchanged, waiting) = (done.sent, done.unchanged, done.waiting);
    tools.out.line(&format!("Sent {sent}, unchanged {unchanged}, waiting {waiting}."));
    if done.parked > 0 {
        let line = format!("Set aside {}: the service refuses them.", done.parked);
        tools.out.line(&tools.out.bad(&line));
    }
    if let Some(trouble) = &done.trouble {
        tools.out.line(&tools.out.bad(&visible(&format!("The memory service: {trouble}"))));
        tools.out.line(trouble.remedy());
    }
    Ok(code)
}
