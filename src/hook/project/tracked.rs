//! Whether a file of a checkout came with it.

use std::path::Path;

use super::ask_git::ask;

/// What `git ls-files --error-unmatch` ends with for a file that it does not know.
const UNKNOWN: i32 = 1;

/// Whether git keeps a file of the folder, so that it may have come from somebody else with a clone.
/// In no checkout no file is kept; where git does not say, it counts as kept.
pub fn is_tracked(top: &Path, file: &Path) -> bool {
    if !top.join(".git").exists() {
        return false;
    }
    let file = file.strip_prefix(top).unwrap_or(file).to_string_lossy();
    let arguments = ["--literal-pathspecs", "ls-files", "--error-unmatch", "--", &*file];
    ask(top, &arguments).is_none_or(|answer| answer.code != UNKNOWN)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_what_git_keeps_is_tracked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.conf");
        fs::write(&file, "x").unwrap();
        assert!(!is_tracked(folder.path(), &file), "no checkout");
        if ask(folder.path(), &["init", "-q"]).is_none_or(|answer| answer.code != 0) {
            return;
        }
        assert!(!is_tracked(folder.path(), &file));
        assert_eq!(ask(folder.path(), &["add", "a.conf"]).unwrap().code, 0);
        assert!(is_tracked(folder.path(), &file));
        fs::write(folder.path().join(".git/index"), "no index").unwrap();
        assert!(is_tracked(folder.path(), &file), "a git that does not say");
    }
}
