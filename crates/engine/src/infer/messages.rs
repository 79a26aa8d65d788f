//! Messages as they are read: cleaned, bounded, and each with its day.

use afterword_domain::text::{cut_chars, one_line, prefix};
use afterword_domain::{Time, privacy};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Messages of one request that are read: the last ones.
const MOST_MESSAGES: usize = 200;

/// Bytes of one message that are read.
const MOST_BYTES: usize = 32 * 1024;

/// Characters of a speaker's name.
const NAME: usize = 60;

/// Who said something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// A person.
    #[default]
    User,
    /// The assistant, or an agent.
    Assistant,
    /// A system, a tool: nothing of it is a fact.
    Other,
}

impl Speaker {
    /// Reads a role of a message.
    pub fn of_role(role: &str) -> Self {
        match role.trim().to_ascii_lowercase().as_str() {
            "user" | "human" => Self::User,
            "assistant" | "agent" | "ai" | "model" => Self::Assistant,
            _ => Self::Other,
        }
    }

    /// The word of it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Other => "other",
        }
    }
}

/// A message that facts are drawn from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who said it.
    #[serde(default)]
    pub speaker: Speaker,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What was said.
    pub content: String,
    /// When; the request's time unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
}

/// A message as it is read.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) speaker: Speaker,
    pub(super) name: Option<String>,
    pub(super) text: String,
    pub(super) at: Time,
    /// The speaker's day.
    pub(super) day: Date,
}

/// The last messages that say something, cleaned. `offset_minutes`: how far the speakers' clock is
/// ahead of UTC.
pub(super) fn lines(messages: &[Message], at: Time, offset_minutes: i32) -> Vec<Line> {
    let first = messages.len().saturating_sub(MOST_MESSAGES);
    let said = messages[first..].iter().filter(|message| message.speaker != Speaker::Other);
    said.filter_map(|message| {
        let Message { speaker, name, content, at: own } = message;
        let text = privacy::clean(prefix(content, MOST_BYTES)).trim().to_owned();
        let name = name.as_ref().map(|name| cut_chars(&one_line(&privacy::clean(name)), NAME));
        let at = own.unwrap_or(at);
        (!text.is_empty()).then(|| Line {
            speaker: *speaker,
            name: name.filter(|name| !name.is_empty()),
            text,
            at,
            day: day_of(at, offset_minutes),
        })
    })
    .collect()
}

fn day_of(at: Time, offset_minutes: i32) -> Date {
    let local = at.plus_millis(i64::from(offset_minutes.clamp(-1_440, 1_440)) * 60_000);
    let stamp = jiff::Timestamp::from_millisecond(local.millis()).unwrap_or_default();
    jiff::tz::Offset::UTC.to_datetime(stamp).date()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cleaned_bounded_and_dated() {
        let at: Time = "2026-03-03T20:00:00Z".parse().unwrap();
        let say = |speaker, content: &str| Message {
            speaker,
            content: content.to_owned(),
            ..Message::default()
        };
        let mut messages = vec![say(Speaker::User, "lost: too old"); 250];
        messages.push(say(Speaker::Other, "You are a helpful assistant"));
        messages.push(say(Speaker::User, "<private>my pin is 4321</private>"));
        messages.push(say(Speaker::User, "key <private>4321</private>here"));
        messages.push(say(Speaker::Assistant, &"long ".repeat(20_000)));
        let lines = lines(&messages, at, 8 * 60);
        assert_eq!(lines.len(), 198);
        assert_eq!(lines[196].text, "key here");
        assert!(lines[197].text.len() <= MOST_BYTES);
        assert_eq!(lines[0].day.to_string(), "2026-03-04", "it is tomorrow there");
        assert_eq!(Speaker::of_role(" Human "), Speaker::User);
        assert_eq!(Speaker::of_role("tool"), Speaker::Other);
    }
}
