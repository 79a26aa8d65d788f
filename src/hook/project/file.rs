//! A file as rows name it.

use std::path::Path;

use afterword_domain::project::ProjectRef;

use super::inspect;
use crate::config::Env;

/// A file, absolute or from `cwd`, as the rows of a project name it.
///
/// That is relative to the top folder of the checkout that it lies in, whichever of the project's
/// worktrees that is. A file elsewhere keeps its absolute path. The file need not exist.
pub fn file_in(project: &ProjectRef, cwd: &Path, file: &str, env: &Env) -> String {
    let path = cwd.join(file);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return file.to_owned();
    };
    let there = inspect(Some(folder), env);
    let other = &there.project;
    // A name that was given to the project says nothing about where a folder belongs.
    let by_name = project.keys.first().is_none_or(|key| key.starts_with("name:"));
    let inside = project.root == other.root || (project.keys == other.keys && !by_name);
    let root = other.root.as_deref().filter(|_| inside);
    let whole = there.folder.join(name);
    let relative = root.and_then(|root| whole.strip_prefix(root).ok());
    let path = relative.unwrap_or(&whole).to_string_lossy();
    if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }
}
