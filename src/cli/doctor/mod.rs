//! `afterword doctor`: every promise that can be checked on this machine, each with its remedy.

mod agents;
mod check;
mod disk;
mod files;
mod model_tools;
mod process;
mod provider;
mod remote;

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::Tools;
use super::door::Door;

pub(super) use provider::is_of_other_settings;

/// Check every promise that can be checked here
#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    /// First make turns that failed three times wait to be distilled again
    #[arg(long)]
    retry_parked: bool,
    /// Ask the provider one small question, which costs a few tokens
    #[arg(long)]
    provider: bool,
}

/// Runs every check; exit 0 only when all hold.
pub(super) fn doctor(tools: &Tools, arguments: &DoctorArguments) -> anyhow::Result<ExitCode> {
    if arguments.retry_parked {
        Door::open(tools)?.post::<Value>("/api/jobs/retry", &json!({}))?;
    }
    let home = &tools.config.home;
    let mut checks = vec![files::settings(tools), files::folder(home), files::binary(tools)];
    checks.extend(disk::disk(home));
    checks.extend(files::hook(home));
    // Nothing is kept here where a remote service alone keeps memories, so nothing is started.
    let (of_daemon, status) =
        if remote::is_alone(tools) { (Vec::new(), None) } else { process::daemon(tools) };
    checks.extend(of_daemon);
    checks.extend(agents::hooks(tools));
    checks.extend(model_tools::server(tools));
    checks.push(agents::paused(tools));
    checks.extend(remote::remote(tools));
    let asked = status.as_ref().map(|status| &status.asked);
    checks.extend(provider::provider(tools, asked, arguments.provider));
    let well = checks.iter().all(|check| check.ok);
    if tools.out.json {
        tools.out.value(&json!({ "ok": well, "checks": checks }))?;
    } else {
        for check in &checks {
            let mark = if check.ok { tools.out.good("ok  ") } else { tools.out.bad("FAIL") };
            tools.out.line(&format!("{mark} {:<14} {}", check.name, check.finding));
            if !check.remedy.is_empty() {
                tools.out.line(&format!("     {:<14} {}", "", tools.out.bold(&check.remedy)));
            }
        }
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
