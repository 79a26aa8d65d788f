//! One session from prompt to evidence.

use std::collections::BTreeMap;

use afterword_domain::event::{Event, EventBody};
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryLevel;
use afterword_domain::text::head_and_tail;
use afterword_domain::wire::viewer::{EvidenceAnswer, Story, StoryEvent, StoryTurn, WholeEvent};
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{RowBody, StoredDigest};
use serde_json::Value;

use crate::timeline::{line, whole};
use crate::{Engine, Error, Result};

/// Most rows of a session that are shown.
const ROWS: usize = 1_000;

/// Most events of a session that are shown, the newest of them.
const EVENTS: usize = 3_000;

/// Most events behind an observation that are shown.
const EVIDENCE: usize = 100;

/// Most bytes of what a tool was asked or answered.
const TEXT_BYTES: usize = 16 * 1024;

impl Engine {
    /// A session's turns with what was said, done and distilled. [`Error::NotFound`] for a key that
    /// no session has.
    pub async fn story(&self, session_id: i64) -> Result<Story> {
        let session = self.store.get_session(session_id).await?;
        let rows = self.store.session_rows(session_id, ROWS).await?;
        let digests = self.store.session_digests(session_id, 0, i64::MAX, EVENTS).await?;
        let cut = rows.len() == ROWS || digests.len() == EVENTS;
        let mut turns: BTreeMap<i64, StoryTurn> = BTreeMap::new();
        let mut turn_of = BTreeMap::new();
        for digest in &digests {
            turn_of.insert(digest.at, digest.prompt_number);
        }
        let mut summary = None;
        for row in rows {
            let number = match &row.body {
                RowBody::Observation(o) => o.prompt_number,
                RowBody::Prompt(p) => p.number,
                RowBody::Summary(s) if s.level == SummaryLevel::Session => {
                    // The newest one, where an import brought another.
                    summary = Some(whole(row, Vec::new())?);
                    continue;
                }
                RowBody::Summary(s) => s.prompt_number,
                // It belongs to the turn in which the compaction came.
                RowBody::Snapshot(_) | RowBody::Memory(_) => {
                    turn_of.range(..=row.created_at).next_back().map_or(0, |(_, turn)| *turn)
                }
            };
            let kind = row.id.kind;
            let turn = turns.entry(number).or_default();
            let row = whole(row, Vec::new())?;
            match kind {
                Kind::Prompt => turn.prompt = Some(row),
                Kind::Summary => turn.summary = Some(row),
                Kind::Observation => turn.observations.push(row),
                Kind::Snapshot | Kind::Memory => turn.snapshots.push(row),
            }
        }
        for digest in digests {
            turns.entry(digest.prompt_number).or_default().events.push(event(digest));
        }
        for (number, turn) in &mut turns {
            turn.number = *number;
        }
        let conversation = self.conversation_of(&session).await?;
        let mut cards = self.cards(vec![session]).await?;
        let session = cards.pop().expect("one session in, one card out");
        Ok(Story { session, conversation, summary, turns: turns.into_values().collect(), cut })
    }

    /// The events behind an observation, whole, as far as they are kept.
    pub async fn whole_evidence(&self, id: PublicId) -> Result<EvidenceAnswer> {
        if id.kind != Kind::Observation {
            return Err(Error::Invalid(format!(
                "{id} is no observation: only these have evidence"
            )));
        }
        if self.store.rows(Scope::All, &[id]).await?.is_empty() {
            return Err(Error::NotFound(format!("there is no row {id} here")));
        }
        let events = self.store.evidence(id.number).await?;
        let cut = events.len() > EVIDENCE;
        let shown = events.into_iter().take(EVIDENCE).map(|(key, event)| whole_event(key, event));
        Ok(EvidenceAnswer { id: Some(id), events: shown.collect(), cut })
    }
}

fn event(stored: StoredDigest) -> StoryEvent {
    let StoredDigest { event_id, kind, prompt_number: _, subagent, at, digest } = stored;
    StoryEvent {
        id: event_id,
        kind,
        at,
        tool: digest.tool,
        paths: digest.paths,
        command: digest.command,
        detail: digest.detail,
        outcome: digest.outcome,
        failed: digest.failed,
        subagent,
    }
}

fn whole_event(id: i64, event: Event) -> WholeEvent {
    let (line, kind) = (line(&event), event.body.kind().to_owned());
    let mut told = WholeEvent {
        id,
        at: event.at,
        kind,
        line,
        tool: String::new(),
        cwd: event.cwd,
        failed: false,
        input: Value::Null,
        output: String::new(),
    };
    match event.body {
        EventBody::ToolUse { tool } => {
            told.failed = tool.failed();
            told.output = text_of(&tool.error.map_or(tool.output, Value::String));
            told.input = cut(tool.input);
            told.tool = tool.name;
        }
        EventBody::Prompt { text, .. } | EventBody::PostCompact { summary: text } => {
            told.output = head_and_tail(&text, TEXT_BYTES);
        }
        EventBody::Stop { answer, error } => {
            told.failed = error.is_some();
            told.output = head_and_tail(&answer.or(error).unwrap_or_default(), TEXT_BYTES);
        }
        EventBody::SubagentStop { answer } => {
            told.output = head_and_tail(&answer.unwrap_or_default(), TEXT_BYTES);
        }
        EventBody::PreCompact { instructions, .. } => {
            told.output = instructions.unwrap_or_default();
        }
        EventBody::SessionStart { changed_files, .. } => told.output = changed_files.join("\n"),
        EventBody::SessionEnd { .. } => {}
    }
    told
}

/// What a tool was asked, with long texts cut.
fn cut(input: Value) -> Value {
    match input {
        Value::String(text) => head_and_tail(&text, TEXT_BYTES).into(),
        Value::Array(items) => items.into_iter().map(cut).collect(),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (name, cut(value))).collect())
        }
        other => other,
    }
}

/// What a tool answered as text: its own words where they can be told from the rest.
fn text_of(output: &Value) -> String {
    let text = match output {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let parts = ["stdout", "stderr", "content", "text", "result"];
            let parts = parts.iter().filter_map(|name| fields.get(*name)?.as_str());
            let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            if parts.is_empty() { pretty(output) } else { parts.join("\n") }
        }
        _ => pretty(output),
    };
    head_and_tail(&text, TEXT_BYTES)
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
