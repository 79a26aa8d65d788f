//! Changing one switch of `config.toml`, and nothing else in it.

use std::io;
use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, value};

use super::files::{create_private_folder, read_bounded, replace_file};

/// Most bytes of the file.
const LIMIT: usize = 1 << 20;

/// Sets `name` in `[section]` to `on`; every other byte stays, remarks too. A file that is missing is
/// made, one that is a link is written where it leads.
///
/// # Errors
///
/// The file is no TOML, the place holds something else, or it cannot be read or written. Then it is
/// as it was.
pub fn set_switch(path: &Path, section: &str, name: &str, on: bool) -> io::Result<()> {
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let text = match read_bounded(path, LIMIT) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| invalid("it is no text"))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let mut file: DocumentMut = text
        .parse()
        .map_err(|error| invalid(&format!("it is no valid TOML; correct it first: {error}")))?;
    let table = file.entry(section).or_insert_with(|| Item::Table(Table::new()));
    let table = table.as_table_like_mut();
    let table = table.ok_or_else(|| invalid(&format!("'{section}' is no section")))?;
    match table.get_mut(name).and_then(Item::as_value_mut) {
        // What stands beside the value stays: a remark at the end of the line.
        Some(known) => {
            let around = known.decor().clone();
            *known = on.into();
            *known.decor_mut() = around;
        }
        None => drop(table.insert(name, value(on))),
    }
    let folder = path.parent().ok_or_else(|| invalid("it lies in no folder"))?;
    create_private_folder(folder)?;
    let temporary = path.with_extension(format!("toml.{}.new", std::process::id()));
    replace_file(&temporary, path, file.to_string().as_bytes())
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(before: &str, on: bool) -> io::Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, before).unwrap();
        let done = set_switch(&path, "recall", "prompt_recall", on);
        let after = std::fs::read_to_string(&path).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
        match done {
            Ok(()) => Ok(after),
            Err(error) => {
                assert_eq!(after, before, "a refusal changes nothing");
                Err(error)
            }
        }
    }

    #[test]
    fn one_switch_changes_and_every_other_byte_stays() {
        assert_eq!(set("", false).unwrap(), "[recall]\nprompt_recall = false\n");
        let before = "# mine\n[daemon]\nport = 4 # four\n\n[recall] # what is given\n\
                      session_start = true\nprompt_recall = true   # loud\nfile = false\n";
        let after = before.replace("prompt_recall = true", "prompt_recall = false");
        assert_eq!(set(before, false).unwrap(), after);
        assert_eq!(set(&after, true).unwrap(), before);
        let dotted = "recall.prompt_recall = true\n";
        assert_eq!(set(dotted, false).unwrap(), "recall.prompt_recall = false\n");
        let inline = "recall = { file = true }\n";
        let after = set(inline, false).unwrap();
        assert!(
            after.contains("file = true") && after.contains("prompt_recall = false"),
            "{after}"
        );
        let (read, problem) = {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("c");
            std::fs::write(&path, after).unwrap();
            crate::config::FileConfig::read(&path, &folder.path().join("good"))
        };
        assert!(!read.recall.prompt_recall && problem.is_none());
    }

    #[test]
    fn a_file_that_is_not_understood_stays_as_it_is() {
        for before in ["[recall\n", "recall = 3\n", "\u{1}"] {
            assert!(set(before, true).is_err(), "{before}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("dotfiles.toml"), folder.path().join("config.toml"));
        std::fs::write(&real, "[daemon]\nport = 4\n").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        set_switch(&link, "recall", "prompt_recall", false).unwrap();
        assert!(link.is_symlink());
        assert!(std::fs::read_to_string(&real).unwrap().contains("prompt_recall = false"));
    }
}
