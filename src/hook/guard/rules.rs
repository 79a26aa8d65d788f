//! Which paths are memory files.

use std::path::Path;

use super::{GuardSetup, Target, globs, paths, settings};

/// Targets whose links are followed on the disk; the rest are judged by their letters.
const MAX_FOLLOWED: usize = 64;

/// The protected places of one call.
pub(super) struct Guarded<'a> {
    setup: &'a GuardSetup,
    home: String,
    /// The agent's folder as it is named and as it really is.
    claude: Vec<String>,
    globs: Vec<String>,
}

impl<'a> Guarded<'a> {
    pub(super) fn new(setup: &'a GuardSetup) -> Self {
        let home = paths::text(&setup.user_home);
        let glob = |glob: &String| {
            let glob = glob.replace('\\', "/");
            match glob.strip_prefix("~/") {
                Some(rest) => paths::fold(&format!("{home}/{rest}")),
                None => paths::fold(&glob),
            }
        };
        let globs = setup.extra_globs.iter().map(glob).collect();
        let claude = spellings(&paths::text(&setup.claude_folder));
        Self { setup, home, claude, globs }
    }

    /// Whether any target is protected. The agent's settings are read only when no other rule decides.
    pub(super) fn covers_any(&self, targets: &[Target]) -> bool {
        let mut candidates = Vec::with_capacity(targets.len());
        for (n, target) in targets.iter().enumerate() {
            let path = paths::absolute(&target.path, &target.folder, &self.home);
            let straight = paths::straight(&path);
            if self.covers(&straight) || (target.whole && self.holds(&straight)) {
                return true;
            }
            let followed = if n < MAX_FOLLOWED { paths::followed(&path) } else { None };
            if let Some(followed) = followed.filter(|followed| *followed != straight) {
                if self.covers(&followed) || (target.whole && self.holds(&followed)) {
                    return true;
                }
                candidates.push((followed, target.whole));
            }
            candidates.push((straight, target.whole));
        }
        let moved = settings::moved_memory(self.setup, &self.home);
        let moved: Vec<String> = moved.iter().flat_map(|folder| spellings(folder)).collect();
        let kept = candidates.iter().filter(|(path, _)| !is_instructions(name_of(path)));
        kept.into_iter().any(|(path, whole)| {
            let path = paths::fold(path);
            moved.iter().any(|folder| {
                let inside = paths::below(&path, folder).is_some();
                inside || (*whole && paths::below(folder, contents_of(&path)).is_some())
            })
        })
    }

    /// Whether memory lies below a folder: the agent's own, its projects, and any `.claude` folder
    /// that has memory now.
    fn holds(&self, path: &str) -> bool {
        let folded = paths::fold(path);
        let path = contents_of(&folded);
        let mut agents = self.claude.iter();
        if agents.any(|folder| holds_agent_folder(path, folder)) {
            return true;
        }
        name_of(path) == ".claude"
            && ["memory", "agent-memory", "agent-memory-local"]
                .iter()
                .any(|name| Path::new(path).join(name).is_dir())
    }

    /// Whether a straight path is protected by the fixed rules and the extra patterns.
    fn covers(&self, path: &str) -> bool {
        let name = name_of(path);
        if is_instructions(name) {
            return false;
        }
        if name == "MEMORY.md" {
            return true;
        }
        let path = paths::fold(path);
        let in_agent_folder = |rest: &str| is_memory(&rest.split('/').collect::<Vec<_>>());
        self.claude.iter().filter_map(|folder| paths::below(&path, folder)).any(in_agent_folder)
            || has_memory_of_any_agent_folder(&path)
            || self.globs.iter().any(|glob| covered_by_glob(glob, &path))
    }
}

/// A folder as it is named and as it really is, straight and folded.
fn spellings(folder: &str) -> Vec<String> {
    let mut spellings = vec![paths::fold(&paths::straight(folder))];
    if let Some(real) = paths::followed(folder).map(|real| paths::fold(&real))
        && real != spellings[0]
    {
        spellings.push(real);
    }
    spellings.retain(|folder| folder.len() > 1);
    spellings
}

/// The folder whose contents a trailing star stands for.
fn contents_of(path: &str) -> &str {
    let path = path.trim_end_matches('*');
    if path.len() > 1 { path.trim_end_matches('/') } else { path }
}

/// Whether a folder is above the agent's, is it, or is where it keeps a project.
fn holds_agent_folder(path: &str, agent: &str) -> bool {
    if paths::below(agent, path).is_some() {
        return true;
    }
    let inside = paths::below(path, agent).map(|rest| rest.split('/').collect::<Vec<_>>());
    matches!(inside.as_deref(), Some(["projects"] | ["projects", _]))
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Instructions are the person's, not the agent's memory.
fn is_instructions(name: &str) -> bool {
    name.eq_ignore_ascii_case("CLAUDE.md") || name.eq_ignore_ascii_case("CLAUDE.local.md")
}

/// Whether the parts below an agent's folder lead to its memory.
fn is_memory(parts: &[&str]) -> bool {
    match parts {
        ["memory" | "agent-memory" | "agent-memory-local", ..] | ["projects", _, "memory", ..] => {
            true
        }
        [file] => file.eq_ignore_ascii_case("memory.md"),
        _ => false,
    }
}

/// The same below any `.claude` folder: a project's own, or that of another account.
fn has_memory_of_any_agent_folder(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    parts.iter().enumerate().any(|(n, part)| *part == ".claude" && is_memory(&parts[n + 1..]))
}

/// A pattern without a leading separator may begin at any folder.
fn covered_by_glob(glob: &str, path: &str) -> bool {
    let rooted = glob.starts_with('/') || glob.contains(":/");
    globs::matches(glob, path) || (!rooted && globs::matches(&format!("/**/{glob}"), path))
}
