//! Every key of `config.toml`, in one table.

use std::fmt::Write as _;

/// A key of `config.toml`.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its section.
    pub section: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its default as TOML, where it is a value of its own.
    pub default: &'static str,
    /// What holds while it is not set, where that is no value of its own.
    pub unset: &'static str,
    /// What it does, for the generated reference.
    pub meaning: &'static str,
    /// The variable that comes before it.
    pub variable: &'static str,
}

/// Sections in their order, with what they are about.
pub const SECTIONS: &[(&str, &str)] = &[
    ("daemon", "The local process."),
    ("api", "Who may ask the local process."),
    ("capture", "What is taken in."),
    ("recall", "What is given back."),
    ("guard", "Which files the guard protects besides the agent's own memory."),
    (
        "retention",
        "What stays of raw events once they are distilled; distilled rows stay for ever.",
    ),
    ("embeddings", "How rows are found by meaning."),
    (
        "provider",
        "Who runs a language model, and what it may cost: [providers](../guide/providers.md), [cost](cost.md).",
    ),
    (
        "distill",
        "What a language model looks for, and what it writes in: [modes](../guide/modes.md).",
    ),
    (
        "remote",
        "How a remote memory service is used, where variables or `.conf` files name one: [remote service](../guide/remote-service.md).",
    ),
    (
        "server",
        "How `afterword serve` is reached; what the command is told goes first: [team server](../guide/team-server.md).",
    ),
];

/// Every key, for `docs/reference/config.md`.
pub const KEYS: &[Key] = &[
    key("daemon", "port", "37777", "Port asked for first; another one is taken where a foreign process holds it. 0: any.")
        .or("AFTERWORD_PORT"),
    key("daemon", "idle_exit_minutes", "60", "Minutes without a request after which the daemon leaves. 0: never."),
    key("api", "observer_auth", "\"token\"", "Whether callers of the observer door show the token: `token` or `off`."),
    open("capture", "skip_tools", "tools that manage tasks, ask the person or look tools up", "Tools whose uses are not stored."),
    key("capture", "excluded_paths", "[]", "Folders whose sessions are neither captured nor given context; `~` is resolved."),
    key("recall", "session_start", "true", "Give context at session start."),
    key("recall", "inject_on", "\"session_start\"", "When that is: `session_start`, or `first_prompt`, for agents that do not bear a hook of session starts and for sessions in which often nothing is typed; run `afterword install` after a change."),
    key("recall", "prompt_recall", "true", "Answer prompts with memories.").or("AFTERWORD_PROMPT_RECALL"),
    key("recall", "file", "true", "Tell what is known of a file before it is read or changed.")
        .or("AFTERWORD_FILE_RECALL"),
    key("guard", "extra_paths", "[]", "More files to protect, as globs over absolute paths; `~` is resolved."),
    key("retention", "raw_events_days", "90", "Days that a raw payload is kept. 0: no limit."),
    key("retention", "raw_events_mb", "512", "Megabytes of raw payloads that are kept, the newest of them. 0: no limit."),
    key("embeddings", "url", "\"\"", "Address of a service that embeds, up to `/embeddings` (API of OpenAI); empty: the model of this machine. What is embedded is sent there, and through no proxy.")
        .or("AFTERWORD_EMBEDDINGS_URL"),
    key("embeddings", "model", "\"\"", "The service's model, or the name of an installed one; empty: the one that is installed.")
        .or("AFTERWORD_EMBEDDINGS_MODEL"),
    key("embeddings", "api_key", "\"\"", "The service's key.").or("AFTERWORD_EMBEDDINGS_API_KEY"),
    key("embeddings", "idle_minutes", "10", "Minutes after which a model that nobody asks leaves memory."),
    key("provider", "kind", "\"none\"", "`none`, `anthropic`, `openai`, `gemini` or `claude-cli`.")
        .or("AFTERWORD_PROVIDER"),
    key("provider", "url", "\"\"", "Address, with or without its version; empty: the kind's own.")
        .or("AFTERWORD_PROVIDER_URL"),
    key("provider", "api_key", "\"\"", "The key.").or("AFTERWORD_PROVIDER_API_KEY"),
    key("provider", "api_key_env", "\"\"", "Name of the variable that holds the key."),
    key("provider", "model", "\"\"", "The model as the provider spells it; empty: the kind's own, and none with an `openai` url of your own.")
        .or("AFTERWORD_PROVIDER_MODEL"),
    key("provider", "timeout_seconds", "90", "Most seconds for one call, 1 to 3600."),
    key("provider", "proxy", "\"\"", "Address of a proxy; those of the environment are not used."),
    key("provider", "command", "\"claude\"", "The program of `claude-cli`: a name on the search path, or a path."),
    key("provider", "pass_env", "[]", "Variables that the program of `claude-cli` needs beside the usual ones."),
    open("provider", "daily_tokens", "500000", "Hard cap of tokens for a day (UTC), in and out together. Here and below 0 means nothing at all.")
        .or("AFTERWORD_DAILY_TOKEN_CAP"),
    open("provider", "daily_cost", "no cap", "Hard cap of cost for a day, in dollars. A model whose price is not known is not asked while it is set."),
    open("provider", "session_tokens", "half of `daily_tokens`", "Tokens of one session and day, after which its other calls wait for the next day."),
    key("provider", "backlog", "0", "Tokens of a day for what waits while no session lives. 0: it waits until one does."),
    key("distill", "mode", "\"code\"", "`code`, or the name of a file in the folder `modes` without its `.toml`."),
    key("distill", "language", "\"auto\"", "What a model writes in. `auto`: as the person's prompts; else a code such as `en` or `zh`, or a name."),
    key("remote", "local", "false", "Keep memories on this machine as well; else no local process is started where a service is configured."),
    key("remote", "min_score", "0.5", "Least score of a memory that a session is given, 0 to 1."),
    key("remote", "most", "20", "Most memories that a session is given."),
    key("remote", "trusted", "[]", "Addresses that a project's file under version control may name: others are not used, since such a file may be anybody's."),
    key("server", "listen", "\"127.0.0.1:37778\"", "Address and port.").or("AFTERWORD_LISTEN"),
    key("server", "hosts", "[]", "Names that the server answers to, as they stand in the `Host` header without the port; empty: any."),
    key("server", "trusted_proxies", "[]", "Addresses, or networks as `10.0.0.0/8`, of proxies whose `X-Forwarded-For` is believed."),
    key("server", "tls_cert", "\"\"", "File of the certificates in PEM, the server's own first; with `tls_key` connections are encrypted."),
    key("server", "tls_key", "\"\"", "File of the private key in PEM."),
    key("server", "requests_per_minute", "3000", "Requests of a token in a minute, on each server. 0: no limit."),
    key("server", "database_connections", "16", "Connections to the database; two more listen and hold claims on jobs."),
    key("server", "audit_days", "400", "Days that the audit log is kept. 0: for ever."),
];

const fn key(
    section: &'static str,
    name: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> Key {
    Key { section, name, default, unset: "", meaning, variable: "" }
}

const fn open(
    section: &'static str,
    name: &'static str,
    unset: &'static str,
    meaning: &'static str,
) -> Key {
    Key { section, name, default: "", unset, meaning, variable: "" }
}

impl Key {
    const fn or(self, variable: &'static str) -> Self {
        Self { variable, ..self }
    }
}

/// `docs/reference/config.md`: every key with its default, in Markdown.
pub fn reference() -> String {
    let mut page = String::from(
        "# config.toml\n\nThe table of `src/config/table.rs`; tests keep it equal to this page and to what is read.\n\n\
         The file is `~/.afterword/config.toml`, read when the daemon starts: `afterword daemon restart` takes a change.\n\
         A key that is not known, or cannot be read, has its default; `doctor` says so, and no model is asked until it is\n\
         corrected. A variable comes before the key beside it.\n",
    );
    for (section, about) in SECTIONS {
        // Writing to a string cannot fail.
        write!(page, "\n## [{section}]\n\n{about}\n\n").ok();
        page.push_str("| key | unless set | meaning | variable |\n| --- | --- | --- | --- |\n");
        for key in KEYS.iter().filter(|key| key.section == *section) {
            let Key { name, default, unset, meaning, variable, .. } = key;
            let code =
                |text: &str| if text.is_empty() { String::new() } else { format!("`{text}`") };
            let holds = if default.is_empty() { (*unset).to_owned() } else { code(default) };
            let variable = code(variable);
            writeln!(page, "| `{name}` | {holds} | {meaning} | {variable} |").ok();
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::FileConfig;
    use crate::config::env::VARIABLES;

    /// The keys that may stand where an unknown one does, by the reader's own words.
    fn expected(text: &str) -> BTreeSet<String> {
        let error = toml::from_str::<FileConfig>(text).unwrap_err().message().to_owned();
        let (_, listed) = error.split_once("expected").unwrap();
        listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn every_key_that_is_read_is_in_the_table_and_no_other() {
        let sections: BTreeSet<String> = SECTIONS.iter().map(|(name, _)| (*name).into()).collect();
        assert_eq!(expected("zzz = 1"), sections);
        for section in sections {
            let keys = KEYS.iter().filter(|key| key.section == section);
            let keys: BTreeSet<String> = keys.map(|key| key.name.to_owned()).collect();
            assert_eq!(expected(&format!("[{section}]\nzzz = 1")), keys, "[{section}]");
        }
    }

    #[test]
    fn defaults_and_variables_are_what_they_are_said_to_be() {
        for key in KEYS {
            let Key { section, name, default, variable, .. } = key;
            assert!(default.is_empty() != key.unset.is_empty(), "{name}");
            if !default.is_empty() {
                let read: FileConfig =
                    toml::from_str(&format!("[{section}]\n{name} = {default}")).unwrap();
                assert_eq!(read, FileConfig::default(), "{section}.{name}");
            }
            let known = VARIABLES.iter().any(|known| known.name == *variable);
            assert!(variable.is_empty() || known, "{variable}");
        }
    }
}
