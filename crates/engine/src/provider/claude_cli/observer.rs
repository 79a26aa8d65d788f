//! One process, many questions.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Mutex;

use super::neutral::Message;
use super::talk::{Said, Talk};
use super::{command, result};
use crate::provider::contract::{Answer, Ask, Provider, Usage};
use crate::provider::estimate::token_bound;
use crate::provider::refusal::{Refusal, RefusalKind};
use crate::provider::settings::{ClaudeSettings, ProviderKind, ProviderSettings};

/// What a person does where the program is not there or is another one.
pub(super) const PROGRAM: &str = "install Claude Code or update it, or set command in [provider]";

/// The most that a conversation may have grown to when another question is added, in bounded tokens:
/// what it already holds is paid for with every question.
const HISTORY: u64 = 16_000;

/// What the program adds to a question: environment, date, roles. About 2 kilobytes were measured.
const SURROUNDINGS: u64 = 1_500;

/// A process without a question for this long is ended.
const IDLE: Duration = Duration::from_mins(2);

/// Claude Code, started when it is asked first.
#[derive(Debug)]
pub(in crate::provider) struct ClaudeCli {
    settings: ClaudeSettings,
    model: String,
    timeout: Duration,
    open: Arc<Mutex<Option<Conversation>>>,
    /// How often somebody asked, so that an idle timer knows whether it is out of date.
    asked: Arc<AtomicU64>,
}

/// A process and what was said to it.
#[derive(Debug)]
struct Conversation {
    talk: Talk,
    system: String,
    max_output_tokens: u32,
    /// A bound of the tokens that the conversation holds.
    held: u64,
}

impl Conversation {
    fn takes(&mut self, ask: &Ask, cost: u64) -> bool {
        self.system == ask.system
            && self.max_output_tokens == ask.max_output_tokens
            && self.held.saturating_add(cost) <= HISTORY
            && self.talk.is_alive()
    }
}

impl ClaudeCli {
    /// Looks for the program; starts nothing.
    pub(in crate::provider) fn open(settings: &ProviderSettings) -> Result<Self, Refusal> {
        let mut claude = settings.claude.clone();
        let wrong = |what| {
            let refusal = Refusal::new(RefusalKind::Misconfigured, what).before_sending();
            refusal.with_remedy(PROGRAM)
        };
        if !is_program(&claude) {
            let what = format!("there is no program {}", claude.program.display());
            return Err(wrong(what));
        }
        if !claude.folder.is_absolute() {
            return Err(wrong("the observer has no folder of its own".to_owned()));
        }
        let told = |value: &Option<String>| value.clone().filter(|text| !text.trim().is_empty());
        if let Some(url) = told(&settings.url) {
            claude.env.push(("ANTHROPIC_BASE_URL".to_owned(), afterword_domain::Secret::new(url)));
        }
        if !settings.api_key.is_empty() {
            claude.env.push(("ANTHROPIC_API_KEY".to_owned(), settings.api_key.clone()));
        }
        if let Some(proxy) = told(&settings.proxy) {
            claude.env.push(("HTTPS_PROXY".to_owned(), afterword_domain::Secret::new(proxy)));
        }
        Ok(Self {
            settings: claude,
            model: told(&settings.model)
                .unwrap_or_else(|| ProviderKind::ClaudeCli.default_model().to_owned()),
            timeout: settings.timeout,
            open: Arc::default(),
            asked: Arc::default(),
        })
    }

    fn start(&self, ask: &Ask) -> Result<Conversation, Refusal> {
        std::fs::create_dir_all(&self.settings.folder).map_err(|error| {
            let what = format!("{} cannot be made: {error}", self.settings.folder.display());
            Refusal::new(RefusalKind::Misconfigured, what).before_sending()
        })?;
        let command = command::command(&self.settings, &self.model, ask, self.timeout);
        Ok(Conversation {
            talk: Talk::start(command)?,
            system: ask.system.clone(),
            max_output_tokens: ask.max_output_tokens,
            held: 0,
        })
    }

    /// Ends the process unless it is asked something meanwhile.
    fn end_when_idle(&self) {
        let (open, asked) = (Arc::downgrade(&self.open), Arc::clone(&self.asked));
        let now = asked.load(Ordering::Relaxed);
        tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            let Some(open) = open.upgrade() else { return };
            let mut open = open.lock().await;
            if asked.load(Ordering::Relaxed) == now
                && let Some(idle) = open.take()
            {
                idle.talk.end().await;
            }
        });
    }
}

#[async_trait]
impl Provider for ClaudeCli {
    fn name(&self) -> &'static str {
        ProviderKind::ClaudeCli.name()
    }

    fn model(&self) -> &str {
        &self.model
    }

    /// Counts the conversation so far at its bound, so that it holds whoever else asks meanwhile; and
    /// a second request, which the program may begin when an answer meets its limit, before it can be
    /// killed.
    fn input_bound(&self, ask: &Ask) -> u64 {
        let answer = u64::from(ask.max_output_tokens);
        // The second holds the first with its answer, and may be answered as well.
        2 * request_bound(ask) + 2 * answer
    }

    async fn complete(&self, ask: &Ask) -> Result<Answer, Refusal> {
        let message = Message::of(&ask.prompt);
        let cost = token_bound(&message.text);
        // Held until the answer is there: one question at a time.
        let mut open = self.open.lock().await;
        self.asked.fetch_add(1, Ordering::Relaxed);
        // Out of its place while it works: whoever gives the call up, ends the process.
        let mut kept = open.take();
        let goes_on = kept.as_mut().is_some_and(|kept| kept.takes(ask, cost));
        let mut conversation = match kept {
            Some(kept) if goes_on => kept,
            old => {
                if let Some(old) = old {
                    old.talk.end().await;
                }
                self.start(ask)?
            }
        };
        let said = tokio::time::timeout(self.timeout, conversation.talk.say(&message.text)).await;
        let said = said.unwrap_or_else(|_| {
            let what = format!("claude did not answer within {} s", self.timeout.as_secs_f32());
            Err(Refusal::new(RefusalKind::Unavailable, what))
        });
        let line = match said.map_err(|refusal| of_one_request(refusal, ask))? {
            Said::Whole(line) => line,
            Said::Cut(text) => return result::cut(&message.answer(&text)),
        };
        let mut answer = result::read(&line).map_err(|refusal| of_one_request(refusal, ask))?;
        answer.text = message.answer(&answer.text);
        conversation.held += cost + token_bound(&answer.text);
        *open = Some(conversation);
        drop(open);
        self.end_when_idle();
        Ok(answer)
    }

    async fn close(&self) {
        if let Some(conversation) = self.open.lock().await.take() {
            conversation.talk.end().await;
        }
    }
}

/// The most input of one request: the conversation so far counts at its bound.
fn request_bound(ask: &Ask) -> u64 {
    let question = token_bound(&Message::of(&ask.prompt).text);
    SURROUNDINGS + token_bound(&ask.system) + question.max(HISTORY)
}

/// A refusal that may have cost something and does not say what: the most that one request can cost.
/// There was no second one, since no answer met its limit.
fn of_one_request(refusal: Refusal, ask: &Ask) -> Refusal {
    if refusal.usage.is_some() || !refusal.may_cost() {
        return refusal;
    }
    let (input_tokens, output_tokens) = (request_bound(ask), u64::from(ask.max_output_tokens));
    refusal.with_usage(Some(Usage { input_tokens, output_tokens, ..Usage::default() }))
}

/// Whether the program is a file, or found by its name on the search path that it will have.
fn is_program(claude: &ClaudeSettings) -> bool {
    let program = &claude.program;
    if program.components().count() > 1 {
        return program.is_file();
    }
    let path = claude.env.iter().find(|(name, _)| name == "PATH");
    path.is_some_and(|(_, path)| {
        std::env::split_paths(path.expose()).any(|folder| has(&folder, program))
    })
}

fn has(folder: &Path, program: &Path) -> bool {
    let file = folder.join(program);
    file.is_file() || cfg!(windows) && file.with_extension("exe").is_file()
}
