//! The copy of `config.toml` from when it was good.

use std::fs::{File, Metadata};
use std::io;

use super::files::{read_bounded, replace_file};
use crate::config::{FileConfig, Home};

/// Most bytes of settings that are copied.
const LIMIT: usize = 1 << 20;

/// Keeps a copy of the settings, readable by their owner only, for the time when they cannot be read.
///
/// Costs two looks at files while nothing has changed. Settings that are not there, or not good any
/// more, leave the copy as it is.
pub fn keep(home: &Home) -> io::Result<()> {
    let (file, copy) = (home.config_file(), home.last_good_config_file());
    let Ok(now) = std::fs::metadata(&file) else { return Ok(()) };
    if std::fs::metadata(&copy).is_ok_and(|copy| is_of(&copy, &now)) {
        return Ok(());
    }
    let bytes = read_bounded(&file, LIMIT)?;
    // They may have changed since they were read.
    if FileConfig::parse(&bytes).is_err() {
        return Ok(());
    }
    let temporary = copy.with_extension(format!("{}.tmp", std::process::id()));
    replace_file(&temporary, &copy, &bytes)?;
    // The time of the file says that the copy is the copy of that file.
    File::options().write(true).open(&copy)?.set_modified(now.modified()?)
}

fn is_of(copy: &Metadata, file: &Metadata) -> bool {
    let same_time = matches!((copy.modified(), file.modified()), (Ok(a), Ok(b)) if a == b);
    same_time && copy.len() == file.len()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn f7_a_copy_of_good_settings_is_kept_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        keep(&home).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing of nothing");
        let copied = || fs::read_to_string(home.last_good_config_file()).unwrap();
        for text in ["[daemon]\nport = 4\n", "[daemon]\nport = 5\n", ""] {
            fs::write(home.config_file(), text).unwrap();
            keep(&home).unwrap();
            assert_eq!(copied(), text);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(home.last_good_config_file()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(home.config_file(), "[daemon]\nport = 6\n").unwrap();
        keep(&home).unwrap();
        fs::write(home.config_file(), "[daemon").unwrap();
        keep(&home).unwrap();
        fs::remove_file(home.config_file()).unwrap();
        keep(&home).unwrap();
        assert_eq!(copied(), "[daemon]\nport = 6\n", "what is bad or gone is not copied");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_copy_that_is_right_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        fs::write(home.config_file(), "[daemon]\nport = 4\n").unwrap();
        keep(&home).unwrap();
        // Whoever would write it now fails: its place is taken.
        let temporary = format!("config.last-good.{}.tmp", std::process::id());
        fs::create_dir(folder.path().join(temporary)).unwrap();
        keep(&home).unwrap();
        fs::write(home.config_file(), "[daemon]\nport = 44\n").unwrap();
        keep(&home).unwrap_err();
    }
}
