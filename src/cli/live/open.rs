//! `afterword open`

use std::process::{Command, ExitCode, Stdio};

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use crate::cli::Tools;
use crate::cli::door::Door;
use crate::client::platform;

/// Look into the memory in your browser
///
/// Signs the browser in by a link that works once and for two minutes.
#[derive(Debug, Args)]
pub(in crate::cli) struct OpenArguments {
    /// Only print the link
    #[arg(long)]
    print: bool,
}

/// The answer of `POST /api/sign-in`.
#[derive(Debug, Deserialize)]
struct Link {
    path: String,
    expires_s: u64,
}

/// Asks for a link and opens it; prints it where no browser can be started.
pub(in crate::cli) fn open(tools: &Tools, arguments: &OpenArguments) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    let link: Link = door.post("/api/sign-in", &json!({}))?;
    let url = format!("http://127.0.0.1:{}{}", door.client().port(), link.path);
    if tools.out.json {
        tools.out.value(&json!({ "url": url, "expires_s": link.expires_s }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !arguments.print && start_browser(&url) {
        tools.out.line("Opened in your browser.");
        tools.out.note("Nothing there? 'afterword open --print' gives the link.");
        return Ok(ExitCode::SUCCESS);
    }
    if !arguments.print {
        tools.out.note(
            "No browser could be started. Open this link, which works once, within 2 minutes:",
        );
    }
    tools.out.line(&url);
    Ok(ExitCode::SUCCESS)
}

/// Hands the link to whatever opens links here; false where there is nothing.
fn start_browser(url: &str) -> bool {
    openers().into_iter().any(|(program, arguments)| {
        let mut command = Command::new(program);
        command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null());
        platform::detach(&mut command);
        let Ok(mut child) = command.spawn() else { return false };
        // Openers hand over and leave; a browser that stays is as good.
        std::thread::sleep(std::time::Duration::from_millis(300));
        !matches!(child.try_wait(), Ok(Some(status)) if !status.success())
    })
}

/// Programs that open a link on this system, the usual one first.
fn openers() -> Vec<(&'static str, &'static [&'static str])> {
    if cfg!(target_os = "macos") {
        vec![("open", &[])]
    } else if cfg!(windows) {
        vec![("rundll32", &["url.dll,FileProtocolHandler"])]
    } else {
        vec![("xdg-open", &[]), ("wslview", &[]), ("gio", &["open"])]
    }
}
