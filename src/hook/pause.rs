//! What is switched off: the `paused` file and excluded folders.
//!
//! The file holds one entry a line: `*` for everything, or a project key. Lines in no known form
//! are kept.

use std::io;
use std::path::{Path, PathBuf};

use afterword_domain::boundary;
use afterword_domain::project::ProjectRef;

use super::platform::{path_key, real_path};
use crate::config::Home;
use crate::config::env::expand;
use crate::folder::files::{create_private_folder, read_bounded, replace_file};

/// The entry that pauses everything.
const EVERYTHING: &str = "*";

/// Most bytes of the file.
const LIMIT: usize = 1 << 20;

/// Whether capture and injection are paused for a project.
///
/// A file that is there and cannot be read pauses everything: whoever paused meant it.
pub fn is_paused(home: &Home, project: &ProjectRef) -> bool {
    match lines(home) {
        Ok(lines) if lines.is_empty() => false,
        Ok(lines) => {
            let keys = keys(project);
            lines.iter().any(|l| l == EVERYTHING || keys.contains(l))
        }
        Err(_) => true,
    }
}

/// Pauses a project, or everything when none is given. A project without keys is refused: no hook
/// could be told that it is meant.
pub fn pause(home: &Home, project: Option<&ProjectRef>) -> io::Result<()> {
    has_keys(project)?;
    let mut lines = lines(home)?;
    for entry in entries(project) {
        if !lines.contains(&entry) {
            lines.push(entry);
        }
    }
    store(home, &lines)
}

/// Takes a project's pause back, or every pause when none is given. A project without keys is
/// refused.
pub fn resume(home: &Home, project: Option<&ProjectRef>) -> io::Result<()> {
    let Some(project) = project else {
        return match std::fs::remove_file(home.paused_file()) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        };
    };
    has_keys(Some(project))?;
    let mut lines = lines(home)?;
    let keys = keys(project);
    lines.retain(|line| !keys.contains(line));
    store(home, &lines)
}

/// Whether a folder lies in one of the excluded ones; `~` is the person's home folder.
///
/// Whole parts of a path are compared, as written and with links resolved.
pub fn is_excluded(excluded: &[String], folder: &Path, user_home: &Path) -> bool {
    if excluded.is_empty() {
        return false;
    }
    let forms = |path: &Path| -> Vec<PathBuf> {
        let real = real_path(path).ok();
        std::iter::once(path.to_owned()).chain(real).map(|p| path_key(&p).into()).collect()
    };
    let folders = forms(folder);
    excluded.iter().map(|e| e.trim()).filter(|e| !e.is_empty()).any(|excluded| {
        forms(&expand(excluded, user_home)).iter().any(|e| folders.iter().any(|f| f.starts_with(e)))
    })
}

fn has_keys(project: Option<&ProjectRef>) -> io::Result<()> {
    match project {
        Some(project) if project.keys.is_empty() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("nothing but the name of the project '{}' is known", project.name),
        )),
        _ => Ok(()),
    }
}

fn entries(project: Option<&ProjectRef>) -> Vec<String> {
    project.map_or_else(|| vec![EVERYTHING.to_owned()], keys)
}

/// The keys as they are stored everywhere: a folder's name may hold a secret.
fn keys(project: &ProjectRef) -> Vec<String> {
    let mut project = project.clone();
    boundary::clean_project(&mut project);
    project.keys
}

fn lines(home: &Home) -> io::Result<Vec<String>> {
    match read_bounded(&home.paused_file(), LIMIT) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes)
            .lines()
            .map(|l| l.trim().to_owned())
            .filter(|l| !l.is_empty())
            .collect()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(e),
    }
}

fn store(home: &Home, lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return resume(home, None);
    }
    create_private_folder(home.folder())?;
    let temporary = home.folder().join(format!("paused.{}.tmp", std::process::id()));
    let mut text = lines.join("\n");
    text.push('\n');
    replace_file(&temporary, &home.paused_file(), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(keys: &[&str]) -> ProjectRef {
        let keys = keys.iter().map(|k| (*k).to_owned()).collect();
        ProjectRef { keys, ..ProjectRef::named("p") }
    }

    #[test]
    fn pauses_add_up_and_come_off_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().join("new"));
        let (a, b) = (project(&["remote:h/a", "dir:/a"]), project(&["dir:/b"]));
        assert!(!is_paused(&home, &a));
        pause(&home, Some(&a)).unwrap();
        pause(&home, Some(&a)).unwrap();
        assert!(is_paused(&home, &project(&["dir:/a"])), "any key of the project is enough");
        assert!(!is_paused(&home, &b));
        pause(&home, None).unwrap();
        assert!(is_paused(&home, &b));
        assert_eq!(std::fs::read_to_string(home.paused_file()).unwrap(), "remote:h/a\ndir:/a\n*\n");
        resume(&home, Some(&a)).unwrap();
        assert!(is_paused(&home, &a), "everything is still paused");
        resume(&home, None).unwrap();
        resume(&home, None).unwrap();
        assert!(!is_paused(&home, &a));
        assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 0);
    }

    #[test]
    fn a_name_alone_pauses_nothing_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        let named = ProjectRef::named("p");
        for refused in [pause(&home, Some(&named)), resume(&home, Some(&named))] {
            assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        assert!(!home.paused_file().exists());
    }

    #[test]
    fn a_pause_that_cannot_be_read_still_pauses() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        std::fs::create_dir(home.paused_file()).unwrap();
        assert!(is_paused(&home, &project(&[])));
    }

    #[test]
    fn h13_whole_parts_of_a_path_are_excluded_and_a_tilde_is_home() {
        let excluded = ["~/secret".to_owned(), "/srv/x".to_owned(), String::new()];
        let home = Path::new("/home/dev");
        let is = |folder: &str| is_excluded(&excluded, Path::new(folder), home);
        assert!(is("/home/dev/secret") && is("/home/dev/secret/deep") && is("/srv/x"));
        assert!(!is("/home/dev/secretary") && !is("/home/dev") && !is("/srv"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_into_an_excluded_folder_is_excluded() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert!(is_excluded(&[real.display().to_string()], &link, Path::new("/")));
    }
}
