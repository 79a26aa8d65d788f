//! Every environment variable, in one table, read once.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A variable that afterword reads.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the generated reference.
    pub meaning: &'static str,
}

/// Every variable that afterword reads, for `docs/reference/environment.md`.
pub const VARIABLES: &[Variable] = &[
    var(
        "AFTERWORD_HOME",
        "Data folder, absolute or from the working folder; `~/.afterword` unless set.",
    ),
    var("AFTERWORD_PORT", "Port the daemon asks for first; 0 = any. Default 37777."),
    var("AFTERWORD_PROJECT", "Name of the project, whatever the folder says."),
    var("AFTERWORD_PROMPT_RECALL", "0 or 1: answer prompts with memories. Default 1."),
    var(
        "AFTERWORD_FILE_RECALL",
        "0 or 1: before a file is read or changed, tell what is known of it. Default 1.",
    ),
    var(
        "AFTERWORD_DAILY_TOKEN_CAP",
        "Most tokens that a day may cost with a provider, in and out together. Default 500000.",
    ),
    var("AFTERWORD_DISABLED", "1 stops every hook before it reads or writes anything."),
    var(
        "AFTERWORD_OBSERVER",
        "Set by afterword for agents it runs itself; their hooks stay silent.",
    ),
    var(
        "AFTERWORD_LOG",
        "Log level of the daemon and the team server: error, warn, info, debug. Default info.",
    ),
    var(
        "AFTERWORD_EMBEDDINGS_URL",
        "Address of a service that embeds, up to `/embeddings` (API of OpenAI); the installed model unless set.",
    ),
    var(
        "AFTERWORD_EMBEDDINGS_MODEL",
        "Model that the service is asked for, or the name of an installed one.",
    ),
    var("AFTERWORD_EMBEDDINGS_API_KEY", "Key for the service that embeds."),
    var(
        "AFTERWORD_PROVIDER",
        "Who runs a language model: none, anthropic, openai, gemini or claude-cli. Default none.",
    ),
    var("AFTERWORD_PROVIDER_URL", "Address of the provider; its own unless set."),
    var("AFTERWORD_PROVIDER_API_KEY", "Key for the provider."),
    var("AFTERWORD_PROVIDER_MODEL", "Model of the provider; a small one unless set."),
    var(
        "AFTERWORD_DATABASE_URL",
        "PostgreSQL database with pgvector, as `postgresql://user:password@host/name?sslmode=require`; used by `serve`, `token` and `eval --backend postgres`.",
    ),
    var("AFTERWORD_LISTEN", "Address and port of `serve`. Default 127.0.0.1:37778."),
    var(
        "AFTERWORD_METRICS_TOKEN",
        "Secret with which `/metrics` of a team server is read, beside the tokens of admins.",
    ),
    var("AFTERWORD_API_URL", "Address of a remote memory service."),
    var("AFTERWORD_API_TOKEN", "Token for the remote memory service."),
    var("AFTERWORD_USER_ID", "User id at the remote memory service; the login name unless set."),
    var("AFTERWORD_CONFIG_DIR", "Folder of an `afterword.conf` or `adbpgmem.conf`."),
    var("ADBPGMEM_API_URL", "As AFTERWORD_API_URL, for existing set-ups."),
    var("ADBPGMEM_API_TOKEN", "As AFTERWORD_API_TOKEN, for existing set-ups."),
    var("ADBPGMEM_USER_ID", "As AFTERWORD_USER_ID, for existing set-ups."),
    var("ADBPGMEM_CONFIG_DIR", "As AFTERWORD_CONFIG_DIR, for existing set-ups."),
    var("CLAUDE_CONFIG_DIR", "Claude Code's own folder; `~/.claude` unless set."),
    var("CLAUDE_PROJECT_DIR", "Set by Claude Code for its hooks: the project's folder."),
    var("HOME", "The person's home folder (USERPROFILE on Windows)."),
    var("USER", "The login name (USERNAME on Windows)."),
    var("NO_COLOR", "Set: no colour on the terminal."),
    var("COLUMNS", "Width of the terminal, where it is set."),
    var(
        "PATH",
        "Used by `doctor` and `install` to see which agents are on the machine, and to find `claude`.",
    ),
];

const fn var(name: &'static str, meaning: &'static str) -> Variable {
    Variable { name, meaning }
}

/// The variables as they were when the process began.
#[derive(Clone, Default)]
pub struct Env {
    /// Every variable of [`VARIABLES`] that is set to something.
    values: BTreeMap<&'static str, String>,
    /// `AFTERWORD_PORT`, where it is a port.
    pub port: Option<u16>,
    /// `AFTERWORD_PROMPT_RECALL`, where it is 0 or 1.
    pub prompt_recall: Option<bool>,
    /// `AFTERWORD_FILE_RECALL`, where it is 0 or 1.
    pub file_recall: Option<bool>,
    /// `AFTERWORD_DAILY_TOKEN_CAP`; nothing may be spent where it is no number.
    pub daily_token_cap: Option<u64>,
    /// Whether [`Env::named`] may ask the process.
    live: bool,
}

/// Values may be keys and tokens: only names are shown.
impl std::fmt::Debug for Env {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Env").field("set", &self.values.keys()).finish_non_exhaustive()
    }
}

impl Env {
    /// Reads the environment. The only function of the program that does.
    pub fn capture() -> Self {
        let mut env = Self::from_lookup(process);
        env.live = true;
        env
    }

    /// A variable that the settings name, and nothing else does: somebody's key, or what a program of
    /// the person needs. None in tests, which have no environment.
    pub fn named(&self, name: &str) -> Option<String> {
        if !self.live || name.is_empty() || name.contains(['=', '\0']) {
            return None;
        }
        process(name).filter(|value| !value.is_empty())
    }

    /// Takes the variables from a function, for tests.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let mut values: BTreeMap<&'static str, String> = BTreeMap::new();
        for variable in VARIABLES {
            if let Some(value) = lookup(variable.name).filter(|v| !v.is_empty()) {
                values.insert(variable.name, value);
            }
        }
        for (ours, windows) in [("HOME", "USERPROFILE"), ("USER", "USERNAME")] {
            if !values.contains_key(ours)
                && let Some(value) = lookup(windows).filter(|v| !v.is_empty())
            {
                values.insert(ours, value);
            }
        }
        let port = values.get("AFTERWORD_PORT").and_then(|v| v.trim().parse().ok());
        let switch = |name: &str| values.get(name).map(|v| !is_off(v));
        let prompt_recall = switch("AFTERWORD_PROMPT_RECALL");
        let file_recall = switch("AFTERWORD_FILE_RECALL");
        // A cap that cannot be read must not mean none.
        let daily_token_cap = values.get("AFTERWORD_DAILY_TOKEN_CAP").map(|v| whole_number(v));
        Self { values, port, prompt_recall, file_recall, daily_token_cap, live: false }
    }

    /// A variable of the table, where it is set to something.
    pub fn get(&self, name: &str) -> Option<&str> {
        debug_assert!(VARIABLES.iter().any(|v| v.name == name), "{name} is not in the table");
        self.values.get(name).map(String::as_str)
    }

    /// Whether hooks must stop before they read or write anything: switched off, or called by an
    /// agent that afterword runs itself.
    pub fn hooks_disabled(&self) -> bool {
        self.get("AFTERWORD_DISABLED").is_some_and(|v| !is_off(v))
            || self.get("AFTERWORD_OBSERVER").is_some_and(|v| !is_off(v))
    }

    /// The person's home folder; the current folder where there is none.
    pub fn user_home(&self) -> PathBuf {
        self.get("HOME").map_or_else(|| PathBuf::from("."), PathBuf::from)
    }

    /// The data folder: absolute, with a leading `~` resolved, so that a process with another
    /// working folder means the same one. None where neither `AFTERWORD_HOME` nor `HOME` says.
    pub fn home_folder(&self) -> Option<PathBuf> {
        let person = self.get("HOME").map(PathBuf::from);
        let folder = match self.get("AFTERWORD_HOME") {
            Some(told) if told.starts_with('~') => expand(told, &person?),
            Some(told) => PathBuf::from(told),
            None => person?.join(".afterword"),
        };
        // Fails only where there is no working folder to start from.
        std::path::absolute(folder).ok()
    }

    /// Claude Code's folder.
    pub fn claude_folder(&self) -> PathBuf {
        match self.get("CLAUDE_CONFIG_DIR") {
            Some(folder) => expand(folder, &self.user_home()),
            None => self.user_home().join(".claude"),
        }
    }

    /// The file in which Claude Code keeps the person's MCP servers.
    pub fn claude_servers_file(&self) -> PathBuf {
        let folder = match self.get("CLAUDE_CONFIG_DIR") {
            Some(folder) => expand(folder, &self.user_home()),
            None => self.user_home(),
        };
        folder.join(".claude.json")
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
fn process(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Resolves a leading `~` of a configured path.
pub fn expand(path: &str, user_home: &std::path::Path) -> PathBuf {
    match path.strip_prefix('~') {
        Some("") => user_home.to_owned(),
        Some(rest) if rest.starts_with(['/', '\\']) => user_home.join(&rest[1..]),
        _ => PathBuf::from(path),
    }
}

/// A number that may be written in groups; zero for what is none.
fn whole_number(text: &str) -> u64 {
    let digits: String = text.trim().chars().filter(|c| !matches!(c, '_' | ',')).collect();
    digits.parse().unwrap_or(0)
}

fn is_off(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "" | "0" | "false" | "off" | "no")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Env {
        Env::from_lookup(|name| {
            pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
        })
    }

    #[test]
    fn h11_a_tilde_is_the_home_folder() {
        let env = env(&[("HOME", "/home/dev"), ("AFTERWORD_HOME", "~/memory")]);
        assert_eq!(env.home_folder(), Some(PathBuf::from("/home/dev/memory")));
        assert_eq!(env.claude_folder(), PathBuf::from("/home/dev/.claude"));
    }

    #[test]
    fn the_data_folder_is_absolute_or_there_is_none() {
        let here = std::path::absolute("rel").unwrap();
        assert_eq!(env(&[("AFTERWORD_HOME", "rel")]).home_folder(), Some(here.clone()));
        assert_eq!(env(&[("HOME", "rel")]).home_folder(), Some(here.join(".afterword")));
        for nowhere in [&[][..], &[("AFTERWORD_HOME", "~/x")], &[("HOME", ""), ("USER", "dev")]] {
            assert_eq!(env(nowhere).home_folder(), None, "{nowhere:?}");
        }
    }

    #[test]
    fn switches_read_zero_and_one() {
        assert!(env(&[("AFTERWORD_DISABLED", "1")]).hooks_disabled());
        assert!(env(&[("AFTERWORD_OBSERVER", "1")]).hooks_disabled());
        assert!(!env(&[("AFTERWORD_DISABLED", "0")]).hooks_disabled());
        assert_eq!(env(&[("AFTERWORD_PROMPT_RECALL", "0")]).prompt_recall, Some(false));
        assert_eq!(env(&[("AFTERWORD_FILE_RECALL", "0")]).file_recall, Some(false));
        assert_eq!(env(&[]).file_recall, None);
        assert_eq!(env(&[("AFTERWORD_PORT", "0")]).port, Some(0));
        assert_eq!(env(&[("AFTERWORD_PORT", "many")]).port, None);
        let cap = |text| env(&[("AFTERWORD_DAILY_TOKEN_CAP", text)]).daily_token_cap;
        assert_eq!((cap(" 20_000 "), cap("1,000"), cap("")), (Some(20_000), Some(1_000), None));
        assert_eq!((cap("much"), cap("-1")), (Some(0), Some(0)), "no cap is read as no tokens");
    }
}
