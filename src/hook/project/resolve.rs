//! The resolver.

use std::io;
use std::path::{Path, PathBuf};

use afterword_domain::project::ProjectRef;

use super::git::{self, Checkout};
use super::marker::{self, Marker};
use super::remote;
use crate::config::Env;
use crate::hook::platform::{path_key, real_path};

/// What the resolver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The project.
    pub project: ProjectRef,
    /// False when the nearest `.afterword.toml` says `enabled = false`.
    pub enabled: bool,
    /// The folder that was asked about, absolute, links resolved as far as it exists.
    pub folder: PathBuf,
}

/// The project that a folder belongs to; the process's own folder when none is given.
///
/// Precedence: `AFTERWORD_PROJECT`, the nearest `.afterword.toml`, the repository (its remote, or
/// without one the commit it began with, then its common folder, so that worktrees share a project
/// and a submodule belongs to its parent), the folder itself. The home folder and everything above it are the project `home`.
pub fn resolve(cwd: Option<&Path>, env: &Env) -> ProjectRef {
    inspect(cwd, env).project
}

/// Like [`resolve`], with the switch of `.afterword.toml` and the folder as it was understood.
pub fn inspect(cwd: Option<&Path>, env: &Env) -> Resolution {
    let folder = existing(cwd.unwrap_or(Path::new(".")));
    let home = env.get("HOME").and_then(|h| real_path(Path::new(h)).ok());
    let found = climb(&folder, home.as_deref());
    let marker = found.marker.unwrap_or_default();
    let checkout = found.checkout;
    let name = env
        .get("AFTERWORD_PROJECT")
        .map(str::trim)
        .filter(|n| !n.is_empty())
        .or(marker.project.as_deref());
    let place = describe(&folder, home.as_deref(), checkout.as_ref());
    let project = match name {
        Some(name) => {
            ProjectRef { keys: vec![format!("name:{name}")], name: name.to_owned(), ..place }
        }
        None => place,
    };
    Resolution { project, enabled: marker.enabled, folder }
}

/// The folder with links resolved; what does not exist (any more) stays as it is written, below
/// the nearest parent that does.
fn existing(folder: &Path) -> PathBuf {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for ancestor in absolute.ancestors() {
        match real_path(ancestor) {
            Ok(real) => {
                let rest = absolute.strip_prefix(ancestor).unwrap_or(Path::new(""));
                // Joining an empty path would add a slash.
                return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
            }
            // A folder that may not be read has not gone away.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => break,
            Err(_) => {}
        }
    }
    absolute
}

struct Found {
    marker: Option<Marker>,
    checkout: Option<Checkout>,
}

/// Walks up to the home folder or the root, neither of which can be a project.
fn climb(folder: &Path, home: Option<&Path>) -> Found {
    let mut found = Found { marker: None, checkout: None };
    let mut submodule: Option<Checkout> = None;
    for dir in folder.ancestors() {
        if home.is_some_and(|h| h.starts_with(dir)) || dir.parent().is_none() {
            break;
        }
        if found.marker.is_none() {
            found.marker = marker::at(dir);
        }
        if found.checkout.is_none()
            && let Some(here) = git::checkout_at(dir)
        {
            match &submodule {
                // Only the repository that holds the submodule is its parent.
                Some(inner) if inner.parent.as_deref() != Some(here.git_dir.as_path()) => {}
                Some(inner) => found.checkout = Some(here.holding(inner)),
                None if here.parent.is_some() => submodule = Some(here),
                None => found.checkout = Some(here),
            }
            // A submodule of a submodule: go on to the outermost.
            if let Some(outer) = found.checkout.take_if(|c| c.parent.is_some()) {
                submodule = Some(outer);
            }
        }
        if found.marker.is_some() && found.checkout.is_some() {
            break;
        }
    }
    found.checkout = found.checkout.or(submodule);
    found
}

fn describe(folder: &Path, home: Option<&Path>, checkout: Option<&Checkout>) -> ProjectRef {
    let Some(checkout) = checkout else {
        let above_home = home.is_some_and(|h| h.starts_with(folder));
        let root = Some(text(folder));
        if above_home || folder.parent().is_none() {
            let (keys, name) = (vec!["home".to_owned()], "home".to_owned());
            return ProjectRef { keys, name, root, worktree: None, branch: None };
        }
        let keys = vec![format!("dir:{}", path_key(folder))];
        return ProjectRef { keys, name: last_part(folder), root, worktree: None, branch: None };
    };
    let remote = git::remote_url(&checkout.common).and_then(|u| remote::key(&u, &checkout.top));
    let name = remote
        .as_deref()
        .and_then(|r| r.rsplit(['/', '\\']).next())
        .filter(|n| !n.is_empty())
        .map_or_else(|| repository_name(checkout), str::to_owned);
    let keys = keys_of(checkout, remote);
    ProjectRef {
        keys,
        name,
        root: Some(text(&checkout.top)),
        worktree: checkout.label.clone(),
        branch: git::branch(&checkout.git_dir),
    }
}

/// What identifies a checkout's repository, strongest first: its remote, without one the commit it
/// began with; its common folder; and the folder that this lies in, which is all that was known
/// before the folder became a repository. All worktrees have the same.
fn keys_of(checkout: &Checkout, remote: Option<String>) -> Vec<String> {
    let common = &checkout.common;
    let strongest = match remote {
        Some(remote) => Some(format!("remote:{remote}")),
        None => git::first_commit(common).map(|commit| format!("root:{commit}")),
    };
    let around = common
        .parent()
        .filter(|_| common.file_name().is_some_and(|name| name == ".git"))
        .map(|folder| format!("dir:{}", path_key(folder)));
    strongest.into_iter().chain([format!("dir:{}", path_key(common))]).chain(around).collect()
}

/// The main checkout's folder name, also for a linked worktree; a bare repository's own name.
fn repository_name(checkout: &Checkout) -> String {
    let common = &checkout.common;
    match common.file_name() {
        Some(name) if name == ".git" => common.parent().map(last_part).unwrap_or_default(),
        _ if checkout.label.is_none() => last_part(&checkout.top),
        _ => {
            let name = last_part(common);
            name.strip_suffix(".git").map(str::to_owned).unwrap_or(name)
        }
    }
}

fn last_part(path: &Path) -> String {
    path.file_name().map_or_else(|| text(path), |n| n.to_string_lossy().into_owned())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
#[path = "../tests/project.rs"]
mod tests;
