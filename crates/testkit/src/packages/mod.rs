//! Programs that others publish, installed once for all tests by the registries' own clients.

mod once;
mod programs;

use std::path::{Path, PathBuf};

use crate::absent::{Absent, target};

pub(crate) use once::once;
pub(crate) use programs::{npm, python, unpack};

/// A package of others, in a folder of its own below `target/packages`.
#[derive(Clone, Debug)]
pub struct Package {
    folder: PathBuf,
}

impl Package {
    /// A package of the Python package index and all that it needs, without an environment: the
    /// folder is to stand in `PYTHONPATH`.
    pub fn python(name: &'static str, version: &str) -> Result<Self, Absent> {
        Self::installed(name, version, |folder| {
            let exactly = format!("{name}=={version}");
            let mut arguments = vec!["-m", "pip", "install", "--disable-pip-version-check"];
            arguments.extend(["--quiet", "--upgrade", exactly.as_str(), "--target"]);
            python(&arguments, &[folder])
        })
    }

    /// A package of npm and all that it needs; no script of theirs is run. The folder holds
    /// `node_modules`.
    pub fn npm(name: &'static str, version: &str) -> Result<Self, Absent> {
        Self::installed(name, version, |folder| {
            npm(folder, &[&format!("{name}@{version}")], &["--legacy-peer-deps"])
        })
    }

    fn installed(
        name: &'static str,
        version: &str,
        install: impl Fn(&Path) -> Result<(), String>,
    ) -> Result<Self, Absent> {
        let folder = target().join("packages").join(format!("{name}-{version}"));
        once(&folder, version, || true, || install(&folder))
            .map_err(|why| Absent::new(name, why))?;
        Ok(Self { folder })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
