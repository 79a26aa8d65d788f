//! What Claude Code sends: every field optional, wrong types tolerated one by one, unknown ones
//! kept.

use serde_json::{Map, Value};

use crate::hook::agents::Moment;

/// The CLI's own event names that we know.
pub const NAMES: [(&str, Moment); 11] = [
    ("SessionStart", Moment::SessionStart),
    ("UserPromptSubmit", Moment::Prompt),
    ("PreToolUse", Moment::PreTool),
    ("PostToolUse", Moment::PostTool),
    ("PostToolUseFailure", Moment::PostToolFailure),
    ("PreCompact", Moment::PreCompact),
    ("PostCompact", Moment::PostCompact),
    ("Stop", Moment::Stop),
    ("StopFailure", Moment::StopFailure),
    ("SubagentStop", Moment::SubagentStop),
    ("SessionEnd", Moment::SessionEnd),
];

/// The moment of one of the CLI's event names.
pub fn moment(name: &str) -> Option<Moment> {
    NAMES.iter().find(|(n, _)| *n == name).map(|(_, moment)| *moment)
}

/// The CLI's event name of a moment.
pub fn name(moment: Moment) -> &'static str {
    NAMES.iter().find(|(_, m)| *m == moment).map_or("", |(name, _)| *name)
}

/// A payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WireEvent {
    /// Id of the session.
    pub session_id: Option<String>,
    /// The CLI's log of the session: may not exist.
    pub transcript_path: Option<String>,
    /// The folder, which moves with `cd`.
    pub cwd: Option<String>,
    /// Id of the prompt that this belongs to.
    pub prompt_id: Option<String>,
    /// Id of the sub-agent that the call comes from.
    pub agent_id: Option<String>,
    /// Its type; empty for the one that compacts, and set alone under `--agent`.
    pub agent_type: Option<String>,
    /// The sub-agent's own log.
    pub agent_transcript_path: Option<String>,
    /// The language model.
    pub model: Option<String>,
    /// Why a session started.
    pub source: Option<String>,
    /// What the person typed.
    pub prompt: Option<String>,
    /// Name of a tool.
    pub tool_name: Option<String>,
    /// What the tool is asked.
    pub tool_input: Value,
    /// What it answered: object, array or string.
    pub tool_response: Value,
    /// Id of the call.
    pub tool_use_id: Option<String>,
    /// How long the tool took.
    pub duration_ms: Option<u64>,
    /// The failure of a tool or of the model's service.
    pub error: Option<String>,
    /// The person stopped the tool.
    pub is_interrupt: bool,
    /// The final message of a turn.
    pub last_assistant_message: Option<String>,
    /// `manual` or `auto`.
    pub trigger: Option<String>,
    /// What the person asked a compaction to keep.
    pub custom_instructions: Option<String>,
    /// The CLI's own summary.
    pub compact_summary: Option<String>,
    /// Why a session ended.
    pub reason: Option<String>,
    /// Everything else.
    pub rest: Map<String, Value>,
}

impl WireEvent {
    /// Takes a payload apart; none when it is no object.
    pub fn from_value(payload: Value) -> Option<Self> {
        let Value::Object(mut fields) = payload else { return None };
        let mut text = |name: &str| fields.remove(name).and_then(to_text);
        Some(Self {
            session_id: text("session_id"),
            transcript_path: text("transcript_path"),
            cwd: text("cwd"),
            prompt_id: text("prompt_id"),
            agent_id: text("agent_id"),
            agent_type: text("agent_type"),
            agent_transcript_path: text("agent_transcript_path"),
            model: text("model"),
            source: text("source"),
            prompt: text("prompt"),
            tool_name: text("tool_name"),
            tool_use_id: text("tool_use_id"),
            error: text("error"),
            last_assistant_message: text("last_assistant_message"),
            trigger: text("trigger"),
            custom_instructions: text("custom_instructions"),
            compact_summary: text("compact_summary"),
            reason: text("reason"),
            tool_input: fields.remove("tool_input").unwrap_or_default(),
            tool_response: fields.remove("tool_response").unwrap_or_default(),
            duration_ms: fields.remove("duration_ms").as_ref().and_then(to_millis),
            is_interrupt: fields.remove("is_interrupt").is_some_and(|v| v == true),
            rest: fields,
        })
    }
}

/// A text where one was meant: numbers and flags in digits and words, lists of text blocks joined.
fn to_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.into_iter().filter_map(to_text).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        Value::Object(mut fields) => match fields.remove("text")? {
            Value::String(text) => Some(text),
            _ => None,
        },
        Value::Null => None,
    }
}

fn to_millis(value: &Value) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "range checked")]
    let rounded = |f: f64| (0.0..1e15).contains(&f).then_some(f as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(rounded))
}
