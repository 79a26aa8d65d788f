//! The daemon, as the tools speak to it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::wire::context::{ContextBlock, ContextQuestion};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::client::{CallError, start_now};
use crate::config::Home;

/// How long a call waits for a daemon that it had to start.
const START: Duration = Duration::from_secs(5);

/// How long a call waits for an answer; agents give a tool up after a minute.
const ANSWER: Duration = Duration::from_secs(30);

/// Names of projects that a refusal lists.
const LISTED: usize = 20;

/// What the server is told about its surroundings.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The data folder whose daemon is asked.
    pub home: Home,
    /// The program that a daemon is started with.
    pub exe: PathBuf,
    /// The project of the folder that the agent works in.
    pub project: ProjectRef,
    /// Whether the person has paused the memory in a project, asked before every call.
    pub is_paused: fn(&Home, &ProjectRef) -> bool,
    /// What a session that starts in a project now would ask.
    pub context_question: fn(ProjectRef) -> ContextQuestion,
}

/// Why a tool does not do what it was asked, and what to do instead. Told to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    what: String,
    hint: String,
}

impl Refusal {
    pub(super) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.what.trim_end_matches('.'), self.hint)
    }
}

/// The answer of `GET /api/projects`.
#[derive(Debug, Deserialize)]
struct Projects {
    items: Vec<Project>,
}

/// Blocking calls to the daemon of the data folder.
#[derive(Clone, Debug)]
pub(super) struct Door {
    setup: Setup,
}

impl Door {
    pub(super) const fn new(setup: Setup) -> Self {
        Self { setup }
    }

    /// The project of the folder that the agent works in.
    pub(super) const fn here(&self) -> &ProjectRef {
        &self.setup.project
    }

    pub(super) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Refusal> {
        self.call("GET", path, None)
    }

    pub(super) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, Refusal> {
        let bytes = serde_json::to_vec(body)
            .map_err(|e| Refusal::new(format!("the request cannot be written: {e}"), ""))?;
        self.call("POST", path, Some(&bytes))
    }

    /// The daemon may have left since the last call, so each call looks for it again.
    fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<T, Refusal> {
        let ready = start_now(&self.setup.home, &self.setup.exe, START).map_err(|e| {
            Refusal::new(
                format!("the memory cannot be reached: {e}"),
                "Go on without it, and tell the person to run 'afterword doctor'.",
            )
        })?;
        let client = ready.client.with_budget(ANSWER);
        client.call(method, path, body).map_err(|error| match error {
            CallError::Unreachable(e) => Refusal::new(
                format!("the memory did not answer: {e}"),
                "Try once more; if it stays, tell the person to run 'afterword doctor'.",
            ),
            CallError::Refused { body, .. } => Refusal::new(
                body.error,
                body.hint.unwrap_or_else(|| "Correct the call and try again.".to_owned()),
            ),
        })
    }

    /// Refuses while the memory is paused where the agent works: what a pause keeps out at the hooks must
    /// neither come in nor get out here.
    pub(super) fn is_running(&self) -> Result<(), Refusal> {
        // Without a data folder nothing can be paused, and the call says what is wrong.
        if self.setup.home.folder().is_dir()
            && (self.setup.is_paused)(&self.setup.home, &self.setup.project)
        {
            return Err(Refusal::new(
                "the person has paused the memory here",
                "Go on without it; 'afterword resume' brings it back.",
            ));
        }
        Ok(())
    }

    /// The block that a session would start with in a project.
    pub(super) fn context(&self, project: ProjectRef) -> Result<ContextBlock, Refusal> {
        self.post("/api/context", &(self.setup.context_question)(project))
    }

    /// Every project, last seen first.
    pub(super) fn projects(&self) -> Result<Vec<Project>, Refusal> {
        self.get::<Projects>("/api/projects").map(|answer| answer.items)
    }

    /// The project that a read means; a name that no project has is refused with the list.
    pub(super) fn known(&self, name: Option<&str>) -> Result<ProjectRef, Refusal> {
        let Some(name) = self.other(name) else { return Ok(self.here().clone()) };
        let known = self.projects()?;
        if known.iter().any(|project| project.name == name) {
            return Ok(ProjectRef::named(name));
        }
        let names: Vec<&str> = known.iter().take(LISTED).map(|p| p.name.as_str()).collect();
        let list = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Err(Refusal::new(
            format!("no project is called '{name}'"),
            format!("Known projects: {list}. Leave project out for the current one."),
        ))
    }

    /// The project that a write means; a new name makes a new project.
    pub(super) fn wanted(&self, name: Option<&str>) -> ProjectRef {
        self.other(name).map_or_else(|| self.here().clone(), ProjectRef::named)
    }

    /// A name that is given and is not that of the current project.
    fn other<'a>(&self, name: Option<&'a str>) -> Option<&'a str> {
        name.map(str::trim).filter(|name| !name.is_empty() && *name != self.here().name)
    }
}
