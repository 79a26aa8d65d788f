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

/// Reads the file in a folder. A file that is no TOML counts as an empty one.
pub fn at(dir: &Path) -> Option<Marker> {
    let bytes = read_bounded(&dir.join(FILE), LIMIT).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut marker: Marker =
        toml::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    marker.project = marker.project.map(|p| p.trim().to_owned()).filter(|p| !p.is_empty());
    Some(marker)
}
