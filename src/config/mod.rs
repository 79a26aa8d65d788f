//! Settings: a leaf of plain values, read once in `main` and handed down.
//!
//! [`mod@env`] holds the table of every variable and is the only place that reads the environment;
//! [`mod@file`] reads `config.toml`, whose keys [`table`] lists, and [`doubt`] says what holds where
//! that cannot be read; [`remote`] finds the remote service, [`server`] says how a team server is reached, [`provider`] the model's. Nothing here
//! can do anything.

pub mod clock;
mod doubt;
pub mod env;
pub mod file;
pub mod home;
pub mod provider;
pub mod remote;
pub mod server;
pub mod table;

use std::path::PathBuf;

pub use clock::SystemClock;
pub use env::Env;
pub use file::{FileConfig, InjectOn};
pub use home::Home;

/// Everything a role may need to know, resolved: defaults, then `config.toml`, then variables.
#[derive(Clone, Debug)]
pub struct Config {
    /// The variables as they were when the process began.
    pub env: Env,
    /// The data folder and the names in it.
    pub home: Home,
    /// The sections of `config.toml`.
    pub file: FileConfig,
}

impl Config {
    /// Resolves the settings. Without a data folder ([`Env::home_folder`]) there is nothing to read
    /// and nothing that a role may do. A `config.toml` that cannot be read gives what
    /// can be read of it, what protects besides, and the reason.
    pub fn load(env: Env) -> (Self, Option<String>) {
        let Some(folder) = env.home_folder() else {
            let config = Self { env, home: Home::new(PathBuf::new()), file: FileConfig::default() };
            return (config, None);
        };
        let home = Home::new(folder);
        let (file, problem) = FileConfig::read(&home.config_file(), &home.last_good_config_file());
        (Self { env, home, file }, problem)
    }

    /// The port the daemon asks for first; 0 lets the system choose.
    pub fn port(&self) -> u16 {
        self.env.port.unwrap_or(self.file.daemon.port)
    }

    /// Most tokens that a day may cost with a provider; the usual cap unless set.
    pub fn daily_tokens(&self) -> Option<u64> {
        self.env.daily_token_cap.or(self.file.provider.daily_tokens)
    }

    /// Whether prompts are answered with memories.
    pub fn prompt_recall(&self) -> bool {
        self.env.prompt_recall.unwrap_or(self.file.recall.prompt_recall)
    }

    /// Whether a session is given its context when it starts.
    pub fn context_at_start(&self) -> bool {
        self.file.recall.session_start && self.file.recall.inject_on == InjectOn::SessionStart
    }

    /// Whether a session is given its context with its first prompt.
    pub fn context_at_prompt(&self) -> bool {
        self.file.recall.session_start && self.file.recall.inject_on == InjectOn::FirstPrompt
    }

    /// Whether what is known of a file is told before it is read or changed.
    pub fn file_recall(&self) -> bool {
        self.env.file_recall.unwrap_or(self.file.recall.file)
    }

    /// How rows are found by meaning.
    pub fn embeddings(&self) -> file::Embeddings {
        let mut told = self.file.embeddings.clone();
        let over = |name: &str, value: &mut String| {
            if let Some(set) = self.env.get(name) {
                set.clone_into(value);
            }
        };
        over("AFTERWORD_EMBEDDINGS_URL", &mut told.url);
        over("AFTERWORD_EMBEDDINGS_MODEL", &mut told.model);
        over("AFTERWORD_EMBEDDINGS_API_KEY", &mut told.api_key);
        told
    }
}
