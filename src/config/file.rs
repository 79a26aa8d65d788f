//! `config.toml`: one struct a section, every key with a default.

use std::io::{self, ErrorKind};
use std::path::Path;

use serde::Deserialize;

use super::doubt;

/// The file's sections.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileConfig {
    /// The local process.
    pub daemon: Daemon,
    /// Who may ask the local process.
    pub api: Api,
    /// What is taken in.
    pub capture: Capture,
    /// What is given back.
    pub recall: Recall,
    /// Which files the guard protects besides the agent's own memory.
    pub guard: Guard,
    /// What stays of raw events once they are distilled.
    pub retention: Retention,
    /// How rows are found by meaning.
    pub embeddings: Embeddings,
    /// Who runs a language model.
    pub provider: super::provider::Section,
    /// What a language model looks for, and what it writes in.
    pub distill: Distill,
    /// How a remote memory service is used.
    pub remote: super::remote::Section,
    /// How a team server is reached.
    pub server: super::server::Section,
    /// Whether something in the file could not be read: what it says may then be more than is known.
    #[serde(skip)]
    pub in_doubt: bool,
    /// Whether nothing is captured and no context given: the file means to exclude something, and
    /// nobody can read what.
    #[serde(skip)]
    pub closed: bool,
}

/// `[daemon]`
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Daemon {
    /// Port asked for first; another is taken when a foreign process holds it.
    pub port: u16,
    /// Minutes without a request after which the daemon leaves; 0: never.
    pub idle_exit_minutes: u64,
}

impl Default for Daemon {
    fn default() -> Self {
        Self { port: 37_777, idle_exit_minutes: 60 }
    }
}

/// `[api]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Api {
    /// Whether integrations of the five-stage observer must show the token.
    pub observer_auth: ObserverAuth,
}

/// What callers of the observer door must show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObserverAuth {
    /// The token of the data folder.
    #[default]
    Token,
    /// Nothing: every program on this machine may write sessions and read context blocks. Host and
    /// Origin are still checked.
    Off,
}

/// `[capture]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Capture {
    /// Tools whose uses say nothing worth keeping.
    pub skip_tools: Vec<String>,
    /// Folders whose sessions are neither captured nor given context; `~` is resolved.
    pub excluded_paths: Vec<String>,
}

/// Tools that manage tasks, ask the person or look tools up.
pub const SKIP_TOOLS: [&str; 10] = [
    "ListMcpResourcesTool",
    "SlashCommand",
    "Skill",
    "TodoWrite",
    "AskUserQuestion",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    "ToolSearch",
];

impl Default for Capture {
    fn default() -> Self {
        Self { skip_tools: SKIP_TOOLS.map(str::to_owned).to_vec(), excluded_paths: Vec::new() }
    }
}

/// `[recall]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recall {
    /// Give context at session start.
    pub session_start: bool,
    /// When that context is given.
    pub inject_on: InjectOn,
    /// Answer prompts with memories.
    pub prompt_recall: bool,
    /// Tell what is known of a file before it is read or changed.
    pub file: bool,
}

impl Default for Recall {
    fn default() -> Self {
        Self {
            session_start: true,
            inject_on: InjectOn::SessionStart,
            prompt_recall: true,
            file: true,
        }
    }
}

/// When a session is given its context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InjectOn {
    /// When it starts.
    #[default]
    SessionStart,
    /// With its first prompt: the hook of session starts is not registered, which some versions of
    /// agents do not bear, and sessions in which nothing is typed cost nothing.
    FirstPrompt,
}

/// `[guard]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Guard {
    /// More files to protect, as globs over absolute paths; `~` is resolved.
    pub extra_paths: Vec<String>,
}

/// `[retention]`: distilled rows stay for ever, the raw payloads behind them within these limits.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days that a raw payload is kept; 0: no limit.
    pub raw_events_days: u32,
    /// Megabytes of raw payloads that are kept, the newest of them; 0: no limit.
    pub raw_events_mb: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { raw_events_days: 90, raw_events_mb: 512 }
    }
}

/// `[embeddings]`: rows are found by meaning with an installed model, or with a service.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Embeddings {
    /// Address of a service that speaks the API of OpenAI, up to `/embeddings`; empty: the model
    /// of this machine. What is embedded is sent there.
    pub url: String,
    /// The service's model, or the name of an installed one; empty: the one that is installed.
    pub model: String,
    /// The service's key; empty: none.
    pub api_key: String,
    /// Minutes after which a model that nobody asks leaves memory.
    pub idle_minutes: u64,
}

impl Default for Embeddings {
    fn default() -> Self {
        Self { url: String::new(), model: String::new(), api_key: String::new(), idle_minutes: 10 }
    }
}

impl std::fmt::Debug for Embeddings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the key.
        f.debug_struct("Embeddings")
            .field("url", &self.url)
            .field("model", &self.model)
            .field("idle_minutes", &self.idle_minutes)
            .finish_non_exhaustive()
    }
}

/// `[distill]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Distill {
    /// `code`, or the name of a file in the folder `modes` without its `.toml`.
    pub mode: String,
    /// `auto`: that of the person's prompts; else a code such as `en` or `zh`, or a name.
    pub language: String,
}

impl Default for Distill {
    fn default() -> Self {
        Self { mode: "code".to_owned(), language: "auto".to_owned() }
    }
}

impl FileConfig {
    /// Reads the file. No file gives the defaults. Of a bad one every setting that can be read
    /// counts, the others have their defaults, and the reason is given; what protects is then taken
    /// from `last_good` too, a copy of the file from when it was good, and holds until the file is mended.
    pub fn read(path: &Path, last_good: &Path) -> (Self, Option<String>) {
        let bytes = match bytes(path) {
            Ok(bytes) => bytes,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return (Self::default(), None);
            }
            Err(e) => {
                let doubtful = doubt::settle(Self::default(), None, last_good);
                return (doubtful, Some(format!("cannot read {}: {e}", path.display())));
            }
        };
        match Self::parse(&bytes) {
            Ok(config) => (config, None),
            Err(why) => {
                let reason = format!(
                    "{} is not valid, so what cannot be read has its default:\n{why}",
                    path.display()
                );
                let text = String::from_utf8_lossy(&bytes);
                let read = Self::of_what_can_be_read(&text);
                (doubt::settle(read, Some(&text), last_good), Some(reason))
            }
        }
    }

    /// The settings of a file that is good as a whole.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
        let text = text.trim_start_matches('\u{feff}');
        toml::from_str(text).map_err(|e| e.to_string().trim_end().to_owned())
    }

    /// The settings that can be read, one by one.
    fn of_what_can_be_read(text: &str) -> Self {
        let Ok(whole) = text.trim_start_matches('\u{feff}').parse::<toml::Table>() else {
            return Self::default();
        };
        let (mut read, mut known) = (Self::default(), toml::Table::new());
        for (section, settings) in whole.iter().filter_map(|(k, v)| Some((k, v.as_table()?))) {
            for (name, value) in settings {
                let mut more = known.clone();
                let place =
                    more.entry(section.clone()).or_insert_with(|| toml::Table::new().into());
                if let Some(place) = place.as_table_mut() {
                    place.insert(name.clone(), value.clone());
                }
                if let Ok(with) = more.clone().try_into::<Self>() {
                    (read, known) = (with, more);
                }
            }
        }
        read
    }
}

/// The file's bytes; a pipe in its place would be waited for.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read(path)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "no regular file"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> (FileConfig, Option<String>) {
        FileConfig::read(path, &path.with_file_name("config.last-good.toml"))
    }

    #[test]
    fn a_bad_file_gives_the_defaults_and_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        assert_eq!(read(&path), (FileConfig::default(), None));
        std::fs::write(&path, "[daemon]\nport = 4\n").unwrap();
        assert_eq!(read(&path).0.daemon.port, 4);
        std::fs::write(&path, "[deamon]\nport = 4\n").unwrap();
        let (config, problem) = read(&path);
        assert_eq!(config, FileConfig { in_doubt: true, ..FileConfig::default() });
        assert!(problem.unwrap().contains("deamon"));
    }

    #[test]
    fn i1_one_slip_takes_no_other_setting_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let text = "[distill]\nlangauge = \"en\"\nmode = \"mine\"\n[provider]\ndaily_tokens = 5\n\
                    daily_cost = \"much\"\n[capture]\nexclude = 3\n";
        std::fs::write(&path, text).unwrap();
        let (config, problem) = read(&path);
        assert!(config.in_doubt && problem.is_some());
        assert_eq!((config.distill.mode.as_str(), config.provider.daily_tokens), ("mine", Some(5)));
        std::fs::write(&path, "[daemon\nport = 4").unwrap();
        assert!(read(&path).0.in_doubt);
    }
}
