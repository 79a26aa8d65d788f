//! The program at its stable path, which registered commands name.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::platform;

/// What happens to the program at its stable path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BinaryChange {
    /// It stays as it is.
    #[default]
    Unchanged,
    /// It is put there for the first time.
    Placed(PathBuf),
    /// Another build takes its place.
    Replaced(PathBuf),
    /// It is removed: nothing names it any more.
    Removed(PathBuf),
}

/// What placing would do. The running program must be readable.
pub fn plan(current_exe: &Path, stable: &Path) -> Result<BinaryChange> {
    let metadata = fs::metadata(current_exe)
        .with_context(|| format!("cannot read the program {}", current_exe.display()))?;
    anyhow::ensure!(metadata.is_file(), "{} is no program", current_exe.display());
    if !stable.exists() {
        return Ok(BinaryChange::Placed(stable.to_owned()));
    }
    if platform::is_executable(stable) && same_content(current_exe, stable)? {
        return Ok(BinaryChange::Unchanged);
    }
    Ok(BinaryChange::Replaced(stable.to_owned()))
}

/// Puts a copy of the running program at the stable path, in one step: whoever starts it meanwhile
/// gets the old build or the new one, whole.
pub fn place(current_exe: &Path, stable: &Path) -> Result<BinaryChange> {
    let change = plan(current_exe, stable)?;
    if change == BinaryChange::Unchanged {
        return Ok(change);
    }
    let copy = || -> io::Result<()> {
        let folder = stable.parent().unwrap_or(Path::new("/"));
        platform::private_folder(folder)?;
        let mut temp = tempfile::Builder::new().prefix(".afterword-").tempfile_in(folder)?;
        io::copy(&mut File::open(current_exe)?, temp.as_file_mut())?;
        platform::set_mode(temp.as_file(), 0o755)?;
        temp.as_file().sync_all()?;
        temp.persist(stable).map_err(|e| e.error)?;
        platform::sync_folder(folder)
    };
    copy().with_context(|| format!("cannot put the program at {}", stable.display()))?;
    Ok(change)
}

/// Takes the program away again, and its folder when that is empty then.
pub fn remove(stable: &Path) -> Result<()> {
    match fs::remove_file(stable) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            return Err(e).with_context(|| format!("cannot remove {}", stable.display()));
        }
        _ => {}
    }
    if let Some(folder) = stable.parent() {
        super::backup::remove_empty_folder(folder);
    }
    Ok(())
}

/// Whether both paths are one file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// The first program of this name in the folders of a `PATH` value.
pub fn found_on_path(path_var: Option<&str>, name: &str) -> Option<PathBuf> {
    let names: &[String] = &if cfg!(windows) {
        ["exe", "cmd", "bat"].map(|e| format!("{name}.{e}")).to_vec()
    } else {
        vec![name.to_owned()]
    };
    std::env::split_paths(path_var?)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| platform::is_executable(file))
}

fn same_content(one: &Path, other: &Path) -> Result<bool> {
    if is_same_file(one, other) {
        return Ok(true);
    }
    let open = |path: &Path| -> Result<File> {
        File::open(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let (one, other) = (open(one)?, open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let size = 64 * 1024;
    let (mut one, mut other) =
        (BufReader::with_capacity(size, one), BufReader::with_capacity(size, other));
    let (mut left, mut right) = (Vec::with_capacity(size), Vec::with_capacity(size));
    loop {
        left.clear();
        right.clear();
        let limit = size as u64;
        one.by_ref().take(limit).read_to_end(&mut left)?;
        other.by_ref().take(limit).read_to_end(&mut right)?;
        if left != right {
            return Ok(false);
        }
        if left.is_empty() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s2_the_stable_path_is_replaced_whole_and_only_when_needed() {
        let folder = tempfile::tempdir().unwrap();
        let exe = folder.path().join("build");
        let stable = folder.path().join("home/bin/afterword");
        fs::write(&exe, "one").unwrap();
        assert_eq!(place(&exe, &stable).unwrap(), BinaryChange::Placed(stable.clone()));
        assert!(platform::is_executable(&stable));
        assert_eq!(place(&exe, &stable).unwrap(), BinaryChange::Unchanged);
        assert_eq!(place(&stable, &stable).unwrap(), BinaryChange::Unchanged);
        fs::write(&exe, "two").unwrap();
        assert_eq!(plan(&exe, &stable).unwrap(), BinaryChange::Replaced(stable.clone()));
        assert_eq!(fs::read(&stable).unwrap(), b"one");
        assert_eq!(place(&exe, &stable).unwrap(), BinaryChange::Replaced(stable.clone()));
        assert_eq!(fs::read(&stable).unwrap(), b"two");
        assert_eq!(fs::read_dir(stable.parent().unwrap()).unwrap().count(), 1);
        remove(&stable).unwrap();
        assert!(!stable.parent().unwrap().exists());
        remove(&stable).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_found_on_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::create_dir(&one).unwrap();
        fs::write(one.join("tool"), "not executable").unwrap();
        place(&one.join("tool"), &two.join("tool")).unwrap();
        let path = format!("{}:{}:", one.display(), two.display());
        assert_eq!(found_on_path(Some(&path), "tool"), Some(two.join("tool")));
        assert_eq!(found_on_path(Some(&path), "none"), None);
        assert_eq!(found_on_path(None, "tool"), None);
    }
}
