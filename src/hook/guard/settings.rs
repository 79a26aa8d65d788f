//! Where the agent's settings have moved its memory to.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use afterword_domain::repair;

use super::{GuardSetup, paths};

/// Bytes of a settings file that are read.
const MAX_SETTINGS: u64 = 1 << 20;

/// Every `autoMemoryDirectory` of the user's, the project's and the local settings.
///
/// A folder that holds the project or the home folder is not taken: protecting it would forbid all work.
pub(super) fn moved_memory(setup: &GuardSetup, home: &str) -> Vec<String> {
    let mut files = vec![setup.claude_folder.join("settings.json")];
    if let Some(root) = setup.project_root.as_ref().or(setup.cwd.as_ref()) {
        files.push(root.join(".claude").join("settings.json"));
        files.push(root.join(".claude").join("settings.local.json"));
    }
    let root = setup.project_root.as_ref().map(|root| paths::straight(&paths::text(root)));
    let holds_all_work = |folder: &str| {
        folder.len() <= 1
            || paths::below(&paths::straight(home), folder).is_some()
            || root.as_ref().is_some_and(|root| paths::below(root, folder).is_some())
    };
    let mut folders = Vec::new();
    for folder in files.iter().filter_map(|file| moved_by(file)) {
        let base = root.as_deref().unwrap_or(home);
        let folder = paths::straight(&paths::absolute(&folder, base, home));
        if !holds_all_work(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The setting of one file; files that are missing or unreadable have none.
fn moved_by(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(MAX_SETTINGS).read_to_end(&mut bytes).ok()?;
    let settings = repair::parse(&bytes)?;
    let folder = settings.get("autoMemoryDirectory")?.as_str()?.trim();
    (!folder.is_empty()).then(|| folder.to_owned())
}
