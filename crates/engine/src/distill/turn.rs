//! The digests of a turn, sorted by who did what.

use std::collections::HashSet;

use afterword_domain::event::ToolClass;
use afterword_store::contract::{Digest, StoredDigest};

use super::command::Command;
use super::cues::Wording;
use super::proposals::{proposed, without_agreement};
use super::prose::{Sentence, sentences, without_injected};
use super::words::Words;

/// A turn as the rules see it.
pub(super) struct Turn<'a> {
    /// The event of the prompt.
    pub(super) prompt: Option<&'a StoredDigest>,
    /// What the person said, without injected blocks.
    pub(super) request: String,
    /// The request's sentences.
    pub(super) request_sentences: Vec<Sentence>,
    /// The agent itself.
    pub(super) main: Actor<'a>,
    /// Its sub-agents, in the order of their first event.
    pub(super) subagents: Vec<Actor<'a>>,
    /// The error the last stop told of.
    pub(super) error: &'a str,
    /// Whether a stop came.
    pub(super) closed: bool,
    /// The rules' own words in the language of the turn.
    pub(super) words: &'static Words,
}

/// The agent, or one of its sub-agents.
#[derive(Default)]
pub(super) struct Actor<'a> {
    /// The sub-agent's id.
    pub(super) subagent: Option<&'a str>,
    /// Its tool uses, in order.
    pub(super) tools: Vec<Step<'a>>,
    /// Its answers, in order.
    pub(super) answers: Vec<Answer<'a>>,
}

/// One use of a tool.
pub(super) struct Step<'a> {
    /// Key of the event.
    pub(super) event_id: i64,
    /// What it did.
    pub(super) digest: &'a Digest,
    /// What ran; noise for a tool that runs nothing.
    pub(super) command: Command,
}

impl Step<'_> {
    /// Whether it made a new file.
    pub(super) fn created(&self) -> bool {
        self.digest.class == Some(ToolClass::Write) && self.digest.outcome.starts_with("created")
    }

    /// Whether the person stopped it: it says nothing about what it would have done.
    pub(super) fn is_refused(&self) -> bool {
        self.digest.failed
            && ["interrupted by user", "user doesn't want", "Request interrupted"]
                .iter()
                .any(|mark| self.digest.outcome.contains(mark))
    }

    /// Whether it changed files; a command line may write them too.
    pub(super) fn changed(&self) -> bool {
        let changing = matches!(
            self.digest.class,
            Some(ToolClass::Edit | ToolClass::Write | ToolClass::Shell)
        );
        changing && !self.digest.failed && !self.digest.paths.is_empty()
    }
}

/// What an agent said at the end of a turn.
pub(super) struct Answer<'a> {
    /// The event.
    pub(super) event: &'a StoredDigest,
    /// Its sentences.
    pub(super) sentences: Vec<Sentence>,
}

impl<'a> Turn<'a> {
    pub(super) fn of(digests: &'a [StoredDigest]) -> Self {
        let mut turn = Self {
            prompt: None,
            request: String::new(),
            request_sentences: Vec::new(),
            main: Actor::default(),
            subagents: Vec::new(),
            error: "",
            closed: false,
            words: Words::of(""),
        };
        for stored in digests {
            turn.take(stored);
        }
        turn.request_sentences = sentences(&turn.request);
        let answer = turn.main.answers.last().map_or("", |a| a.event.digest.detail.as_str());
        turn.words = Words::of(if turn.request.is_empty() { answer } else { &turn.request });
        turn
    }

    fn take(&mut self, stored: &'a StoredDigest) {
        match stored.kind.as_str() {
            "prompt" if self.prompt.is_none() && stored.subagent.is_none() => {
                without_injected(&stored.digest.detail).trim().clone_into(&mut self.request);
                self.prompt = (!self.request.is_empty()).then_some(stored);
            }
            "tool-use" => {
                let digest = &stored.digest;
                let shell = digest.class == Some(ToolClass::Shell);
                let command =
                    if shell { Command::parse(&digest.command) } else { Command::default() };
                let step = Step { event_id: stored.event_id, digest, command };
                self.actor(stored).tools.push(step);
            }
            "stop" if stored.subagent.is_none() => {
                self.closed = true;
                self.error = if stored.digest.failed { &stored.digest.outcome } else { "" };
                if stored.digest.failed && self.error.is_empty() {
                    self.error = "?";
                }
                answer(stored, &mut self.main);
            }
            // The conversation's own compaction ends like a sub-agent without a name.
            "subagent-stop" if stored.subagent.is_some() => answer(stored, self.actor(stored)),
            _ => {}
        }
    }

    fn actor(&mut self, stored: &'a StoredDigest) -> &mut Actor<'a> {
        let Some(id) = stored.subagent.as_deref() else { return &mut self.main };
        let known = self.subagents.iter().position(|a| a.subagent == Some(id));
        let at = known.unwrap_or_else(|| {
            self.subagents.push(Actor { subagent: Some(id), ..Actor::default() });
            self.subagents.len() - 1
        });
        &mut self.subagents[at]
    }

    /// Whether there is nothing to tell of.
    pub(super) fn is_empty(&self) -> bool {
        self.request.is_empty()
            && self.main.is_empty()
            && self.subagents.iter().all(Actor::is_empty)
            && self.error.is_empty()
    }

    /// The first words of the request that say what it is about.
    pub(super) fn asked(&self) -> String {
        headline(&self.request_sentences)
    }

    /// What the turn is about, on one line: the person's words; where those only make sense in the
    /// conversation (`yes`, `option 1`), with or instead of them the answer's first ones.
    pub(super) fn subject(&self) -> String {
        let said = self.asked();
        let go_on = said.is_empty()
            || Wording::new(&self.request).is_go_on()
            || Wording::new(&said).is_go_on();
        let short = said.chars().count() < if said.is_ascii() { 36 } else { 9 };
        if !go_on && !short {
            return said;
        }
        let told = self.main.headline();
        match (told.is_empty(), go_on) {
            (true, _) => said,
            (false, true) => told,
            (false, false) => format!("{said} → {told}"),
        }
    }
}

fn answer<'a>(stored: &'a StoredDigest, actor: &mut Actor<'a>) {
    // What the agent's program says for the agent is no answer.
    let synthetic = stored.digest.detail.starts_with("No response requested");
    if !stored.digest.detail.is_empty() && !synthetic {
        let sentences = sentences(&without_injected(&stored.digest.detail));
        actor.answers.push(Answer { event: stored, sentences });
    }
}

impl<'a> Actor<'a> {
    fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.answers.is_empty()
    }

    /// The last answer.
    pub(super) fn last_answer(&self) -> Option<&Answer<'_>> {
        self.answers.last()
    }

    /// The first sentence of the last answer that tells something; empty when none does.
    pub(super) fn headline(&self) -> String {
        let Some(answer) = self.last_answer() else { return String::new() };
        let proposed = proposed(&answer.sentences);
        let all = answer.sentences.iter().zip(&proposed).filter(|(s, out)| !s.heading && !**out);
        let told: Vec<(bool, &str)> = all
            .map(|(s, _)| (s.bullet, without_agreement(&s.text)))
            .filter(|(_, text)| !text.ends_with([':', '：']) && !Wording::new(text).is_filler())
            .collect();
        let prose = told.iter().find(|(bullet, _)| !bullet).or_else(|| told.first());
        prose.map_or_else(String::new, |(_, text)| (*text).to_owned())
    }

    /// The first sentences of the last answer.
    pub(super) fn opening(&self) -> String {
        let sentences = self.last_answer().map_or(&[][..], |a| a.sentences.as_slice());
        let opening = sentences.iter().take(6).map(|s| s.text.as_str());
        opening.collect::<Vec<_>>().join(" ")
    }

    /// Files changed, each once, in order.
    pub(super) fn modified(&self) -> Vec<String> {
        self.files(Step::changed)
    }

    /// Files read and not changed, each once, in order.
    pub(super) fn only_read(&self) -> Vec<String> {
        let modified = self.modified();
        let mut read =
            self.files(|step| !step.digest.failed && step.digest.class == Some(ToolClass::Read));
        if !modified.is_empty() {
            let modified: HashSet<&String> = modified.iter().collect();
            read.retain(|path| !modified.contains(path));
        }
        read
    }

    fn files(&self, wanted: impl Fn(&Step<'a>) -> bool) -> Vec<String> {
        let mut seen = HashSet::new();
        let paths = self.tools.iter().filter(|step| wanted(step)).flat_map(|s| &s.digest.paths);
        paths.filter(|path| seen.insert(path.as_str())).cloned().collect()
    }

    /// What was searched for and asked of the web, each once.
    pub(super) fn looked_up(&self) -> Vec<(ToolClass, String)> {
        let mut out: Vec<(ToolClass, String)> = Vec::new();
        for stored in &self.tools {
            let digest = stored.digest;
            let Some(class @ (ToolClass::Search | ToolClass::Web)) = digest.class else { continue };
            if !digest.detail.is_empty()
                && out.len() < 30
                && !out.iter().any(|(_, d)| *d == digest.detail)
            {
                out.push((class, digest.detail.clone()));
            }
        }
        out
    }
}

/// The first words of a prompt that say what it is about.
fn headline(sentences: &[Sentence]) -> String {
    // A standing rule beside a task is not what the turn is about.
    let asks = |s: &&Sentence| {
        let wording = Wording::new(&s.text);
        !wording.is_greeting() && !wording.is_preference() && !wording.is_go_on()
    };
    let greets = |s: &&Sentence| Wording::new(&s.text).is_greeting();
    let mut telling: Vec<&Sentence> = sentences.iter().filter(asks).take(2).collect();
    if telling.is_empty() {
        telling = sentences.iter().filter(|s| !greets(s)).take(2).collect();
    }
    let mut telling = telling.into_iter();
    let Some(first) = telling.next() else { return String::new() };
    let announces = first.text.ends_with([':', '：']);
    // A sentence that only announces what follows is told together with it; a plan is its title.
    match telling.next() {
        Some(next) if announces && next.heading => without_opener(&next.text).to_owned(),
        Some(next) if announces || (first.text.chars().count() < 16 && first.text.is_ascii()) => {
            without_opener(&format!("{} {}", first.text, next.text)).to_owned()
        }
        _ => without_opener(&first.text).to_owned(),
    }
}

/// The request without the politeness in front of it.
fn without_opener(text: &str) -> &str {
    const OPENERS: [&str; 27] = [
        "can you please ",
        "could you please ",
        "can you ",
        "could you ",
        "would you ",
        "please ",
        "i'd like you to ",
        "i would like you to ",
        "i want you to ",
        "i need you to ",
        "i want to ",
        "i'd like to ",
        "ok ",
        "ok, ",
        "okay, ",
        "yes, ",
        "now ",
        "let's ",
        "plan: ",
        "计划：",
        "请帮我",
        "麻烦",
        "请",
        "帮我",
        "帮忙",
        "另外",
        "also ",
    ];
    let mut rest = text.trim();
    // Openers come in pairs at most: `ok, can you …`.
    for _ in 0..2 {
        let found = OPENERS
            .iter()
            .find(|o| rest.get(..o.len()).is_some_and(|head| head.eq_ignore_ascii_case(o)));
        let Some(opener) = found else { break };
        let shorter = rest[opener.len()..].trim_start();
        if shorter.chars().count() < 4 {
            break;
        }
        rest = shorter;
    }
    rest
}
