//! `[provider]` and its variables: who runs a language model, and with whose key.
//!
//! Nothing is guessed: keys that other programs keep in the environment are used only where
//! `api_key_env` or `pass_env` names them.

use std::path::PathBuf;
use std::time::Duration;

use afterword_domain::Secret;
use serde::Deserialize;

use super::Config;

/// `[provider]`
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Section {
    /// `none`, `anthropic`, `openai`, `gemini` or `claude-cli`.
    pub kind: String,
    /// Address; the kind's own unless set.
    pub url: String,
    /// The key itself.
    pub api_key: Secret,
    /// Name of the variable that holds the key.
    pub api_key_env: String,
    /// Model; a small one unless set.
    pub model: String,
    /// Most seconds for one call.
    pub timeout_seconds: u64,
    /// Address of a proxy; those of the environment are not used.
    pub proxy: String,
    /// The program of `claude-cli`.
    pub command: String,
    /// Variables that the program of `claude-cli` needs beside the usual ones.
    pub pass_env: Vec<String>,
    /// Hard cap of tokens for a day in UTC, in and out together; 500,000 unless set. Here and below,
    /// 0 means nothing at all.
    pub daily_tokens: Option<u64>,
    /// Hard cap of cost for a day in dollars; none unless set.
    pub daily_cost: Option<f64>,
    /// Tokens of one session and day, after which its other calls wait for the next day; half of
    /// `daily_tokens` unless set.
    pub session_tokens: Option<u64>,
    /// Tokens of a day that may go on what waits while no session lives; 0: it goes on waiting.
    pub backlog: u64,
}

impl Default for Section {
    fn default() -> Self {
        Self {
            kind: "none".to_owned(),
            url: String::new(),
            api_key: Secret::default(),
            api_key_env: String::new(),
            model: String::new(),
            timeout_seconds: 90,
            proxy: String::new(),
            command: "claude".to_owned(),
            pass_env: Vec::new(),
            daily_tokens: None,
            daily_cost: None,
            session_tokens: None,
            backlog: 0,
        }
    }
}

/// What the program of `claude-cli` is given of the environment: what it needs to find itself, its
/// login, its language and the machine's certificates. No key and no address of anybody.
const PASSED: [&str; 24] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "CLAUDE_CONFIG_DIR",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "SYSTEMROOT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "TEMP",
    "USERNAME",
    "COMSPEC",
];

/// The provider's settings, resolved: a variable comes before the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// What was asked for; never `none`.
    pub kind: String,
    /// Address, where one is set.
    pub url: Option<String>,
    /// The key; may be empty.
    pub api_key: Secret,
    /// Where the key comes from, for messages; empty where there is none.
    pub key_from: String,
    /// Model, where one is set.
    pub model: Option<String>,
    /// Most time for one call.
    pub timeout: Duration,
    /// Proxy, where one is set.
    pub proxy: Option<String>,
    /// The program of `claude-cli`.
    pub command: PathBuf,
    /// The whole environment of that program.
    pub env: Vec<(String, Secret)>,
}

/// Resolves the provider; none where none is configured.
pub fn resolve(config: &Config) -> Option<Provider> {
    let (env, section) = (&config.env, &config.file.provider);
    let told = |name: &str, file: &str| {
        let value = env.get(name).unwrap_or(file).trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    let kind = told("AFTERWORD_PROVIDER", &section.kind)?;
    if kind == "none" {
        return None;
    }
    let (api_key, key_from) = key(config);
    Some(Provider {
        kind,
        url: told("AFTERWORD_PROVIDER_URL", &section.url),
        api_key,
        key_from,
        model: told("AFTERWORD_PROVIDER_MODEL", &section.model),
        timeout: Duration::from_secs(section.timeout_seconds.clamp(1, 3_600)),
        proxy: Some(section.proxy.trim().to_owned()).filter(|proxy| !proxy.is_empty()),
        command: super::env::expand(section.command.trim(), &env.user_home()),
        env: passed(config),
    })
}

fn key(config: &Config) -> (Secret, String) {
    let (env, section) = (&config.env, &config.file.provider);
    if let Some(key) = env.get("AFTERWORD_PROVIDER_API_KEY") {
        return (Secret::new(key), "AFTERWORD_PROVIDER_API_KEY".to_owned());
    }
    let name = section.api_key_env.trim();
    if !name.is_empty() {
        let key = env.named(name).map(Secret::new).unwrap_or_default();
        return (key, format!("the variable {name}"));
    }
    if section.api_key.is_empty() {
        return (Secret::default(), String::new());
    }
    (section.api_key.clone(), "config.toml".to_owned())
}

fn passed(config: &Config) -> Vec<(String, Secret)> {
    let (env, section) = (&config.env, &config.file.provider);
    let own = section.pass_env.iter().map(String::as_str);
    let names = PASSED.into_iter().chain(own);
    names.filter_map(|name| Some((name.to_owned(), Secret::new(env.named(name)?)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Env, FileConfig, Home};

    fn config(toml: &str, pairs: &[(&str, &str)]) -> Config {
        let env = Env::from_lookup(|name| {
            pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
        });
        let file: FileConfig = toml::from_str(toml).unwrap();
        Config { env, home: Home::new("/data".into()), file }
    }

    #[test]
    fn i7_keys_of_other_programs_are_not_taken() {
        let ambient = [("ANTHROPIC_API_KEY", "theirs"), ("OPENAI_API_KEY", "theirs")];
        assert_eq!(resolve(&config("", &ambient)), None);
        let provider = resolve(&config("[provider]\nkind = \"anthropic\"\n", &ambient)).unwrap();
        assert!(provider.api_key.is_empty() && provider.key_from.is_empty());
        for name in PASSED {
            let secret =
                name.contains("KEY") || name.contains("TOKEN") || name.contains("ANTHROPIC");
            assert!(!secret, "{name} is not passed on unasked");
        }
    }

    #[test]
    fn a_variable_comes_before_the_file_and_none_is_none() {
        let toml = "[provider]\nkind = \"openai\"\nurl = \"http://h/v1\"\napi_key = \" k1 \"\n\
                    model = \"m\"\ntimeout_seconds = 0\n";
        let provider = resolve(&config(toml, &[])).unwrap();
        assert_eq!((provider.kind.as_str(), provider.api_key.expose()), ("openai", "k1"));
        assert_eq!(
            (provider.url.as_deref(), provider.model.as_deref()),
            (Some("http://h/v1"), Some("m"))
        );
        assert_eq!((provider.key_from.as_str(), provider.timeout.as_secs()), ("config.toml", 1));
        let over = [
            ("AFTERWORD_PROVIDER", "gemini"),
            ("AFTERWORD_PROVIDER_API_KEY", "k2"),
            ("AFTERWORD_PROVIDER_MODEL", "n"),
        ];
        let provider = resolve(&config(toml, &over)).unwrap();
        assert_eq!((provider.kind.as_str(), provider.api_key.expose()), ("gemini", "k2"));
        assert_eq!(provider.model.as_deref(), Some("n"));
        assert_eq!(resolve(&config(toml, &[("AFTERWORD_PROVIDER", "none")])), None);
        let shown = format!("{provider:?} {:?}", config(toml, &over));
        assert!(!shown.contains("k1") && !shown.contains("k2"), "{shown}");
    }

    #[test]
    fn a_variable_that_is_named_but_not_set_gives_no_key_and_says_where_it_looked() {
        let toml = "[provider]\nkind = \"openai\"\napi_key = \"k\"\napi_key_env = \"MY_KEY\"\n";
        let provider = resolve(&config(toml, &[])).unwrap();
        assert!(provider.api_key.is_empty());
        assert_eq!(provider.key_from, "the variable MY_KEY");
    }
}
