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

    /// A copy of the settings from when they were good as a whole.
    pub fn last_good_config_file(&self) -> PathBuf {
        self.0.join("config.last-good.toml")
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

    /// What waits for a remote service, and what is known of it.
    pub fn remote_spool(&self) -> PathBuf {
        self.spool().join("remote")
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

    /// How a shell calls the program at its stable path: from the person's folder where it lies
    /// there, in quotes where the path holds what a shell would split.
    pub fn command(&self, user_home: &Path) -> String {
        let path = self.binary();
        let slashes = |path: &Path| {
            let text = path.to_string_lossy();
            if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
        };
        let plain = |text: &str| {
            text.chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ':' | '+'))
        };
        let below = path.strip_prefix(user_home).ok().map(slashes);
        match below.filter(|below| plain(below) && !user_home.as_os_str().is_empty()) {
            Some(below) => format!("~/{below}"),
            None => match slashes(&path) {
                text if plain(&text) => text,
                text if cfg!(windows) => format!("\"{text}\""),
                text => format!("'{text}'"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_called_as_a_shell_takes_it() {
        let call = |folder: &str| Home::new(folder.into()).command(Path::new("/home/dev"));
        let name = if cfg!(windows) { "afterword.exe" } else { "afterword" };
        assert_eq!(call("/home/dev/.afterword"), format!("~/.afterword/bin/{name}"));
        assert_eq!(call("/data/memory"), format!("/data/memory/bin/{name}"));
        let mark = if cfg!(windows) { '"' } else { '\'' };
        assert_eq!(call("/home/dev/a b"), format!("{mark}/home/dev/a b/bin/{name}{mark}"));
        assert_eq!(call("/data/项目"), format!("/data/项目/bin/{name}"));
        let nobody = Home::new("/data".into()).command(Path::new(""));
        assert_eq!(nobody, format!("/data/bin/{name}"));
    }
}
