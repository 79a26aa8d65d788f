//! What is left open: told at the end of a turn, over when a later turn shows so.

use crate::distill::command::{Check, Command, failed_names};
use crate::distill::cues::Wording;
use crate::distill::findings::Known;
use crate::distill::prose::listed;
use crate::distill::turn::{Step, Turn};
use crate::distill::words::{Words, quoted};
use afterword_domain::text::{cut_chars, one_line};

/// Failures of one turn that are told.
const MAX_FAILURES: usize = 4;

/// Characters of a question or a request.
const MAX_ASKED: usize = 200;

/// Something that a turn left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OpenEnd {
    /// The turn ended in an error.
    Error(String),
    /// A command was last seen failing: its label, and the error that a tool printed.
    Failing { label: String, error: String },
    /// Files were changed and neither a check passed nor a commit was made since.
    NotChecked(String),
    /// Files were changed, a check passed, and no commit was made since.
    NotCommitted(String),
    /// The request has no answer.
    Unanswered(String),
    /// The answer ends in a question to the person.
    Waiting(String),
}

impl OpenEnd {
    /// What a turn leaves open, the worst first.
    pub(super) fn of_turn(turn: &Turn<'_>, known: &Known<'_>) -> Vec<Self> {
        let mut out = Vec::new();
        let asked = cut_chars(&one_line(&turn.asked()), MAX_ASKED);
        if !turn.error.is_empty() {
            out.push(Self::Error(cut_chars(&one_line(turn.error), MAX_ASKED)));
        }
        // An answer that only announces what will be done is none.
        let silent = known.deeds.is_empty()
            && turn.main.modified().is_empty()
            && turn.main.headline().is_empty()
            && turn.main.last_answer().is_none_or(|a| a.event.digest.detail.len() > 80);
        if (!turn.closed || !turn.error.is_empty() || silent) && !asked.is_empty() {
            out.push(Self::Unanswered(asked));
        }
        let failing = known.failures.iter().filter(|f| f.is_open() && f.is_of_project());
        let failing =
            failing.map(|f| Self::Failing { label: f.label.clone(), error: f.error(200) });
        // Without a word of what is wrong it may be anything.
        let named = |end: &Self| matches!(end, Self::Failing { error, .. } if !error.is_empty());
        out.extend(failing.filter(named).take(MAX_FAILURES));
        let unchecked = changed_since(turn, |step| step.command.is_check() || commits(step));
        let uncommitted = changed_since(turn, commits);
        if !unchecked.is_empty() {
            out.push(Self::NotChecked(listed(&unchecked, 6, 240)));
        } else if !uncommitted.is_empty() {
            out.push(Self::NotCommitted(listed(&uncommitted, 6, 240)));
        }
        out.extend(question(turn).map(Self::Waiting));
        out
    }

    /// The line that tells it.
    pub(super) fn line(&self, words: &Words) -> String {
        let colon = words.colon;
        match self {
            Self::Error(error) => format!("{}{colon}{}", words.ended_in_error, quoted(error)),
            Self::Failing { label, error } => {
                format!("{}{colon}`{label}`{colon}{}", words.last_failing, quoted(error))
            }
            Self::NotChecked(files) => format!("{}{colon}{files}", words.not_checked),
            Self::NotCommitted(files) => format!("{}{colon}{files}", words.not_committed),
            Self::Unanswered(asked) => format!("{}{colon}{asked}", words.unanswered),
            Self::Waiting(question) => format!("{}{colon}{question}", words.waiting),
        }
    }

    /// Reads a line that [`OpenEnd::line`] wrote, in any of the languages.
    pub(super) fn read(line: &str) -> Option<Self> {
        Words::ALL.into_iter().find_map(|words| {
            let rest = |head: &str| line.strip_prefix(head)?.strip_prefix(words.colon);
            let bare = |text: &str| text.trim_matches(['“', '”']).to_owned();
            if let Some(rest) = rest(words.last_failing) {
                let (label, error) = labelled(rest, words)?;
                return Some(Self::Failing { label: label.to_owned(), error: bare(error) });
            }
            rest(words.not_checked)
                .map(|files| Self::NotChecked(files.to_owned()))
                .or_else(|| rest(words.not_committed).map(|f| Self::NotCommitted(f.to_owned())))
                .or_else(|| rest(words.unanswered).map(|asked| Self::Unanswered(asked.to_owned())))
                .or_else(|| rest(words.waiting).map(|asked| Self::Waiting(asked.to_owned())))
                .or_else(|| rest(words.ended_in_error).map(|error| Self::Error(bare(error))))
        })
    }

    /// The order in which open ends are told.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Unanswered(_) => 0,
            Self::Error(_) => 1,
            Self::Failing { .. } => 2,
            Self::NotChecked(_) => 3,
            Self::Waiting(_) => 4,
            Self::NotCommitted(_) => 5,
        }
    }

    /// Takes up an open end of the same sort from an earlier turn: the newest run of a command is the
    /// state of things, and files that were not checked make one list. False when they are apart.
    pub(super) fn absorbs(&mut self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Failing { label: new, .. }, Self::Failing { label: old, .. }) => new == old,
            (Self::NotChecked(new), Self::NotChecked(old))
            | (Self::NotCommitted(new), Self::NotCommitted(old)) => {
                let mut files: Vec<String> = Vec::new();
                for file in new.split(", ").chain(old.split(", ")) {
                    let file = file.split(" +").next().unwrap_or(file).to_owned();
                    if !files.contains(&file) {
                        files.push(file);
                    }
                }
                *new = listed(&files, 6, 240);
                true
            }
            (new, old) => new == old,
        }
    }

    /// What is left of it when a later turn passed a check: what was checked is not committed yet.
    pub(super) fn after(self, later: &Later) -> Self {
        match self {
            Self::NotChecked(files) if later.checked => Self::NotCommitted(files),
            other => other,
        }
    }

    /// Whether a later turn shows that it is over. A turn that did something leaves no question of
    /// an earlier one open.
    pub(super) fn is_over(&self, later: &Later) -> bool {
        match self {
            Self::Error(_) | Self::Unanswered(_) | Self::Waiting(_) => later.went_on,
            Self::NotChecked(_) | Self::NotCommitted(_) => later.committed,
            Self::Failing { label, error } => {
                let command = Command::parse(label);
                let names = failed_names(error);
                match command.checks.last() {
                    Some(failed) => later.checks.iter().any(|check| check.covers(failed, &names)),
                    None => later.keys.iter().any(|key| Some(key) == command.keys.last()),
                }
            }
        }
    }
}

/// What a turn shows of the open ends of those before it.
#[derive(Debug, Default)]
pub(super) struct Later {
    /// It was asked or told something.
    pub(super) went_on: bool,
    /// A check passed.
    checked: bool,
    /// A commit was made.
    committed: bool,
    checks: Vec<Check>,
    keys: Vec<String>,
}

impl Later {
    /// Reads the lines of a turn about what it completed.
    pub(super) fn of(request: &str, completed: &str) -> Self {
        let mut later =
            Self { went_on: !request.is_empty() || !completed.is_empty(), ..Self::default() };
        for line in completed.lines() {
            let Some(label) = ran(line) else { continue };
            let command = Command::parse(label);
            later.checked |= command.is_check();
            later.committed |= command.keys.iter().any(|key| key == "git commit");
            later.checks.extend(command.checks);
            later.keys.extend(command.keys);
        }
        later
    }
}

/// The label of a line that tells of a run that passed.
fn ran(line: &str) -> Option<&str> {
    Words::ALL.into_iter().find_map(|words| {
        let rest = line.strip_prefix(words.ran)?.strip_prefix(' ')?;
        labelled(rest, words).map(|(label, _)| label)
    })
}

/// A label between backticks, and what stands behind the colon.
fn labelled<'a>(text: &'a str, words: &Words) -> Option<(&'a str, &'a str)> {
    text.strip_prefix('`')?.split_once(&format!("`{}", words.colon))
}

fn commits(step: &Step<'_>) -> bool {
    step.command.keys.iter().any(|key| key == "git commit")
}

/// Files of the project that were changed after the last success that settles them.
fn changed_since(turn: &Turn<'_>, settles: impl Fn(&Step<'_>) -> bool) -> Vec<String> {
    let tools = &turn.main.tools;
    let settled = |step: &Step<'_>| !step.digest.failed && settles(step);
    let from = tools.iter().rposition(settled).map_or(0, |at| at + 1);
    let mut out: Vec<String> = Vec::new();
    let changed = tools[from..].iter().filter(|step| step.changed());
    for path in changed.flat_map(|step| &step.digest.paths) {
        // What lies outside the project is not checked with it.
        if !path.starts_with(['/', '~']) && out.len() < 60 && !out.contains(path) {
            out.push(path.clone());
        }
    }
    out
}

/// The question that the last answer ends with.
fn question(turn: &Turn<'_>) -> Option<String> {
    let last = turn.main.last_answer()?.sentences.iter().rev().find(|s| !s.heading)?;
    let words = last.text.split_whitespace().count();
    let asks = last.text.ends_with(['?', '？']) && (words > 3 || !last.text.is_ascii());
    let done = Wording::new(&last.text).is_no_question();
    (asks && !done).then(|| cut_chars(&last.text, MAX_ASKED))
}
