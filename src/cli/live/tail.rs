//! `afterword tail`

use std::process::ExitCode;
use std::time::Duration;

use afterword_domain::wire::live::LiveMessage;
use afterword_domain::wire::timeline::TimelineEntry;
use afterword_domain::{Kind, project::ProjectRef};
use clap::Args;
use serde_json::{Value, json};

use super::line::line;
use crate::cli::door::Door;
use crate::cli::output::Failure;
use crate::cli::{Tools, project};
use crate::client::{CallError, Events, ServerEvent, Unreachable};

/// The stream that is followed.
const STREAM: &str = "/api/events/stream";

/// Pauses between two looks for a daemon that has left.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Show what happens, as it happens
///
/// Goes on by itself when the daemon is started anew, and then shows what was missed. Ends with
/// Ctrl-C.
#[derive(Debug, Args)]
pub(in crate::cli) struct TailArguments {
    /// Only this project: a name or a folder (`.` is the current one)
    #[arg(long, value_name = "NAME|PATH")]
    project: Option<String>,
    /// Only rows of this kind: observation, summary, prompt, memory, snapshot
    #[arg(long)]
    kind: Option<Kind>,
    /// Begin behind the event of this id, as the JSON shows it, instead of now
    #[arg(long, value_name = "ID")]
    after: Option<i64>,
}

/// Follows until nobody reads any more.
pub(in crate::cli) fn tail(tools: &Tools, arguments: &TailArguments) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    let project = arguments.project.as_deref();
    let project = project.map(|text| which(tools, &door, text)).transpose()?;
    let mut tail = Tail {
        tools,
        project,
        kind: arguments.kind,
        last: arguments.after.map(|id| id.to_string()),
    };
    let mut events = open(&door, tail.last.as_deref())?;
    loop {
        while let Ok(Some(event)) = events.wait() {
            // Whoever read has gone, which is how this is ended from outside.
            if tail.show(&event)?.is_err() {
                return Ok(ExitCode::SUCCESS);
            }
        }
        events = tail.again()?;
    }
}

/// The key of the project that `--project` names.
fn which(tools: &Tools, door: &Door, text: &str) -> anyhow::Result<i64> {
    let reference: ProjectRef = project::known(tools, door, text)?;
    let found: Value = door.post("/api/projects/find", &reference)?;
    found["project"]["id"].as_i64().ok_or_else(|| {
        Failure::User(format!("nothing is remembered for '{}' yet", reference.name)).into()
    })
}

fn open(door: &Door, after: Option<&str>) -> anyhow::Result<Events> {
    door.client().events(STREAM, after).map_err(|error| Failure::Daemon(error.to_string()).into())
}

struct Tail<'t> {
    tools: &'t Tools,
    project: Option<i64>,
    kind: Option<Kind>,
    /// The id of the last event that was seen.
    last: Option<String>,
}

impl Tail<'_> {
    /// Shows an event if it is asked for; the inner error says that nobody reads any more.
    fn show(&mut self, event: &ServerEvent) -> anyhow::Result<std::io::Result<()>> {
        self.last = event.id.clone().or(self.last.take());
        let Ok(message) = serde_json::from_str::<LiveMessage>(&event.data) else {
            // Of a newer release.
            return Ok(Ok(()));
        };
        if !self.wants(&message) {
            return Ok(Ok(()));
        }
        let out = self.tools.out;
        if out.json {
            let mut value: Value = serde_json::from_str(&event.data)?;
            let id = event.id.as_deref().and_then(|id| id.parse::<i64>().ok());
            value["event_id"] = json!(id);
            return Ok(out.follow(&value.to_string()));
        }
        match line(out, &message, self.tools.clock.now()) {
            Some(text) => Ok(out.follow(&text)),
            None => Ok(Ok(())),
        }
    }

    /// What happened to rows and sessions, within the filters.
    fn wants(&self, message: &LiveMessage) -> bool {
        let place = match message {
            LiveMessage::Missed { .. } => return true,
            LiveMessage::SessionStarted { project_id, .. }
            | LiveMessage::SessionCompleted { project_id, .. } => {
                self.kind.is_none().then_some(*project_id)
            }
            LiveMessage::Forgotten { ids, project_id, .. }
            | LiveMessage::Replaced { ids, project_id, .. } => {
                let of_kind = ids.iter().any(|id| self.kind.is_none_or(|kind| id.kind == kind));
                of_kind.then_some(*project_id)
            }
            other => other.entry().filter(|entry| self.is_of_kind(entry)).map(|e| e.project_id),
        };
        place.is_some_and(|id| self.project.is_none_or(|wanted| wanted == id))
    }

    fn is_of_kind(&self, entry: &TimelineEntry) -> bool {
        self.kind.is_none_or(|kind| entry.kind == kind)
    }

    /// Waits until a daemon answers again and goes on behind the last event. Starts none: whoever
    /// stopped it meant it.
    fn again(&self) -> anyhow::Result<Events> {
        let mut pause = FIRST_PAUSE;
        let mut told = false;
        loop {
            let opened = Door::find(self.tools)
                .map_err(CallError::from)
                .and_then(|door| door.client().events(STREAM, self.last.as_deref()));
            match opened {
                Ok(events) => {
                    if told {
                        self.tools.out.note("The daemon is back.");
                    }
                    return Ok(events);
                }
                Err(CallError::Unreachable(Unreachable::Protocol { theirs })) => {
                    let error = Unreachable::Protocol { theirs };
                    return Err(Failure::Daemon(error.to_string()).into());
                }
                // One that restarts is back before this is said.
                Err(_) if pause >= LONGEST_PAUSE && !told => {
                    self.tools.out.note("The daemon has left; waiting for it.");
                    told = true;
                }
                Err(_) => {}
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
