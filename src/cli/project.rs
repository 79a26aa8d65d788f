//! Which project a command means.

use std::path::{Path, PathBuf};

use afterword_domain::project::{Project, ProjectRef};
use serde::Deserialize;

use super::Tools;
use super::door::Door;
use super::output::Failure;
use crate::hook::project;

/// The answer of `GET /api/projects`.
#[derive(Debug, Deserialize)]
struct Projects {
    items: Vec<Project>,
}

/// The project of a folder; of the current folder unless one is given.
pub(super) fn here(tools: &Tools, folder: Option<&Path>) -> anyhow::Result<ProjectRef> {
    let folder = match folder {
        Some(folder) if folder.is_absolute() => folder.to_owned(),
        Some(folder) => std::env::current_dir()?.join(folder),
        None => std::env::current_dir()?,
    };
    // An agent's own variable must not decide what a person asks about.
    Ok(project::resolve(Some(&folder), &tools.config.env))
}

/// The project that `--project` names: a folder, or a name that only one project has.
pub(super) fn named(tools: &Tools, door: &Door, text: &str) -> anyhow::Result<ProjectRef> {
    let expanded = crate::config::env::expand(text, &tools.config.env.user_home());
    if text.contains(['/', '\\']) || matches!(text, "." | ".." | "~") {
        if !expanded.exists() {
            return Err(Failure::User(format!("there is no folder {}", expanded.display())).into());
        }
        return here(tools, Some(&expanded));
    }
    let Projects { items } = door.get("/api/projects")?;
    let same: Vec<&Project> = items.iter().filter(|p| p.name == text).collect();
    match same.as_slice() {
        [] if expanded.is_dir() => here(tools, Some(&PathBuf::from(text))),
        [] | [_] => Ok(ProjectRef::named(text)),
        several => {
            let list: Vec<String> = several
                .iter()
                .map(|p| format!("  {}", p.root.as_deref().unwrap_or("(folder unknown)")))
                .collect();
            Err(Failure::User(format!(
                "{} projects are called '{text}'; name one by its folder:\n{}",
                several.len(),
                list.join("\n")
            ))
            .into())
        }
    }
}

/// The project of `--project`, else that of the current folder.
pub(super) fn chosen(
    tools: &Tools,
    door: &Door,
    project: Option<&str>,
) -> anyhow::Result<ProjectRef> {
    match project {
        Some(text) => named(tools, door, text),
        None => here(tools, None),
    }
}
