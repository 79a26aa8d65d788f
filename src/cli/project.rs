//! Which project a command means.

use std::path::{Path, PathBuf};

use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::wire::context::ContextQuestion;
use serde::Deserialize;

use super::Tools;
use super::door::Door;
use super::output::Failure;
use crate::hook::project;

/// Most names that an error lists.
const LISTED_NAMES: usize = 12;

/// The answer of `GET /api/projects`.
#[derive(Debug, Deserialize)]
struct Projects {
    items: Vec<Known>,
}

/// A project that the daemon knows, with every key it goes by.
#[derive(Debug, Deserialize)]
struct Known {
    #[serde(flatten)]
    project: Project,
    keys: Vec<String>,
}

impl Known {
    fn reference(&self) -> ProjectRef {
        ProjectRef {
            keys: self.keys.clone(),
            root: self.project.root.clone(),
            ..ProjectRef::named(&self.project.name)
        }
    }
}

/// The project of a folder; of the current folder unless one is given.
pub(super) fn here(tools: &Tools, folder: Option<&Path>) -> anyhow::Result<ProjectRef> {
    let folder = match folder {
        Some(folder) if folder.is_absolute() => folder.to_owned(),
        Some(folder) => std::env::current_dir()?.join(folder),
        None => std::env::current_dir()?,
    };
    if !folder.is_dir() {
        return Err(Failure::User(format!("there is no folder {}", folder.display())).into());
    }
    // An agent's own variable must not decide what a person asks about.
    Ok(project::resolve(Some(&folder), &tools.config.env))
}

/// What a session that starts in a project now would ask.
pub(super) fn context_question(project: ProjectRef) -> ContextQuestion {
    let root = project.root.as_deref().map(Path::new);
    let changed_files = root.map(project::changed::changed_files).unwrap_or_default();
    ContextQuestion { project, changed_files }
}

/// The project of a text that is plainly a folder and no name; no daemon is asked.
pub(super) fn of_folder(tools: &Tools, text: &str) -> anyhow::Result<Option<ProjectRef>> {
    let is_folder = text.contains(['/', '\\']) || matches!(text, "." | ".." | "~");
    if !is_folder {
        return Ok(None);
    }
    let folder = crate::config::env::expand(text, &tools.config.env.user_home());
    here(tools, Some(&folder)).map(Some)
}

/// A file that is typed, as the rows of a project name it. A relative path that does not lead into the
/// project from here is one from its root.
pub(super) fn file_in(tools: &Tools, project: &ProjectRef, text: &str) -> anyhow::Result<String> {
    let found = file_from_here(tools, project, text)?;
    let is_elsewhere = Path::new(&found).is_absolute() && !is_plainly_from_here(text);
    Ok(if is_elsewhere { text.trim().to_owned() } else { found })
}

/// A file that is typed, as a search names it: one that is there, or that is plainly a path from here,
/// by its place in the project, or absolute where any project will do. Anything else may be the end of
/// a path.
pub(super) fn file_asked(
    tools: &Tools,
    project: Option<&ProjectRef>,
    text: &str,
) -> anyhow::Result<String> {
    let text = text.trim();
    let plainly = is_plainly_from_here(text);
    if text.is_empty() || !(plainly || Path::new(text).exists()) {
        return Ok(text.to_owned());
    }
    let nowhere = ProjectRef::default();
    let found = file_from_here(tools, project.unwrap_or(&nowhere), text)?;
    Ok(match Path::new(&found).is_absolute() {
        false => format!("./{found}"),
        // A name that some file here has may be that of one in the project that is asked about.
        true if project.is_some() && !plainly => text.to_owned(),
        true => found,
    })
}

fn file_from_here(tools: &Tools, project: &ProjectRef, text: &str) -> anyhow::Result<String> {
    let env = &tools.config.env;
    let file = crate::config::env::expand(text.trim(), &env.user_home());
    let cwd = std::env::current_dir()?;
    Ok(project::file_in(project, &cwd, &file.to_string_lossy(), env))
}

/// Whether a text is a path from this folder, or an absolute one, and nothing else.
fn is_plainly_from_here(text: &str) -> bool {
    let first = text.trim().split(['/', '\\']).next().unwrap_or_default();
    matches!(first, "." | ".." | "~") || Path::new(text.trim()).is_absolute()
}

/// The known project that `--project` names: a folder, or a name that exactly one project has.
pub(super) fn known(tools: &Tools, door: &Door, text: &str) -> anyhow::Result<ProjectRef> {
    let mut names = Vec::new();
    if let Some(project) = find(tools, door, text, &mut names)? {
        return Ok(project);
    }
    let list = match names.as_slice() {
        [] => "no project is known yet".to_owned(),
        few if few.len() <= LISTED_NAMES => format!("known are {}", few.join(", ")),
        many => format!(
            "known are {}, and {} more",
            many[..LISTED_NAMES].join(", "),
            many.len() - LISTED_NAMES
        ),
    };
    Err(Failure::User(format!("no project is called '{text}'; {list}")).into())
}

/// As [`known`], where a name that nobody has yet makes a project; that is said.
pub(super) fn known_or_new(tools: &Tools, door: &Door, text: &str) -> anyhow::Result<ProjectRef> {
    let found = find(tools, door, text, &mut Vec::new())?;
    Ok(found.unwrap_or_else(|| {
        tools.out.note(&format!("warning: no project is called '{text}' yet; a new one is made"));
        ProjectRef::named(text)
    }))
}

/// The project of a folder or a name; none when the name is unknown, with the names there are.
fn find(
    tools: &Tools,
    door: &Door,
    text: &str,
    names: &mut Vec<String>,
) -> anyhow::Result<Option<ProjectRef>> {
    if let Some(project) = of_folder(tools, text)? {
        return Ok(Some(project));
    }
    let Projects { items } = door.get("/api/projects")?;
    let same: Vec<&Known> =
        items.iter().filter(|known| known.project.name == text.trim()).collect();
    match same.as_slice() {
        [] => {
            if Path::new(text).is_dir() {
                return here(tools, Some(&PathBuf::from(text))).map(Some);
            }
            for known in &items {
                if !names.contains(&known.project.name) {
                    names.push(known.project.name.clone());
                }
            }
            Ok(None)
        }
        [one] => Ok(Some(one.reference())),
        several => {
            let list: Vec<String> = several
                .iter()
                .map(|known| {
                    format!("  {}", known.project.root.as_deref().unwrap_or("(folder unknown)"))
                })
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

/// The known project of `--project`, else that of the current folder.
pub(super) fn chosen(
    tools: &Tools,
    door: &Door,
    project: Option<&str>,
) -> anyhow::Result<ProjectRef> {
    match project {
        Some(text) => known(tools, door, text),
        None => here(tools, None),
    }
}

/// As [`chosen`], for commands that may make the project they name.
pub(super) fn chosen_or_new(
    tools: &Tools,
    door: &Door,
    project: Option<&str>,
) -> anyhow::Result<ProjectRef> {
    match project {
        Some(text) => known_or_new(tools, door, text),
        None => here(tools, None),
    }
}
