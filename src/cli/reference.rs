//! The reference of every command, made from the parser's own help.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory as _};

/// `docs/reference/cli.md`: every command with its arguments, in Markdown.
pub fn reference() -> String {
    let mut page = String::from(
        "# Commands\n\nMade from the help of the commands themselves; a test keeps the two equal.\n\n\
         `--json` prints one JSON value for programs. Exit codes: 0 done, 1 it did not work, 2 what was typed\n\
         cannot be done, 3 the settings are wrong, 4 the daemon cannot be reached.\n",
    );
    let mut root = super::Arguments::command().disable_help_flag(true).term_width(100);
    root.build();
    describe(&root, &mut page, "");
    page
}

fn describe(command: &Command, page: &mut String, path: &str) {
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let path = format!("{path} {}", sub.get_name());
        // Writing to a string cannot fail.
        write!(page, "\n## afterword{path}\n\n").ok();
        let about = sub.get_long_about().or_else(|| sub.get_about());
        if let Some(about) = about.map(StyledStr::to_string) {
            writeln!(page, "{}", about.trim()).ok();
        }
        if sub.get_subcommands().any(|sub| sub.get_name() != "help") {
            describe(sub, page, &path);
        } else {
            arguments(sub, page, &path);
        }
    }
}

fn arguments(command: &Command, page: &mut String, path: &str) {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    // `--json` and `--help` are everywhere.
    let has_options = command.get_opts().any(|option| option.get_id() != "json");
    let usage = if has_options { usage.to_owned() } else { usage.replace("[OPTIONS]", "") };
    let usage = usage.split_once(&path[1..]).map_or(usage.as_str(), |(_, rest)| rest.trim());
    write!(page, "\n```text\n{}\n```\n", format!("afterword{path} {usage}").trim()).ok();
    let told = command.get_arguments().filter(|a| !matches!(a.get_id().as_str(), "help" | "json"));
    let mut first = true;
    for argument in told {
        let name = argument.to_string();
        let help = argument.get_help().map(StyledStr::to_string).unwrap_or_default();
        let default: Vec<_> =
            argument.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
        let default = default.iter().find(|v| !v.is_empty() && *v != "false");
        let default = default.map_or_else(String::new, |v| format!("; {v} unless given"));
        let before = if first { "\n" } else { "" };
        writeln!(page, "{before}- `{name}`: {help}{default}").ok();
        first = false;
    }
}
