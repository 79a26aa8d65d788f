//! Commands that failed, and what came of them later in the turn.

use afterword_domain::event::ToolClass;
use afterword_domain::observation::ObservationContent;
use afterword_domain::text::{cut_chars, prefix};

use super::changes::file_changes;
use super::{Finding, MAX_TITLE, finish};
use crate::distill::command::{Check, failed_names};
use crate::distill::digest::{error_line, names_error, result_line, without_place};
use crate::distill::prose::{joined, listed};
use crate::distill::turn::{Actor, Step, Turn};
use crate::distill::words::{Words, quoted};

/// Findings about failures in one turn; those that stayed open come first.
const MAX_FINDINGS: usize = 6;

/// Changes that are told of one failure.
const MAX_EDITS: usize = 200;

/// A command that failed, from its first failure to its next success.
#[derive(Default)]
pub(in crate::distill) struct Failure<'t> {
    /// Program and verb of the last part of the chain that ran, or the tool's name.
    key: String,
    /// What the runs checked, with the tests that they named as failed; the first and the last.
    checked: Vec<(Check, Vec<String>)>,
    /// What ran.
    pub(in crate::distill) label: String,
    /// The runs that failed.
    runs: Vec<&'t Step<'t>>,
    /// Changes between the first failure and the success.
    edits: Vec<&'t Step<'t>>,
    /// The run that passed.
    passed: Option<&'t Step<'t>>,
}

impl<'t> Failure<'t> {
    /// What failed and how, and the change that helped, on one line.
    pub(in crate::distill) fn told(&self, words: &Words) -> String {
        let error = quoted(&self.error(160));
        let files = words.passed_after(&listed(&self.edited(), 2, 80));
        format!("`{}` {}{}{error}; {files}", self.label, words.failed, words.colon)
    }

    /// Whether it passed after files were changed.
    pub(in crate::distill) fn was_fixed(&self) -> bool {
        self.passed.is_some() && !self.edits.is_empty()
    }

    /// Whether no later run passed.
    pub(in crate::distill) const fn is_open(&self) -> bool {
        self.passed.is_none()
    }

    /// Whether there is something to come back to: a command of the project failed, not a tool of
    /// the agent or something that was only tried out.
    pub(in crate::distill) fn is_of_project(&self) -> bool {
        let run = self.runs[0];
        run.digest.class == Some(ToolClass::Shell) && run.command.may_matter()
    }

    /// Whether another failed run is about the same.
    fn is_again(&self, key: &str, check: Option<&Check>) -> bool {
        match (self.checked.last(), check) {
            (Some((known, names)), Some(check)) => {
                check == known
                    || (self.key == key && (check.covers(known, names) || known.covers(check, &[])))
            }
            (None, None) => self.key == key,
            _ => false,
        }
    }

    /// Whether a success of these parts shows that it is over; a commit ends a merge with conflicts.
    fn is_met_by(&self, keys: &[String], checks: &[Check]) -> bool {
        if !self.checked.is_empty() {
            let met = |(failed, names): &(Check, Vec<String>)| {
                checks.iter().any(|check| check.covers(failed, names))
            };
            return self.checked.iter().all(met);
        }
        let merge = matches!(self.key.as_str(), "git merge" | "git rebase" | "git cherry-pick");
        keys.iter().any(|key| *key == self.key || (merge && key == "git commit"))
    }

    fn add_run(&mut self, run: &'t Step<'t>) {
        if let Some(check) = run.command.checks.last() {
            self.checked.truncate(1);
            self.checked.push((check.clone(), failed_names(&run.digest.outcome)));
        }
        self.runs.push(run);
    }

    /// The line that names the error, cut.
    pub(in crate::distill) fn error(&self, max_chars: usize) -> String {
        // The last failure of an open one is the state of things; the first of a closed one is what was fixed.
        let run = if self.is_open() { self.runs.last() } else { self.runs.first() };
        run.map_or_else(String::new, |run| error_line(&run.digest.outcome, max_chars))
    }

    /// Files changed before it passed.
    fn edited(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for path in self.edits.iter().flat_map(|s| &s.digest.paths) {
            if !out.contains(path) && out.len() < 40 {
                out.push(path.clone());
            }
        }
        out
    }
}

/// The failures of an actor, in order of their first run.
pub(in crate::distill) fn failures<'t>(actor: &'t Actor<'_>) -> Vec<Failure<'t>> {
    let mut all: Vec<Failure<'t>> = Vec::new();
    // Positions of the open ones: few at any time, so that a long turn stays linear.
    let mut open: Vec<usize> = Vec::new();
    for stored in &actor.tools {
        let digest = stored.digest;
        if stored.changed() {
            for &at in &open {
                if all[at].edits.len() < MAX_EDITS {
                    all[at].edits.push(stored);
                }
            }
        }
        let Some((keys, label)) = runnable(stored) else { continue };
        let checks = stored.command.checks.as_slice();
        if !digest.failed {
            open.retain(|&at| {
                let met = all[at].is_met_by(&keys, checks);
                if met {
                    all[at].passed = Some(stored);
                }
                !met
            });
            continue;
        }
        let last = keys.last().cloned().unwrap_or_default();
        let known = open.iter().position(|&at| all[at].is_again(&last, checks.last()));
        if let Some(place) = known {
            let failure = &mut all[open[place]];
            failure.add_run(stored);
            failure.label = label;
        } else if open.len() < 40 {
            open.push(all.len());
            let mut failure = Failure { key: last, label, ..Failure::default() };
            failure.add_run(stored);
            all.push(failure);
        }
    }
    all
}

/// Keys and label of a tool use whose failure says something.
fn runnable(stored: &Step<'_>) -> Option<(Vec<String>, String)> {
    let digest = stored.digest;
    if digest.failed && (stored.is_refused() || !names_error(&digest.outcome)) {
        return None;
    }
    match digest.class {
        Some(ToolClass::Shell) => {
            let command = &stored.command;
            (!command.is_noise()).then(|| (command.keys.clone(), command.label.clone()))
        }
        Some(ToolClass::Mcp) => Some((vec![digest.tool.clone()], digest.tool.clone())),
        _ => None,
    }
}

pub(super) fn findings(turn: &Turn<'_>, actor: &Actor<'_>, all: &[Failure<'_>]) -> Vec<Finding> {
    let mut all: Vec<&Failure<'_>> = all.iter().collect();
    all.sort_by_key(|f| (!f.is_open(), f.edits.is_empty(), f.runs[0].event_id));
    all.truncate(MAX_FINDINGS);
    all.sort_by_key(|f| f.runs[0].event_id);
    all.iter().filter_map(|failure| finding(turn, actor, failure)).collect()
}

fn finding(turn: &Turn<'_>, actor: &Actor<'_>, failure: &Failure<'_>) -> Option<Finding> {
    let words = turn.words;
    let edited = failure.edited();
    let mut content = ObservationContent {
        r#type: if failure.passed.is_some() && !edited.is_empty() { "bugfix" } else { "discovery" }
            .to_owned(),
        title: title(failure, &edited, words),
        narrative: narrative(failure, words),
        concepts: vec![
            if failure.is_open() { "unresolved" } else { "problem-solution" }.to_owned(),
        ],
        ..ObservationContent::default()
    };
    if actor.subagent.is_some() {
        content.title = format!("{}{}{}", words.subagent, words.colon, content.title);
    } else {
        content.subtitle = turn.subject();
    }
    if failure.passed.is_some() {
        content.files_modified = edited;
    }
    let mut ids: Vec<i64> = failure.runs.iter().map(|s| s.event_id).collect();
    if let Some(passed) = failure.passed {
        ids.extend(failure.edits.iter().map(|s| s.event_id));
        ids.push(passed.event_id);
    }
    finish(actor, &format!("failure:{}", failure.runs[0].event_id), content, ids)
}

/// What failed in one line: the start of the command, the error, what made it pass.
fn title(failure: &Failure<'_>, edited: &[String], words: &Words) -> String {
    let label = cut_chars(&failure.label, 32);
    let head = if failure.is_open() {
        format!("{}{}`{label}`{}", words.last_failing, words.colon, words.colon)
    } else {
        format!("`{label}` {}{}", words.failed, words.colon)
    };
    let tail = match (failure.is_open(), edited.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!("; {}", words.passed_later),
        (false, false) => {
            let names: Vec<String> =
                edited.iter().map(|p| p.rsplit('/').next().unwrap_or(p).to_owned()).collect();
            format!("; {}", words.passed_after(&listed(&names, 1, 24)))
        }
    };
    let fixed = head.chars().count() + tail.chars().count() + 2;
    let room = MAX_TITLE.saturating_sub(fixed).max(24);
    let whole = failure.error(200);
    // Where room is short, what is wrong counts more than where.
    let error = if whole.chars().count() > room { without_place(&whole) } else { &whole };
    format!("{head}{}{tail}", quoted(&cut_chars(error, room)))
}

fn narrative(failure: &Failure<'_>, words: &Words) -> String {
    let first = &failure.runs[0].digest.outcome;
    let last = failure.runs.last().map_or("", |s| s.digest.outcome.as_str());
    let failed = quoted(prefix(first, 600));
    let mut parts = vec![format!("`{}` {}{}{failed}", failure.label, words.failed, words.colon)];
    if failure.is_open() && failure.runs.len() > 1 && last != first {
        parts.push(format!("{}{}{}", words.still_fails, words.colon, quoted(prefix(last, 400))));
    }
    if let Some(passed) = failure.passed {
        let changes = file_changes(failure.edits.iter().map(|step| step.digest));
        if changes.is_empty() {
            parts.push(format!("{}.", words.passed_later));
        } else {
            let files = words.passed_after(&listed(&failure.edited(), 4, 160));
            parts.push(format!("{files}{}\n{}", words.colon.trim_end(), changes.join("\n")));
        }
        let result = result_line(&passed.digest.outcome, 200);
        if !result.is_empty() {
            parts.push(format!("{} {}", words.then, quoted(&result)));
        }
    }
    joined(&parts, "\n", 1_500)
}
