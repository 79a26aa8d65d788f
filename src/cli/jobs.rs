//! `afterword jobs`

use std::process::ExitCode;

use afterword_domain::wire::jobs::{JobId, JobList, JobRequest, JobRow, JobsDropped, JobsRetried};
use afterword_domain::wire::status::Status;
use clap::{Args, Subcommand};

use super::Tools;
use super::doctor::is_of_other_settings;
use super::door::Door;
use super::output::{Output, visible};

/// See what waits to be distilled, and what failed
#[derive(Debug, Args)]
pub(super) struct JobsArguments {
    #[command(subcommand)]
    command: JobsCommand,
}

#[derive(Debug, Subcommand)]
enum JobsCommand {
    /// List what waits and what failed
    List,
    /// Try again what failed, and ask a model again that was left alone
    Retry(ToRetry),
    /// Give up what failed; events and rows stay
    Drop(ToDrop),
}

#[derive(Debug, Args)]
struct ToRetry {
    /// Ids as `jobs list` shows them, such as model-5; all that failed or wait for a budget when none
    /// is named
    ids: Vec<JobId>,
}

#[derive(Debug, Args)]
struct ToDrop {
    /// Ids as `jobs list` shows them, such as model-5; all that failed when none is named
    ids: Vec<JobId>,
}

/// Lists, retries or drops jobs; exit 2 when a named one was not there.
pub(super) fn jobs(tools: &Tools, arguments: &JobsArguments) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    match &arguments.command {
        JobsCommand::List => list(tools, &door),
        JobsCommand::Retry(named) => {
            let request = JobRequest { ids: named.ids.clone() };
            let answer: JobsRetried = door.post("/api/jobs/retry", &request)?;
            if tools.out.json {
                tools.out.value(&answer)?;
            }
            let code = retried(tools.out, &named.ids, &answer);
            let status: Status = door.get("/api/stats")?;
            if is_of_other_settings(tools, &status.asked) {
                tools.out.note(
                    "The daemon was started with other settings of [provider]: \
                     'afterword daemon restart' makes it use those of now.",
                );
            }
            Ok(code)
        }
        JobsCommand::Drop(named) => {
            let request = JobRequest { ids: named.ids.clone() };
            let answer: JobsDropped = door.post("/api/jobs/drop", &request)?;
            if tools.out.json {
                tools.out.value(&answer)?;
            }
            Ok(told(tools.out, "given up", &named.ids, &answer.ids, "Nothing has failed."))
        }
    }
}

fn list(tools: &Tools, door: &Door) -> anyhow::Result<ExitCode> {
    let list: JobList = door.get("/api/jobs")?;
    let out = tools.out;
    if out.json {
        out.value(&list)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(held) = &list.held {
        out.note(&format!("The model is left alone: {}", visible(held)));
    }
    if list.jobs.is_empty() {
        out.line("Nothing waits.");
    }
    for job in &list.jobs {
        out.line(&line(out, job));
        if let Some(error) = &job.error {
            out.line(&out.dim(&format!("    {}", visible(error))));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(out: Output, job: &JobRow) -> String {
    let state = match job.state.as_str() {
        "parked" => out.bad("failed"),
        "waiting" => format!("due {}", job.due.rfc3339()),
        _ => "at work".to_owned(),
    };
    let of = match job.of.as_str() {
        "session" => "the whole session".to_owned(),
        _ => format!("prompt {}", job.prompt_number),
    };
    let (project, session) = (visible(&job.project), visible(&job.session));
    let tries = match job.attempts {
        0 => String::new(),
        1 => ", 1 try".to_owned(),
        n => format!(", {n} tries"),
    };
    format!(
        "{}  {state}{tries}  {project}, {of} of session {session}",
        out.accent(&job.id.to_string())
    )
}

/// Says what waits again, and that a model which was left alone is asked.
fn retried(out: Output, asked: &[JobId], answer: &JobsRetried) -> ExitCode {
    if let Some(held) = answer.was_held.as_ref().filter(|_| !out.json) {
        out.line(&format!("The model is asked again; it was left alone: {}", visible(held)));
    }
    let nothing = if answer.was_held.is_some() { "" } else { "Nothing has failed." };
    told(out, "wait again", asked, &answer.ids, nothing)
}

/// Says what was done, or `nothing`; what was asked for and not there makes exit 2.
fn told(out: Output, deed: &str, asked: &[JobId], done: &[JobId], nothing: &str) -> ExitCode {
    let names = |ids: &[JobId]| ids.iter().map(JobId::to_string).collect::<Vec<_>>().join(", ");
    let missing: Vec<JobId> = asked.iter().filter(|id| !done.contains(id)).copied().collect();
    if !out.json && !done.is_empty() {
        out.line(&format!("{}: {deed}.", names(done)));
    } else if !out.json && asked.is_empty() && !nothing.is_empty() {
        out.line(nothing);
    }
    if !missing.is_empty() {
        out.note(&format!("No such job that waits or failed: {}.", names(&missing)));
    }
    ExitCode::from(if missing.is_empty() { 0 } else { 2 })
}
