//! What a conversation was about, in a few of its own words: its longest messages.
//!
//! The agent's log is read from its end and never whole. Text that is private, or that a machine put
//! into the conversation, is left out before anything is measured; of a turn whose prompt was private
//! nothing is taken, and where the log does not say whether it was, nothing is taken either.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use afterword_domain::privacy::{clean, clean_prompt};
use afterword_domain::text::cut_chars;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::folder::files::open_file;

/// How much of the log's end is looked at.
const WINDOW: u64 = 4 << 20;

/// Fewest characters of a message that says something.
const SHORTEST: usize = 100;

/// Most messages of a digest.
const MOST: usize = 5;

/// Most characters of a digest.
const BUDGET: usize = 6_000;

/// Fewest characters of a digest that is worth keeping.
const WORTH: usize = 50;

/// Between two messages.
const GAP: &str = "\n\n";

/// Which part of a conversation is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Session,
    /// What came since it was last compacted.
    SinceCompaction,
}

/// The digest of a session's log; none where there is nothing worth keeping. `last` is the message
/// that the log may not have yet.
pub(super) fn digest(path: &Path, session: &str, part: Part, last: Option<&str>) -> Option<String> {
    let (bytes, whole) = end_of(path).ok()?;
    let mut conversation = Conversation { muted: !whole, ..Conversation::default() };
    for line in bytes.split(|byte| *byte == b'\n') {
        conversation.read(line, session, part);
    }
    if let Some(last) = last.map(clean).filter(|_| conversation.prompted && !conversation.muted) {
        let last = last.trim();
        let known = |said: &Said| !said.by_person && said.text.contains(last);
        if !last.is_empty() && !conversation.said.iter().any(known) {
            conversation.said.push(Said { by_person: false, message: None, text: last.to_owned() });
        }
    }
    written(&conversation.said)
}

/// The end of the file, and whether that is all of it. A line that is cut off is no JSON.
fn end_of(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let mut file = open_file(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub(WINDOW);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(WINDOW).read_to_end(&mut bytes)?;
    Ok((bytes, start == 0))
}

/// A message.
#[derive(Debug)]
struct Said {
    by_person: bool,
    /// One message of the model is several lines, one for each of its blocks.
    message: Option<String>,
    text: String,
}

#[derive(Debug, Default)]
struct Conversation {
    said: Vec<Said>,
    /// The turn is private, or may be.
    muted: bool,
    /// A prompt was seen.
    prompted: bool,
}

/// A line of the log; what else is in it is not looked at.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_compact_summary: bool,
    #[serde(default, borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    text: String,
}

impl Conversation {
    fn read(&mut self, line: &[u8], session: &str, part: Part) {
        let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else { return };
        let foreign = line.session_id.as_deref().is_some_and(|id| id != session);
        if line.is_sidechain || foreign {
            return;
        }
        if line.is_compact_summary {
            if part == Part::SinceCompaction {
                self.said.clear();
            }
            return;
        }
        let Some(message) = line.message.filter(|_| !line.is_meta) else { return };
        let content = message.content.and_then(|raw| serde_json::from_str(raw.get()).ok());
        match (line.kind.as_deref(), content) {
            (Some("user"), Some(content)) => self.person(content),
            // An error of the model's service is written as if the model had said it.
            (Some("assistant"), Some(content))
                if message.model.as_deref() != Some("<synthetic>") =>
            {
                self.model(message.id, content);
            }
            _ => {}
        }
    }

    fn person(&mut self, content: Content) {
        // What tools answered is sent in the person's name.
        if matches!(&content, Content::Blocks(blocks) if blocks.iter().any(|b| b.kind == "tool_result"))
        {
            return;
        }
        let cleaned = clean_prompt(&text_of(content));
        (self.muted, self.prompted) = (cleaned.private, true);
        self.push(true, None, &cleaned.text);
    }

    fn model(&mut self, id: Option<String>, content: Content) {
        if self.muted {
            return;
        }
        let text = clean(&text_of(content));
        match self.said.last_mut() {
            Some(last) if !last.by_person && id.is_some() && last.message == id => {
                if !text.trim().is_empty() {
                    last.text.push('\n');
                    last.text.push_str(text.trim());
                }
            }
            _ => self.push(false, id, &text),
        }
    }

    fn push(&mut self, by_person: bool, message: Option<String>, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.said.push(Said { by_person, message, text: text.to_owned() });
        }
    }
}

fn text_of(content: Content) -> String {
    match content {
        Content::Text(text) => text,
        Content::Blocks(blocks) => {
            let texts: Vec<String> =
                blocks.into_iter().filter(|b| b.kind == "text").map(|b| b.text).collect();
            texts.join("\n")
        }
    }
}

/// The longest messages in the order of the conversation, within the budget.
fn written(said: &[Said]) -> Option<String> {
    let mut longest: Vec<(usize, usize)> = said
        .iter()
        .map(|said| said.text.chars().count())
        .enumerate()
        .filter(|(_, length)| *length >= SHORTEST)
        .collect();
    longest.sort_by_key(|(place, length)| (std::cmp::Reverse(*length), *place));
    longest.truncate(MOST);
    longest.sort_unstable();
    let name = |place: usize| if said[place].by_person { "User: " } else { "Assistant: " };
    let names: usize = longest.iter().map(|(place, _)| name(*place).len() + GAP.len()).sum();
    let lengths: Vec<usize> = longest.iter().map(|(_, length)| *length).collect();
    let shares = shares(&lengths, BUDGET.saturating_sub(names));
    let texts: Vec<String> = longest
        .iter()
        .zip(shares)
        .map(|((place, _), share)| {
            format!("{}{}", name(*place), cut_chars(&said[*place].text, share))
        })
        .collect();
    let text = texts.join(GAP);
    (text.chars().count() >= WORTH).then_some(text)
}

/// How much room each gets: short ones all they want, the others the same.
fn shares(lengths: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|place| lengths[*place]);
    let (mut shares, mut left) = (vec![0; lengths.len()], room);
    for (done, place) in order.iter().enumerate() {
        let share = lengths[*place].min(left / (lengths.len() - done));
        shares[*place] = share;
        left -= share;
    }
    shares
}
