//! How Claude Code is started: every flag and variable is a fence, see
//! `docs/design/claude-observer.md`.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::provider::contract::Ask;
use crate::provider::settings::ClaudeSettings;

/// Set for the program and inherited by whatever it runs: hooks of ours do nothing under it.
const GUARD: &str = "AFTERWORD_OBSERVER";

/// What the program itself is told, beside its environment.
const VARIABLES: [(&str, &str); 15] = [
    (GUARD, "1"),
    // Files named in observed text are not read.
    ("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1"),
    // Whoever asks decides about a second try, and counts it.
    ("CLAUDE_CODE_MAX_RETRIES", "0"),
    // Nor is what broke off while it was streamed asked again as a whole.
    ("CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK", "1"),
    // Nor is what the model refused asked again with a note.
    ("CLAUDE_CODE_DISABLE_REFUSAL_RETRY", "1"),
    // Nor is another model asked in its place.
    ("CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK", "1"),
    ("CLAUDE_CODE_DISABLE_MODEL_ACCESS_FALLBACK", "1"),
    ("CLAUDE_CODE_NO_MODEL_FALLBACK", "1"),
    // Nothing but the question is sent.
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
    ("DISABLE_AUTO_COMPACT", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    // Thinking is paid for and not needed.
    ("MAX_THINKING_TOKENS", "0"),
];

/// The command line and surroundings of an observer for questions like `ask`.
pub(super) fn command(
    settings: &ClaudeSettings,
    model: &str,
    ask: &Ask,
    timeout: Duration,
) -> Command {
    let mut command = Command::new(&settings.program);
    command
        .arg("-p")
        .args(["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"])
        // The end of an answer is seen before the program acts on it.
        .arg("--include-partial-messages")
        // No tools, no settings of anybody (hence no hooks and no plugins), no servers, no transcript.
        .args(["--tools", "", "--setting-sources", "", "--strict-mcp-config"])
        .args(["--no-session-persistence", "--disable-slash-commands"])
        // One request a question: a tool that the model imagines ends the turn.
        .args(["--max-turns", "1", "--model", model])
        .args(["--system-prompt", system(ask)])
        .current_dir(&settings.folder)
        .env_clear()
        .envs(settings.env.iter().map(|(name, value)| (name, value.expose())))
        .envs(VARIABLES)
        .env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", ask.max_output_tokens.to_string())
        .env("API_TIMEOUT_MS", timeout.as_millis().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    // A signal from the terminal of a daemon in the foreground is for the daemon, which ends us.
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(windows)]
    command.creation_flags(CREATE_NO_WINDOW);
    command
}

/// No console window.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// Without a system prompt the program would send its own, of tens of kilobytes.
fn system(ask: &Ask) -> &str {
    if ask.system.trim().is_empty() { "Answer what is asked." } else { &ask.system }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use afterword_domain::Secret;

    use super::*;

    #[test]
    fn every_fence_stands_and_nothing_of_this_process_is_inherited() {
        let settings = ClaudeSettings {
            program: "claude".into(),
            folder: "/observer".into(),
            env: vec![
                ("HOME".to_owned(), Secret::new("/home/dev")),
                (GUARD.to_owned(), Secret::new("0")),
            ],
        };
        let ask = Ask { system: "Role".to_owned(), prompt: "p".to_owned(), max_output_tokens: 900 };
        let command = command(&settings, "haiku", &ask, Duration::from_secs(5));
        let command = command.as_std();
        let args: Vec<&OsStr> = command.get_args().collect();
        for (flag, value) in [
            ("--tools", ""),
            ("--setting-sources", ""),
            ("--model", "haiku"),
            ("--system-prompt", "Role"),
            ("--max-turns", "1"),
        ] {
            let at = args.iter().position(|arg| *arg == flag).unwrap();
            assert_eq!(args[at + 1], value, "{flag}");
        }
        for flag in [
            "--strict-mcp-config",
            "--no-session-persistence",
            "--disable-slash-commands",
            "--include-partial-messages",
        ] {
            assert!(args.contains(&OsStr::new(flag)), "{flag}");
        }
        let env: Vec<_> = command.get_envs().filter_map(|(n, v)| Some((n, v?))).collect();
        let value = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        assert_eq!(value(GUARD), Some(OsStr::new("1")), "the guard is not taken from outside");
        assert_eq!(value("CLAUDE_CODE_DISABLE_ATTACHMENTS"), Some(OsStr::new("1")));
        assert_eq!(value("CLAUDE_CODE_MAX_OUTPUT_TOKENS"), Some(OsStr::new("900")));
        assert_eq!(value("HOME"), Some(OsStr::new("/home/dev")));
        assert!(format!("{command:?}").contains("env -i"), "the environment is cleared");
        assert_eq!(command.get_current_dir().unwrap(), "/observer");
    }
}
