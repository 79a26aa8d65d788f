//! One adapter an agent: how its hook calls are read and how it is answered.
//!
//! An adapter turns what the agent sends into a [`Draft`] of an event, and a canonical reply into
//! the agent's own JSON. It knows no store, no daemon and no project. [`by_name`] is the table.

pub mod claude_code;

use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Instant;

use afterword_domain::event::{EventBody, Subagent};
use afterword_domain::reply::Reply;
use serde_json::Value;

use crate::config::Env;

/// One supported agent.
pub trait Adapter: Debug + Sync {
    /// Its name on our command line and in every event.
    fn name(&self) -> &'static str;

    /// The moment that the payload itself names, where it names one that we know.
    fn moment(&self, payload: &Value) -> Option<Moment>;

    /// The folder that the agent says the session belongs to, whatever the current one is.
    fn project_folder(&self, env: &Env) -> Option<PathBuf>;

    /// Reads a payload. May look into the agent's own log until `deadline`.
    fn read(&self, moment: Moment, payload: Value, deadline: Instant) -> Reading;

    /// A reply in the agent's JSON; none where there is nothing to say, or it must not be said.
    fn answer(&self, moment: Moment, reply: &Reply) -> Option<Value>;
}

/// The adapter of an agent, by its name on the command line.
pub fn by_name(name: &str) -> Option<&'static dyn Adapter> {
    let adapters: [&'static dyn Adapter; 1] = [&claude_code::ClaudeCode];
    adapters.into_iter().find(|adapter| adapter.name() == name)
}

/// When an agent calls a hook, whatever the agent calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A session began, came back, or goes on after a compaction.
    SessionStart,
    /// The person sent a prompt.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// A tool ran.
    PostTool,
    /// A tool ran and failed.
    PostToolFailure,
    /// The conversation is about to be compacted.
    PreCompact,
    /// The conversation was compacted.
    PostCompact,
    /// A turn ended.
    Stop,
    /// A turn ended in an error of the model's service.
    StopFailure,
    /// A sub-agent ended.
    SubagentStop,
    /// The session ended.
    SessionEnd,
}

impl Moment {
    /// Every moment with its word on the command line.
    pub const WORDS: [(&'static str, Self); 11] = [
        ("session-start", Self::SessionStart),
        ("user-prompt-submit", Self::Prompt),
        ("pre-tool-use", Self::PreTool),
        ("post-tool-use", Self::PostTool),
        ("post-tool-use-failure", Self::PostToolFailure),
        ("pre-compact", Self::PreCompact),
        ("post-compact", Self::PostCompact),
        ("stop", Self::Stop),
        ("stop-failure", Self::StopFailure),
        ("subagent-stop", Self::SubagentStop),
        ("session-end", Self::SessionEnd),
    ];

    /// Reads a word of the command line.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(w, _)| *w == word).map(|(_, moment)| *moment)
    }
}

/// What an adapter made of a payload.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// Not worth an event: made by a machine, or nothing usable in it.
    Ignore,
    /// A tool wants to run: the guard is asked and what is known of its file, nothing is stored.
    Ask(Question),
    /// Something to keep.
    Keep(Box<Draft>),
}

/// A tool that wants to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The agent's name of the tool.
    pub tool_name: String,
    /// What it is asked.
    pub tool_input: Value,
    /// The folder the agent works in.
    pub cwd: Option<String>,
    /// The agent's session id, where it sends one.
    pub session_id: Option<String>,
    /// Whether the call comes from a sub-agent.
    pub in_subagent: bool,
}

/// An event before it has an id, a time and a project. Its texts are as the agent sent them.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The agent's session id.
    pub session_id: String,
    /// The folder the agent works in.
    pub cwd: Option<String>,
    /// The agent's id of the prompt.
    pub turn_id: Option<String>,
    /// The sub-agent that the call came from.
    pub subagent: Option<Subagent>,
    /// The language model.
    pub model: Option<String>,
    /// The agent's own log.
    pub transcript_path: Option<String>,
    /// What happened.
    pub body: EventBody,
}
