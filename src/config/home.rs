//! The data folder and the names in it.

use std::path::{Path, PathBuf};

use afterword_domain::wire::spool;

/// The data folder, `~/.afterword` unless `AFTERWORD_HOME` says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// Takes the folder; nothing is made or checked.
    pub const fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Settings, written by people.
    pub fn config_file(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.0.join("afterword.db")
    }

    /// Where the running daemon answers.
    pub fn endpoint_file(&self) -> PathBuf {
        self.0.join("daemon.json")
    }

    /// The secret that local callers show.
    pub fn token_file(&self) -> PathBuf {
        self.0.join("token")
    }

    /// Held by the one daemon of this folder.
    pub fn lock_file(&self) -> PathBuf {
        self.0.join("daemon.lock")
    }

    /// The record of attempts to start the daemon, and its lock.
    pub fn brake_file(&self) -> PathBuf {
        self.0.join("daemon.starting")
    }

    /// Events that the daemon could not take.
    pub fn spool(&self) -> PathBuf {
        self.0.join(spool::FOLDER)
    }

    /// Log files.
    pub fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }

    /// Embedding models, a folder each.
    pub fn models(&self) -> PathBuf {
        self.0.join("models")
    }

    /// Prices of models, written by people over those of the release.
    pub fn prices_file(&self) -> PathBuf {
        self.0.join("prices.toml")
    }

    /// The empty folder in which the person's `claude` runs as a provider.
    pub fn observer_folder(&self) -> PathBuf {
        self.0.join("observer")
    }

    /// Modes of distilling that the person made, a file each.
    pub fn modes(&self) -> PathBuf {
        self.0.join("modes")
    }

    /// What is paused: a line `*`, or project keys, one a line.
    pub fn paused_file(&self) -> PathBuf {
        self.0.join("paused")
    }

    /// Why the daemon could not start, in one line; not there while it runs.
    pub fn health_file(&self) -> PathBuf {
        self.0.join("health")
    }

    /// What `install` changed, so that `uninstall` can give it back.
    pub fn installs(&self) -> PathBuf {
        self.0.join("installs")
    }

    /// The stable path that hooks are registered with.
    pub fn binary(&self) -> PathBuf {
        self.0.join("bin").join(if cfg!(windows) { "afterword.exe" } else { "afterword" })
    }
}
