//! The one finding that tells what a turn did: files changed, commands run, or what was looked at.

use afterword_domain::event::ToolClass;
use afterword_domain::observation::ObservationContent;
use afterword_domain::text::cut_chars;

use super::changes::file_changes;
use super::{Finding, MAX_FACT, MAX_TITLE, finish};
use crate::distill::cues::Wording;
use crate::distill::digest::{error_line, result_line};
use crate::distill::proposals::{proposed, without_agreement};
use crate::distill::prose::{Sentence, listed};
use crate::distill::turn::{Actor, Answer, Step, Turn};
use crate::distill::words::{Words, quoted};

/// Characters of an answer that followed reading.
const MIN_ANSWER: usize = 80;

/// Characters of an answer that nothing was read for.
const MIN_BARE_ANSWER: usize = 300;

/// Commands that are told of.
const MAX_DEEDS: usize = 8;

/// Characters of the answer in a narrative about changes.
const MAX_TOLD: usize = 800;

pub(super) fn finding(
    turn: &Turn<'_>,
    actor: &Actor<'_>,
    deeds: &[(String, String)],
) -> Option<Finding> {
    let words = turn.words;
    let modified = actor.modified();
    let subject = subject(turn, actor);
    let mut content = ObservationContent::default();
    let answer = actor.last_answer();
    if !modified.is_empty() {
        kind_of(turn, actor).clone_into(&mut content.r#type);
        let verb = if all_created(actor) { words.create } else { words.edit };
        let real: Vec<String> = modified.iter().filter(|p| !is_plan(p)).cloned().collect();
        let did = if real.is_empty() {
            words.plan.to_owned()
        } else {
            format!("{verb} {}", shown_files(&real))
        };
        content.title = titled(&did, &subject, words);
        let mut parts = vec![answer.map_or_else(String::new, |a| gist(&a.sentences, MAX_TOLD))];
        parts.extend(file_changes(changes(actor).map(|step| step.digest)));
        content.narrative = crate::distill::prose::joined(&parts, "\n", 1_500);
    } else if !deeds.is_empty() {
        "change".clone_into(&mut content.r#type);
        let names: Vec<String> =
            deeds.iter().map(|(label, _)| format!("`{}`", cut_chars(label, 50))).collect();
        content.title =
            titled(&format!("{} {}", words.ran, listed(&names, 2, 70)), &subject, words);
        content.narrative = answer.map_or_else(String::new, |a| gist(&a.sentences, 1_400));
    } else {
        let looked = looked_into(actor);
        let enough =
            if looked.is_empty() && actor.tools.is_empty() { MIN_BARE_ANSWER } else { MIN_ANSWER };
        let answer = answer.filter(|a| a.event.digest.detail.chars().count() >= enough)?;
        "discovery".clone_into(&mut content.r#type);
        if looked.is_empty() {
            // What was asked is no title for what was answered.
            content.title = actor.headline();
            content.subtitle = turn.asked();
        } else {
            let did = format!("{} {}", words.looked_into, shown_files(&looked));
            content.title = titled(&did, &subject, words);
        }
        content.narrative = gist(&answer.sentences, 1_400);
        if content.narrative.is_empty() {
            return None;
        }
    }
    if actor.subagent.is_some() {
        content.title = format!("{}{}{}", words.subagent, words.colon, content.title);
    }
    content.facts = deeds.iter().map(|(label, outcome)| fact(label, outcome, words)).collect();
    content.concepts = vec![
        if content.r#type == "discovery" { "how-it-works" } else { "what-changed" }.to_owned(),
    ];
    content.files_read = actor.only_read();
    content.files_modified = modified;
    finish(actor, "work", content, evidence(turn, actor))
}

/// What the actor's work is about: a sub-agent is not asked by the person.
fn subject(turn: &Turn<'_>, actor: &Actor<'_>) -> String {
    if actor.subagent.is_some() { actor.headline() } else { turn.subject() }
}

/// Asked for in the first words, else told of in the first words of the answer.
fn kind_of(turn: &Turn<'_>, actor: &Actor<'_>) -> &'static str {
    let asked = actor.subagent.is_none().then(|| Wording::new(&turn.asked()).kind_of_work());
    let told = || Wording::new(&actor.opening()).kind_of_deed();
    asked.flatten().or_else(told).unwrap_or("change")
}

fn changes<'t>(actor: &'t Actor<'_>) -> impl Iterator<Item = &'t Step<'t>> {
    actor.tools.iter().filter(|step| step.changed())
}

fn all_created(actor: &Actor<'_>) -> bool {
    changes(actor).all(Step::created)
}

/// A plan that the agent keeps for itself outside the project.
fn is_plan(path: &str) -> bool {
    path.contains("/.claude/plans/")
}

/// Names in a title: the whole path where it is short, else the file's name.
fn shown_files(paths: &[String]) -> String {
    let short: Vec<String> = paths
        .iter()
        .map(|path| match path.rsplit('/').next() {
            Some(name) if path.chars().count() > 32 && !path.starts_with('`') => name.to_owned(),
            _ => path.clone(),
        })
        .collect();
    listed(&short, 2, 50)
}

fn titled(did: &str, subject: &str, words: &Words) -> String {
    if subject.is_empty() {
        return did.to_owned();
    }
    let room = MAX_TITLE.saturating_sub(did.chars().count() + 2);
    format!("{did}{}{}", words.colon, cut_chars(subject, room.max(40)))
}

/// Files read, patterns searched, pages and tools asked: what a turn looked at.
fn looked_into(actor: &Actor<'_>) -> Vec<String> {
    let mut out = actor.only_read();
    out.extend(
        actor.looked_up().into_iter().map(|(_, what)| format!("`{}`", cut_chars(&what, 40))),
    );
    out
}

/// The commands worth telling: label and outcome of the last run of each, in order of the first.
pub(in crate::distill) fn deeds(actor: &Actor<'_>, words: &Words) -> Vec<(String, String)> {
    let mut last: Vec<&Step<'_>> = Vec::new();
    let deeds = |step: &&Step<'_>| step.command.is_deed() && !step.is_refused();
    for step in actor.tools.iter().filter(deeds) {
        let keys = &step.command.keys;
        // Every commit is a deed of its own.
        let commits = keys.iter().any(|key| key == "git commit");
        let again = |known: &&Step<'_>| {
            let passes = known.digest.failed && !step.digest.failed;
            let met = known.command.keys.last().is_some_and(|key| keys.contains(key));
            (known.command.keys == *keys && !commits) || (passes && met)
        };
        match last.iter().position(again) {
            Some(at) => last[at] = step,
            None if last.len() < MAX_DEEDS => last.push(step),
            None => {}
        }
    }
    last.into_iter().map(|step| (step.command.label.clone(), outcome(step, words))).collect()
}

fn outcome(step: &Step<'_>, words: &Words) -> String {
    let digest = step.digest;
    if digest.failed {
        let error = error_line(&digest.outcome, 160);
        let colon = if error.is_empty() { "" } else { words.colon };
        let error = if error.is_empty() { error } else { quoted(&error) };
        return format!("{}{colon}{error}", words.failed);
    }
    let result = result_line(&digest.outcome, 160);
    if result.is_empty() { words.ok.to_owned() } else { quoted(&result) }
}

pub(super) fn fact(label: &str, outcome: &str, words: &Words) -> String {
    cut_chars(&format!("`{label}`{}{outcome}", words.colon), MAX_FACT)
}

fn evidence(turn: &Turn<'_>, actor: &Actor<'_>) -> Vec<i64> {
    let telling = actor.tools.iter().filter(|step| {
        step.digest.class != Some(ToolClass::Shell) || !step.command.is_noise() || step.changed()
    });
    let mut ids: Vec<i64> = telling.map(|s| s.event_id).collect();
    ids.extend(actor.answers.iter().map(|a: &Answer<'_>| a.event.event_id));
    if actor.subagent.is_none() {
        ids.extend(turn.prompt.map(|p| p.event_id));
    }
    ids
}

/// What an answer tells, without fillers, headings, proposals and what is left to do.
pub(in crate::distill) fn gist(sentences: &[Sentence], max_chars: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut open_list = false;
    for (sentence, proposed) in sentences.iter().zip(proposed(sentences)) {
        let wording = Wording::new(&sentence.text);
        if sentence.heading || !sentence.bullet {
            open_list = wording.is_next_steps();
        }
        if sentence.heading
            || open_list
            || proposed
            || wording.is_no_statement()
            || (wording.is_filler() && !sentence.bullet)
        {
            continue;
        }
        let bare = without_agreement(&sentence.text).trim_end_matches([';', '；']);
        if bare.is_empty() {
            continue;
        }
        let end = bare.trim_end_matches([')', '"', '\'', '`', '*', '”', '）']);
        let ended = end.ends_with(['.', '!', ':', '。', '！', '：', '?', '？', '…']);
        let mark = if ended { "" } else { Words::of(bare).stop };
        lines.push(format!("{bare}{mark}"));
    }
    crate::distill::prose::joined(&lines, " ", max_chars)
}
