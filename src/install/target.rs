//! A foreign text file that is changed with care.
//!
//! Read once; written beside itself, flushed and renamed over itself, with its mode and owner kept
//! and links followed; and not written at all when somebody else changed it in between.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

use super::platform;

/// Links that are followed before a chain counts as a circle.
const MAX_LINKS: usize = 40;

/// The file as it was when it was read.
#[derive(Debug)]
pub struct Target {
    /// As the agent names it.
    pub path: PathBuf,
    /// Where the bytes are: `path` with links followed.
    pub real: PathBuf,
    /// The text; `None`: there is no such file.
    pub text: Option<String>,
    metadata: Option<fs::Metadata>,
    new_mode: u32,
}

impl Target {
    /// Reads the file. `new_mode` are the permission bits it gets when it is made.
    pub fn read(path: &Path, new_mode: u32) -> Result<Self> {
        let real = follow(path)?;
        let mut target = Self { path: path.to_owned(), real, text: None, metadata: None, new_mode };
        match fs::metadata(&target.real) {
            Err(e) if is_absent(&e) => return Ok(target),
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
            Ok(metadata) if !metadata.is_file() => bail!(
                "{} is no regular file: move it away, then run the command again",
                path.display()
            ),
            Ok(metadata) => target.metadata = Some(metadata),
        }
        let bytes =
            fs::read(&target.real).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8(bytes).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            let line = e.as_bytes()[..at].split(|byte| *byte == b'\n').count();
            anyhow::anyhow!(
                "{} is not UTF-8 (line {line}, byte {at}): save it as UTF-8, then run the command \
                 again; nothing was changed",
                path.display()
            )
        })?;
        target.text = Some(text);
        Ok(target)
    }

    /// Refuses a file that its owner has protected.
    pub fn check_writable(&self) -> Result<()> {
        if self.metadata.as_ref().is_some_and(|m| m.permissions().readonly()) {
            bail!(
                "{} is read-only: allow writing (chmod u+w), then run the command again; nothing \
                 was changed",
                self.real.display()
            );
        }
        Ok(())
    }

    /// Makes the folder the file needs; the folders that were made, outermost first.
    pub fn make_folder(&self) -> Result<Vec<PathBuf>> {
        let folder = self.folder();
        let missing: Vec<PathBuf> =
            folder.ancestors().take_while(|f| !f.exists()).map(Path::to_owned).collect();
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(missing.into_iter().rev().collect())
    }

    /// Writes `text` beside the file, ready to take its place.
    pub fn stage(&self, text: &str) -> Result<Staged<'_>> {
        let write = || -> io::Result<NamedTempFile> {
            let mut temp =
                tempfile::Builder::new().prefix(".afterword-").tempfile_in(self.folder())?;
            temp.write_all(text.as_bytes())?;
            match &self.metadata {
                Some(model) => platform::resemble(temp.as_file(), model)?,
                None => platform::set_mode(temp.as_file(), self.new_mode)?,
            }
            temp.as_file().sync_all()?;
            Ok(temp)
        };
        let temp = write().with_context(|| {
            format!("cannot write beside {}; nothing was changed", self.real.display())
        })?;
        Ok(Staged { target: self, temp })
    }

    /// Removes the file, unless it changed since it was read.
    pub fn remove(&self) -> Result<()> {
        self.check_unchanged()?;
        match fs::remove_file(&self.real) {
            Err(e) if !is_absent(&e) => {
                Err(e).with_context(|| format!("cannot remove {}", self.real.display()))
            }
            _ => Ok(()),
        }
    }

    fn folder(&self) -> &Path {
        self.real.parent().unwrap_or(Path::new("/"))
    }

    fn check_unchanged(&self) -> Result<()> {
        let now = match fs::read(&self.real) {
            Ok(bytes) => Some(bytes),
            Err(e) if is_absent(&e) => None,
            Err(e) => {
                return Err(e).with_context(|| format!("cannot read {}", self.real.display()));
            }
        };
        if now.as_deref() != self.text.as_ref().map(String::as_bytes) {
            bail!(
                "{} was changed by another program meanwhile: run the command again; nothing was \
                 changed",
                self.real.display()
            );
        }
        Ok(())
    }
}

/// A new text that lies beside its target. Dropped without [`Staged::commit`], it is gone.
#[derive(Debug)]
pub struct Staged<'a> {
    target: &'a Target,
    temp: NamedTempFile,
}

impl Staged<'_> {
    /// Puts the text in place, unless the file changed since it was read.
    pub fn commit(self) -> Result<()> {
        self.target.check_unchanged()?;
        let folder = self.target.folder();
        self.temp
            .persist(&self.target.real)
            .map_err(|e| e.error)
            .with_context(|| format!("cannot replace {}", self.target.real.display()))?;
        platform::sync_folder(folder).with_context(|| format!("cannot flush {}", folder.display()))
    }
}

/// The path with every link of the last name followed, also when it leads nowhere yet.
fn follow(path: &Path) -> Result<PathBuf> {
    let mut at = std::path::absolute(path)?;
    for _ in 0..MAX_LINKS {
        match fs::read_link(&at) {
            Ok(next) => at = at.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => return Ok(resolved(&at)),
        }
    }
    bail!("{} is a circle of links: mend it, then run the command again", path.display())
}

/// The path with its folders resolved as far as they exist, so that one file has one name before
/// and after it is made.
fn resolved(path: &Path) -> PathBuf {
    let found = path.ancestors().skip(1).find_map(|f| Some((f, f.canonicalize().ok()?)));
    match found.map(|(folder, real)| (path.strip_prefix(folder), real)) {
        Some((Ok(rest), real)) => real.join(rest),
        _ => path.to_owned(),
    }
}

fn is_absent(e: &io::Error) -> bool {
    e.kind() == io::ErrorKind::NotFound
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, text: &str) -> PathBuf {
        let path = folder.join("settings.json");
        fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn a_change_in_between_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), "one");
        let target = Target::read(&path, 0o600).unwrap();
        let staged = target.stage("two").unwrap();
        fs::write(&path, "theirs").unwrap();
        let error = staged.commit().unwrap_err().to_string();
        assert!(error.contains("changed by another program"), "{error}");
        assert!(target.remove().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_appears_in_between_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        let target = Target::read(&path, 0o600).unwrap();
        assert_eq!(target.text, None);
        let staged = target.stage("two").unwrap();
        file(folder.path(), "theirs");
        assert!(staged.commit().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[cfg(unix)]
    #[test]
    fn m5_links_are_written_through_and_the_mode_is_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("dotfiles")).unwrap();
        let real = file(&folder.path().join("dotfiles"), "one");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        let middle = folder.path().join("middle.json");
        symlink("dotfiles/settings.json", &middle).unwrap();
        let link = folder.path().join("settings.json");
        symlink(&middle, &link).unwrap();

        let target = Target::read(&link, 0o600).unwrap();
        target.stage("two").unwrap().commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "two");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

        symlink("circle", folder.path().join("circle")).unwrap();
        assert!(Target::read(&folder.path().join("circle"), 0o600).is_err());
    }
}
