//! `.afterword.toml`: what a repository says about itself.

use std::path::Path;

use serde::Deserialize;

use crate::folder::files::read_bounded;

/// Its name, in the folder it speaks for.
pub const FILE: &str = ".afterword.toml";

/// Most bytes of the file.
const LIMIT: usize = 64 * 1024;

/// The file's keys; others are left for later releases.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Marker {
    /// The project's name: all folders that say the same name are one project.
    pub project: Option<String>,
    /// False switches capture and context off below this folder.
    pub enabled: bool,
}

impl Default for Marker {
    fn default() -> Self {
        Self { project: None, enabled: true }
    }
}

/// Reads the file in a folder.
///
/// Of one that is no TOML, or holds something else than it may, whatever it says of `enabled` but `true`
/// switches off: a slip must not switch on. So does a file that cannot be read.
pub fn at(dir: &Path) -> Option<Marker> {
    let path = dir.join(FILE);
    let bytes = match read_bounded(&path, LIMIT) {
        Ok(bytes) => bytes,
        Err(_) if path.is_file() => return Some(Marker { project: None, enabled: false }),
        // A folder or a pipe of that name says nothing.
        Err(_) => return None,
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut marker: Marker = toml::from_str(text).unwrap_or_else(|_| in_doubt(text));
    marker.project = marker.project.map(|p| p.trim().to_owned()).filter(|p| !p.is_empty());
    Some(marker)
}

fn in_doubt(text: &str) -> Marker {
    let mut values = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let value = value.split('#').next().unwrap_or_default();
        name.trim().trim_matches(['"', '\'']).eq_ignore_ascii_case("enabled").then(|| value.trim())
    });
    Marker { project: None, enabled: values.all(|value| value == "true") }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn f2_a_slip_in_the_file_does_not_switch_on() {
        let folder = tempfile::tempdir().unwrap();
        let enabled = |text: &str| {
            fs::write(folder.path().join(FILE), text).unwrap();
            at(folder.path()).unwrap().enabled
        };
        for off in [
            "enabled = false",
            "enabled = \"false\"",
            "enabled = 0",
            "enabled = False # not here",
            "project = 3\nenabled = false",
            "enabled: false\nenabled",
            "[project\nenabled = false",
        ] {
            assert!(!enabled(off), "{off}");
        }
        for on in [
            "",
            "enabled = true",
            "project = 3",
            "[project\nenabled = true",
            "# enabled = false\n[",
        ] {
            assert!(enabled(on), "{on}");
        }
        fs::remove_file(folder.path().join(FILE)).unwrap();
        assert_eq!(at(folder.path()), None);
        fs::create_dir(folder.path().join(FILE)).unwrap();
        assert_eq!(at(folder.path()), None, "no file");
        fs::remove_dir(folder.path().join(FILE)).unwrap();
        let long = format!("enabled = true # {}", "x".repeat(LIMIT));
        assert!(!enabled(&long), "it is there and is not read");
    }
}
