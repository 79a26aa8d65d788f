//! The only place that prints for people's commands.
//!
//! Text goes to standard output, errors to standard error; colour only on a terminal and without
//! `NO_COLOR`; a closed pipe is no error.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use serde::Serialize;

/// What went wrong, by who can mend it; each kind has its exit code.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// What was typed cannot be done: exit 2.
    #[error("{0}")]
    User(String),
    /// The settings or the files are not right: exit 3.
    #[error("{0}")]
    Config(String),
    /// The daemon cannot be reached: exit 4.
    #[error("{0}")]
    Daemon(String),
}

/// Columns of a terminal that does not say how many it has.
const COLUMNS: usize = 80;

/// Columns that no terminal falls below: text is broken by the terminal itself then.
const NARROW: usize = 40;

/// How a command talks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    /// JSON for programs.
    pub(super) json: bool,
    colour: bool,
    /// Columns of the terminal; none where somebody else reads.
    columns: Option<usize>,
}

#[expect(clippy::unused_self, reason = "what is printed goes through the one value")]
impl Output {
    /// `columns` is the width that the person has set.
    pub(super) fn new(json: bool, plain: bool, columns: Option<usize>) -> Self {
        let terminal = !json && io::stdout().is_terminal();
        let measured = || console::Term::stdout().size_checked().map(|(_, wide)| usize::from(wide));
        Self {
            json,
            colour: !plain && terminal,
            columns: terminal.then(|| columns.or_else(measured).unwrap_or(COLUMNS)),
        }
    }

    /// How wide a line may be: as the terminal is; without end for a file or another program, which
    /// are told everything.
    pub(super) fn columns(self) -> usize {
        self.columns.map_or(usize::MAX, |columns| columns.max(NARROW))
    }

    /// Whether a person looks at it.
    pub(super) fn on_terminal(self) -> bool {
        self.columns.is_some()
    }

    /// Whether somebody looks at progress.
    pub(super) fn watched(self) -> bool {
        !self.json && io::stderr().is_terminal()
    }

    /// One line.
    pub(super) fn line(self, text: &str) {
        let mut out = io::stdout().lock();
        drop(writeln!(out, "{text}"));
    }

    /// One line at once, for whoever follows; an error when nobody reads any more.
    pub(super) fn follow(self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()
    }

    /// Text as it is, without a line end of ours.
    pub(super) fn raw(self, text: &str) {
        let mut out = io::stdout().lock();
        drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    }

    /// A value for programs, on one line.
    pub(super) fn value(self, value: &impl Serialize) -> anyhow::Result<()> {
        self.line(&serde_json::to_string(value)?);
        Ok(())
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// A word that was asked for, inside other text.
    pub(super) fn strong(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(super) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(super) fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub(super) fn accent(self, text: &str) -> String {
        self.paint("36", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Says what happened and gives the exit code of its kind.
    pub(super) fn failure(self, error: &anyhow::Error) -> ExitCode {
        let code = match error.downcast_ref::<Failure>() {
            Some(Failure::User(_)) => 2,
            Some(Failure::Config(_)) => 3,
            Some(Failure::Daemon(_)) => 4,
            None => 1,
        };
        let mut err = io::stderr().lock();
        if self.json {
            let body = serde_json::json!({ "error": format!("{error:#}") });
            drop(writeln!(err, "{body}"));
        } else {
            drop(writeln!(err, "error: {error:#}"));
        }
        ExitCode::from(code)
    }

    /// A line beside the result: progress, a warning.
    pub(super) fn note(self, text: &str) {
        if !self.json {
            self.notice(text);
        }
    }

    /// A line beside the result that callers of the JSON need to see too.
    pub(super) fn notice(self, text: &str) {
        drop(writeln!(io::stderr().lock(), "{text}"));
    }
}

/// Remembered text for a terminal, which it must not steer: control characters go, also those that
/// turn the direction of writing; tabs stay.
pub(super) fn visible(text: &str) -> String {
    let steers = |c: char| {
        c.is_control() && c != '\t'
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(|c| !steers(*c)).collect()
}

/// Shows help, the version or what is wrong with the command line; the latter as JSON where that was
/// asked for.
pub(super) fn usage(error: &clap::Error, json: bool) -> ExitCode {
    if !error.use_stderr() {
        drop(error.print());
        return ExitCode::SUCCESS;
    }
    if json {
        let said = error.render().to_string();
        let said = said.strip_prefix("error: ").unwrap_or(&said);
        // How commands are called in general is nothing for a program.
        let said = said.split("\n\nFor more information").next().unwrap_or(said).trim();
        let body = serde_json::json!({ "error": said });
        drop(writeln!(io::stderr().lock(), "{body}"));
    } else {
        drop(error.print());
    }
    ExitCode::from(2)
}
