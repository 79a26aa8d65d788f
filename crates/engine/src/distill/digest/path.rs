//! Paths as rows name them: relative to the project where they are inside it.

use afterword_domain::event::Event;
use afterword_domain::project::ProjectRef;

/// Files of one digest.
const MAX_PATHS: usize = 20;

/// Bytes of one path.
const MAX_PATH: usize = 300;

/// The paths of a tool use, each once, in order.
pub(super) fn relative_all(paths: &[String], event: &Event) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for path in paths.iter().take(MAX_PATHS) {
        let path = relative(path, event);
        if !path.is_empty() && path.len() <= MAX_PATH && !out.contains(&path) {
            out.push(path);
        }
    }
    out
}

/// One path of an event; outside the project it stays as it is.
pub(super) fn relative(path: &str, event: &Event) -> String {
    project_path(path, event.cwd.as_deref(), &event.project)
}

/// A path as rows name it: relative to the project where it is inside it.
pub(crate) fn project_path(path: &str, cwd: Option<&str>, project: &ProjectRef) -> String {
    let path = path.trim();
    let whole = if is_absolute(path) {
        normal(path)
    } else {
        match cwd.filter(|cwd| is_absolute(cwd)) {
            Some(cwd) if !path.starts_with('~') => normal(&format!("{cwd}/{path}")),
            _ => normal(path),
        }
    };
    let roots = [project.worktree.as_deref(), project.root.as_deref()];
    for root in roots.into_iter().flatten().map(normal).filter(|root| root.len() > 1) {
        if let Some(inside) = whole.strip_prefix(&root) {
            if inside.is_empty() {
                return ".".to_owned();
            }
            if let Some(inside) = inside.strip_prefix('/') {
                return inside.to_owned();
            }
        }
    }
    // A relative path whose place is not known to be inside the project is told as it was written.
    if is_absolute(path) || project.root.is_none() { whole } else { normal(path) }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':')
}

/// Forward slashes on Windows paths, and no `.` or `..` that can be resolved.
fn normal(path: &str) -> String {
    let windows = path.as_bytes().get(1) == Some(&b':') || path.starts_with('\\');
    let path = if windows { path.replace('\\', "/") } else { path.to_owned() };
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if rooted { format!("/{joined}") } else { joined }
}
