//! Which paths are memory files.

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
            if self.covers(&straight) {
                return true;
            }
            let followed = if n < MAX_FOLLOWED { paths::followed(&path) } else { None };
            if let Some(followed) = followed.filter(|followed| *followed != straight) {
                if self.covers(&followed) {
                    return true;
                }
                candidates.push(followed);
            }
            candidates.push(straight);
        }
        let moved = settings::moved_memory(self.setup, &self.home);
        let moved: Vec<String> = moved.iter().flat_map(|folder| spellings(folder)).collect();
        candidates.iter().filter(|path| !is_instructions(name_of(path))).any(|path| {
            let path = paths::fold(path);
            moved.iter().any(|folder| paths::below(&path, folder).is_some())
        })
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
