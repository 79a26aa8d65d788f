//! What was changed, so that it can be given back: records in the data folder.
//!
//! A record is one JSON file in [`Home::installs`](crate::config::Home::installs), beside it lies a
//! plain copy of the original for people. Both may hold secrets of the foreign file: mode 0600.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::platform;

/// The format of the records; a record of another format is not read.
const FORMAT: u32 = 1;
/// Characters of a path that stay in a record's file name.
const NAME_CHARACTERS: usize = 80;

/// One changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The format of this record.
    pub format: u32,
    /// The agent whose file it is.
    pub agent: String,
    /// The file, links followed.
    pub path: PathBuf,
    /// The text without our part; `None`: there was no file.
    pub original: Option<String>,
    /// The text we wrote.
    pub written: String,
    /// Containers that stood empty before our part came into them.
    #[serde(default)]
    pub empty_before: EmptyBefore,
    /// Folders made for the file, outermost first.
    #[serde(default)]
    pub folders: Vec<PathBuf>,
    /// Parts of other products that were switched off on request.
    #[serde(default)]
    pub switched_off: Vec<SwitchedOff>,
}

/// Empty containers of the original that are kept when our part leaves them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmptyBefore {
    /// `"hooks": {}`
    pub hooks: bool,
    /// Events with `[]`.
    pub events: Vec<String>,
    /// `"mcpServers": {}`
    #[serde(default)]
    pub servers: bool,
}

/// A part of another product that was switched off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SwitchedOff {
    /// A hook that was taken out.
    Hook {
        /// Its event.
        event: String,
        /// The matcher of its group.
        matcher: Option<String>,
        /// Its text in the file.
        entry: String,
    },
    /// A plugin whose flag was `true`.
    Plugin {
        /// Its key in `enabledPlugins`.
        key: String,
    },
}

impl Record {
    /// A record of a change of `path`.
    pub fn new(agent: &str, path: &Path, original: Option<String>, written: String) -> Self {
        Self {
            format: FORMAT,
            agent: agent.to_owned(),
            path: path.to_owned(),
            original,
            written,
            empty_before: EmptyBefore::default(),
            folders: Vec::new(),
            switched_off: Vec::new(),
        }
    }
}

/// The records of one data folder.
#[derive(Clone, Debug)]
pub struct Records {
    folder: PathBuf,
}

/// A record and where it lies.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The record.
    pub record: Record,
    /// Its file.
    pub file: PathBuf,
    /// The copy of the original; there is none when no file was there.
    pub backup: Option<PathBuf>,
}

impl Records {
    /// The records in `folder`; it need not exist.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The record of a file. Records that are torn are passed over, and stay where they are: nothing
    /// is written in their place.
    pub fn find(&self, path: &Path) -> Result<Option<Kept>> {
        Ok(self.all()?.into_iter().find(|kept| kept.record.path == path))
    }

    /// How many files are recorded as changed, besides these.
    pub fn others(&self, paths: &[&Path]) -> Result<usize> {
        let all = self.all()?;
        Ok(all.iter().filter(|kept| !paths.contains(&kept.record.path.as_path())).count())
    }

    fn all(&self) -> Result<Vec<Kept>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => {
                return Err(e).with_context(|| format!("cannot read {}", self.folder.display()));
            }
        };
        let mut found = Vec::new();
        for entry in entries {
            let file = entry?.path();
            if file.extension().is_none_or(|e| e != "json") {
                continue;
            }
            let bytes =
                fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            if let Ok(record) = serde_json::from_slice::<Record>(&bytes)
                && record.format == FORMAT
            {
                let backup = Some(backup_file(&file)).filter(|b| b.exists());
                found.push(Kept { record, file, backup });
            }
        }
        Ok(found)
    }

    /// Where the record of a new change will lie: named after the file, so that people find it.
    pub fn place(&self, agent: &str, path: &Path) -> PathBuf {
        let name: Vec<char> = path
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let tail: String = name[name.len().saturating_sub(NAME_CHARACTERS)..].iter().collect();
        let base = format!("{agent}-{}", tail.trim_matches('-'));
        let names = (1..).map(|n| match n {
            1 => format!("{base}.json"),
            n => format!("{base}-{n}.json"),
        });
        names
            .map(|name| self.folder.join(name))
            .find(|file| !file.exists())
            .expect("a folder holds finitely many files")
    }

    /// Writes a record and, when there is none yet, the copy of what was there before.
    pub fn save(&self, file: &Path, record: &Record, before: Option<&str>) -> Result<()> {
        platform::private_folder(&self.folder)
            .with_context(|| format!("cannot make {}", self.folder.display()))?;
        if let Some(before) = before {
            self.write(&backup_file(file), before)?;
        }
        let mut text = serde_json::to_string_pretty(record)?;
        text.push('\n');
        self.write(file, &text)?;
        platform::sync_folder(&self.folder)?;
        Ok(())
    }

    fn write(&self, file: &Path, text: &str) -> Result<()> {
        let mut temp = tempfile::Builder::new().prefix(".record-").tempfile_in(&self.folder)?;
        temp.write_all(text.as_bytes())?;
        temp.as_file().sync_all()?;
        temp.persist(file)
            .map_err(|e| e.error)
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(())
    }

    /// Removes a record, and with `backup` the copy too; the folder goes when it is empty.
    pub fn forget(&self, file: &Path, backup: bool) -> Result<()> {
        remove(file)?;
        if backup {
            remove(&backup_file(file))?;
        }
        remove_empty_folder(&self.folder);
        Ok(())
    }
}

/// The copy of the original that belongs to a record.
pub fn backup_file(record: &Path) -> PathBuf {
    record.with_extension("before")
}

/// Removes a folder if nothing is in it.
pub(super) fn remove_empty_folder(folder: &Path) {
    // A folder that holds something, or is gone already, is no failure.
    drop(fs::remove_dir(folder));
}

fn remove(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_own_record() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::new(folder.path().join("installs"));
        let (one, two) = (Path::new("/a/b.json"), Path::new("/a-b.json"));
        for path in [one, two] {
            let record = Record::new("claude-code", path, None, format!("for {}", path.display()));
            let file = records.place("claude-code", path);
            records.save(&file, &record, Some("was")).unwrap();
        }
        let kept = records.find(one).unwrap().unwrap();
        assert_eq!(kept.record.written, "for /a/b.json");
        assert_eq!(fs::read_to_string(kept.backup.unwrap()).unwrap(), "was");
        assert_eq!(records.find(two).unwrap().unwrap().record.written, "for /a-b.json");
        records.forget(&kept.file, true).unwrap();
        assert!(records.find(one).unwrap().is_none());
        assert_eq!(records.others(&[]).unwrap(), 1);
        assert_eq!(records.others(&[two]).unwrap(), 0);
        records.forget(&records.find(two).unwrap().unwrap().file, true).unwrap();
        assert!(!folder.path().join("installs").exists());
    }

    #[cfg(unix)]
    #[test]
    fn records_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let records = Records::new(folder.path().join("home/installs"));
        let file = records.place("claude-code", Path::new("/x"));
        let record = Record::new("claude-code", Path::new("/x"), None, String::new());
        records.save(&file, &record, Some("secret")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file), 0o600);
        assert_eq!(mode(&backup_file(&file)), 0o600);
        assert_eq!(mode(&folder.path().join("home/installs")), 0o700);
        assert_eq!(mode(&folder.path().join("home")), 0o700);
    }
}
