//! `afterword daemon`

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::machine::LocalMachine;
use crate::cli::Tools;
use crate::cli::door::Door;
use crate::cli::output::Failure;
use crate::client::{Client, Unreachable};
use crate::daemon as process;
use crate::hook::remote::{deliver, outbox};

/// How long a daemon that was asked to stop may take to be gone.
const STOP: Duration = Duration::from_secs(10);

/// How long a daemon that is asked to stop may take to answer before it counts as frozen and is
/// ended: longer than for other questions, for a busy one would rather leave by itself.
const LIVENESS: Duration = Duration::from_secs(2);

/// Run, start or stop the local process
#[derive(Debug, Args)]
pub(in crate::cli) struct DaemonArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Run in the foreground
    Run {
        /// Leave the terminal and log to a file
        #[arg(long)]
        detached: bool,
    },
    /// Start in the background, unless it runs
    Start,
    /// Stop; what waits is kept
    Stop,
    /// Stop and start again
    Restart,
    /// Say whether it runs, and where
    Status,
    /// Put a new token in force; the old one counts no more
    RotateToken,
}

/// Does what was asked with the daemon of the data folder.
pub(in crate::cli) fn daemon(
    tools: &Tools,
    arguments: &DaemonArguments,
) -> anyhow::Result<ExitCode> {
    match arguments.action {
        Action::Run { detached } => run(tools, detached),
        Action::Start => start(tools),
        Action::Stop => {
            let stopped = stop(tools)?;
            say(tools, if stopped { "Stopped." } else { "It was not running." })
        }
        Action::Restart => {
            stop(tools)?;
            start(tools)
        }
        Action::Status => status(tools),
        Action::RotateToken => rotate_token(tools),
    }
}

fn run(tools: &Tools, detached: bool) -> anyhow::Result<ExitCode> {
    let machine = Arc::new(LocalMachine::new(tools.config.clone()));
    let options = process::Options { detached, machine: Some(machine) };
    match process::run(&tools.config, Arc::clone(&tools.clock), &options)? {
        process::Exit::Stopped => Ok(ExitCode::SUCCESS),
        process::Exit::AlreadyRunning if detached => Ok(ExitCode::SUCCESS),
        process::Exit::AlreadyRunning => Err(Failure::Daemon(format!(
            "another daemon owns {}; see 'afterword daemon status'",
            tools.config.home.folder().display()
        ))
        .into()),
    }
}

fn start(tools: &Tools) -> anyhow::Result<ExitCode> {
    let home = &tools.config.home;
    if outbox::count(home) > 0 {
        drop(deliver::start(home)?);
    }
    let door = Door::open(tools)?;
    let ping = door.client().ping().map_err(|e| Failure::Daemon(e.to_string()))?;
    if tools.out.json {
        tools.out.value(&running(&door, &ping))?;
    } else {
        tools.out.line(&format!("Running on port {} (pid {}).", door.client().port(), ping.pid));
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks the daemon to stop and waits until it is gone; false when none was running.
pub(in crate::cli) fn stop(tools: &Tools) -> anyhow::Result<bool> {
    let home = &tools.config.home;
    if !process::is_owned(home) {
        return Ok(false);
    }
    process::republish(home)?;
    let deadline = Instant::now() + STOP;
    let mut pause = Duration::from_millis(2);
    let mut asked = None;
    loop {
        // One that is coming up has no address yet.
        if asked.is_none() {
            asked = ask_to_stop(tools)?;
        }
        // A hook may have brought the next one up meanwhile.
        let next = |pid| Client::find_any(home, LIVENESS).is_ok_and(|c| c.endpoint().pid != pid);
        if !process::is_owned(home) || asked.is_some_and(next) {
            return Ok(true);
        }
        if Instant::now() > deadline {
            return Err(Failure::Daemon(format!(
                "the daemon did not leave within {} s; see {}",
                STOP.as_secs(),
                home.logs().join("daemon.log").display()
            ))
            .into());
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Tells the owner of the folder to end and gives its process id; none where it cannot be found.
fn ask_to_stop(tools: &Tools) -> anyhow::Result<Option<u32>> {
    let home = &tools.config.home;
    let found = Client::find_any(home, LIVENESS);
    let asked = found.and_then(|daemon| daemon.ask_to_leave().map(|()| daemon.endpoint().pid));
    match asked {
        Ok(pid) => Ok(Some(pid)),
        Err(Unreachable::NotRunning) => Ok(None),
        // Nothing that was stored is lost when it ends without being asked.
        Err(Unreachable::Frozen(_)) => match process::end_owner(home) {
            Some(pid) => Ok(Some(pid)),
            None => Err(Failure::Daemon(not_stopped(tools, &Unreachable::Frozen(LIVENESS))).into()),
        },
        Err(error) => Err(Failure::Daemon(not_stopped(tools, &error)).into()),
    }
}

/// Why a daemon that is there was not stopped, and what a person may do.
fn not_stopped(tools: &Tools, error: &Unreachable) -> String {
    let client = Client::find_any(&tools.config.home, LIVENESS);
    match (error, client) {
        (Unreachable::Frozen(_), Ok(client)) => format!(
            "the daemon does not answer; if process {} is 'afterword daemon run', end it",
            client.endpoint().pid
        ),
        _ => error.to_string(),
    }
}

fn running(door: &Door, ping: &afterword_domain::wire::daemon::Ping) -> Value {
    json!({
        "running": true,
        "pid": ping.pid,
        "port": door.client().port(),
        "version": ping.version,
        "protocol": ping.protocol,
        "uptime_s": ping.uptime_s,
    })
}

fn status(tools: &Tools) -> anyhow::Result<ExitCode> {
    let found = Door::find(tools).and_then(|door| {
        let ping = door.client().ping()?;
        Ok((door, ping))
    });
    match found {
        Ok((door, ping)) if tools.out.json => tools.out.value(&running(&door, &ping))?,
        Ok((door, ping)) => tools.out.line(&format!(
            "Running on port {} (pid {}, version {}, up {} s).",
            door.client().port(),
            ping.pid,
            ping.version,
            ping.uptime_s
        )),
        Err(error) if tools.out.json => {
            let reason = error.code();
            tools.out.value(&json!({
                "running": false, "pid": null, "port": null, "version": null,
                "protocol": null, "uptime_s": null, "reason": reason,
            }))?;
        }
        Err(error) => tools.out.line(&sentence(&error.to_string())),
    }
    Ok(ExitCode::SUCCESS)
}

fn rotate_token(tools: &Tools) -> anyhow::Result<ExitCode> {
    let answer: Value = Door::open(tools)?.post("/api/admin/rotate-token", &json!({}))?;
    if tools.out.json {
        tools.out.value(&answer)?;
    } else {
        let file = tools.config.home.token_file();
        tools.out.line(&format!("A new token is in force; it is in {}.", file.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

fn say(tools: &Tools, text: &str) -> anyhow::Result<ExitCode> {
    if tools.out.json {
        tools.out.value(&json!({ "running": false }))?;
    } else {
        tools.out.line(text);
    }
    Ok(ExitCode::SUCCESS)
}
