//! An event into its digest: what distilling needs, small, with paths relative to the project.

mod diff;
mod output;
mod path;
mod tool;
mod written;

use afterword_domain::event::{Event, EventBody};
use afterword_domain::text::{cut_chars, head_and_tail};
use afterword_store::contract::Digest;

use super::prose::without_injected;

pub(crate) use path::project_path;

pub(super) use output::{error_line, names_error, result_line, without_place};

/// Characters of a prompt.
const MAX_PROMPT: usize = 2_000;

/// Bytes of a final answer, head and tail.
const MAX_ANSWER: usize = 6_000;

/// Bytes of a sub-agent's answer.
const MAX_SUB_ANSWER: usize = 2_000;

/// Bytes of a compaction summary.
const MAX_COMPACT: usize = 4_000;

/// What distilling needs of an event, small and with paths relative to the project.
///
/// A tool use takes at most about 2 KB; prompts keep 2,000 characters, answers 6,000 bytes (head
/// and tail) and compaction summaries 4,000. Any JSON is accepted as a tool's input and output.
pub fn digest(event: &Event) -> Digest {
    match &event.body {
        EventBody::SessionStart { source, .. } => said(source.word().to_owned()),
        EventBody::Prompt { text, private } => {
            let text = if *private { "" } else { text.as_str() };
            said(cut_chars(without_injected(text).trim(), MAX_PROMPT))
        }
        EventBody::ToolUse { tool } => tool::digest(tool, event),
        EventBody::PreCompact { trigger, instructions } => Digest {
            detail: cut_chars(instructions.as_deref().unwrap_or_default().trim(), MAX_PROMPT),
            outcome: trigger.clone(),
            ..Digest::default()
        },
        EventBody::PostCompact { summary } => {
            said(head_and_tail(summary_part(summary).trim(), MAX_COMPACT))
        }
        EventBody::Stop { answer, error } => Digest {
            outcome: cut_chars(error.as_deref().unwrap_or_default().trim(), 300),
            failed: error.is_some(),
            ..said(answer_text(answer.as_deref(), MAX_ANSWER))
        },
        EventBody::SubagentStop { answer } => said(answer_text(answer.as_deref(), MAX_SUB_ANSWER)),
        EventBody::SessionEnd { reason } => said(cut_chars(reason, 100)),
    }
}

fn said(detail: String) -> Digest {
    Digest { detail, ..Digest::default() }
}

fn answer_text(answer: Option<&str>, max_bytes: usize) -> String {
    head_and_tail(without_injected(answer.unwrap_or_default()).trim(), max_bytes)
}

/// What stands in `<summary>` of a compaction summary, else all but its `<analysis>`.
fn summary_part(text: &str) -> &str {
    if let Some((_, rest)) = text.split_once("<summary>") {
        return rest.split("</summary>").next().unwrap_or_default();
    }
    match text.split_once("</analysis>") {
        Some((_, rest)) => rest,
        None => text.strip_prefix("<analysis>").unwrap_or(text),
    }
}

#[cfg(test)]
mod tests;
