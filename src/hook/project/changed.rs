//! Which files are changed and not committed: asked of git, for a short time.
//!
//! `git status` alone knows what is staged, what the ignore rules leave out and what a sparse checkout
//! hides. It takes about 2 ms in a small repository and grows with the files; what is not answered in
//! time is not known, and the process is ended.

use std::path::Path;

use super::ask_git::ask;

/// Most files; a checkout with more changes is being rebuilt, not worked on.
const MOST: usize = 100;

/// What of git's settings could start other programs, wait or write is switched off.
const ARGUMENTS: [&str; 12] = [
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "status.showUntrackedFiles=normal",
    "status",
    "--porcelain=v1",
    "-z",
    "--no-renames",
    "--ignore-submodules=all",
];

/// The changed and the new files of a checkout, relative to its top folder, in git's order, at most
/// 100; a folder of nothing but new files ends with `/`.
///
/// Empty when the folder is the top of no checkout, there is no git, or it does not answer in time.
pub fn changed_files(top: &Path) -> Vec<String> {
    if !top.join(".git").exists() {
        return Vec::new();
    }
    ask(top, &ARGUMENTS)
        .filter(|answer| answer.code == 0)
        .map_or_else(Vec::new, |a| files(&a.printed))
}

/// The paths of `XY PATH NUL …`; of a rename the second name follows as an entry of its own.
fn files(answer: &[u8]) -> Vec<String> {
    let mut entries = answer.split(|byte| *byte == 0);
    let mut files = Vec::new();
    while let Some(entry) = entries.next().filter(|_| files.len() < MOST) {
        let Some((state, path)) = entry.split_at_checked(3) else { continue };
        if state[..2].iter().any(|state| matches!(state, b'R' | b'C')) {
            entries.next();
        }
        if let Ok(path) = std::str::from_utf8(path) {
            files.push(path.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_git_is_read() {
        let answer = b" M src/a.rs\0R  new.rs\0old.rs\0?? sub/\0A  \xe4\xb8\xad.md\0?? \xff\0";
        assert_eq!(files(answer), ["src/a.rs", "new.rs", "sub/", "中.md"]);
        let many: Vec<u8> = (0..500).flat_map(|n| format!("?? f{n}\0").into_bytes()).collect();
        assert_eq!(files(&many).len(), MOST);
        assert!(files(b"").is_empty() && files(b"x\0\0").is_empty());
    }

    #[test]
    fn a_folder_without_a_checkout_has_no_changes() {
        let folder = tempfile::tempdir().unwrap();
        assert!(changed_files(folder.path()).is_empty());
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        assert!(changed_files(folder.path()).is_empty(), "a folder that only looks like one");
    }
}
