//! What a row of any kind says, as a title, a text and files.

use afterword_domain::memory::Memory;
use afterword_domain::observation::Observation;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::{Summary, SummaryContent};
use afterword_domain::text::{cut_chars, one_line, prefix};
use afterword_store::contract::RowBody;

use crate::distill::UNANSWERED;

/// Longest title made from a text, in characters.
const TITLE_CHARS: usize = 160;

/// Most characters of what lists show beside a title.
const SNIPPET_CHARS: usize = 240;

/// A row's title, whole text and files, the same for every door that shows rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowText {
    /// One line of at most 160 characters where it is made from the text.
    pub title: String,
    /// Everything the row says; its title where it says nothing more.
    pub text: String,
    /// Files it concerns, changed ones first, each once.
    pub files: Vec<String>,
}

impl RowText {
    /// Reads a row.
    pub fn of(body: &RowBody) -> Self {
        match body {
            RowBody::Observation(row) => Self::of_observation(row),
            RowBody::Summary(row) => Self::of_summary(row),
            RowBody::Prompt(row) => Self::made_of(&row.text),
            RowBody::Memory(row) => Self::of_memory(row),
            RowBody::Snapshot(row) => Self::of_snapshot(row),
        }
    }

    /// Whether the title was made from the text, or repeats its beginning.
    pub(super) fn text_begins_with_title(&self) -> bool {
        let title = self.title.trim_end_matches('…').trim_end();
        // White space between the words gets some room.
        let beginning = prefix(self.text.trim_start(), title.len() * 4);
        one_line(beginning).starts_with(title)
    }

    /// What the row says besides its title, on one line of at most 240 characters; empty where it
    /// says nothing more.
    pub fn snippet(&self) -> String {
        let text = one_line(prefix(&self.text, SNIPPET_CHARS * 16));
        let title = self.title.trim_end_matches('…').trim_end();
        // A summary begins with the word for what was asked.
        let rest = text.strip_prefix("Request: ").unwrap_or(&text);
        let more = rest.strip_prefix(title).filter(|_| !title.is_empty()).unwrap_or(&text);
        cut_chars(more.trim_start_matches([' ', '.', ':', ';', ',']), SNIPPET_CHARS)
    }

    fn of_observation(row: &Observation) -> Self {
        let content = &row.content;
        let parts = [content.subtitle.as_str(), content.narrative.as_str()];
        let text = joined(parts.into_iter().chain(content.facts.iter().map(String::as_str)));
        let title = one_line(&content.title);
        Self {
            text: if text.is_empty() { title.clone() } else { text },
            title,
            files: files(&content.files_modified, &content.files_read),
        }
    }

    fn of_summary(row: &Summary) -> Self {
        let content = &row.content;
        let lines: Vec<String> =
            labelled(content).map(|(label, text)| format!("{label}: {text}")).collect();
        let title = labelled(content).next().map_or("", |(_, text)| text);
        Self {
            title: first_line(title),
            text: lines.join("\n"),
            files: files(&content.files_modified, &content.files_read),
        }
    }

    fn of_memory(row: &Memory) -> Self {
        let title = one_line(&row.title);
        Self {
            title: if title.is_empty() { first_line(&row.text) } else { title },
            text: row.text.clone(),
            files: files(&row.files, &[]),
        }
    }

    fn of_snapshot(row: &Snapshot) -> Self {
        let own = row.agent_summary.as_deref().unwrap_or_default();
        Self::made_of(&joined([row.text.as_str(), own].into_iter()))
    }

    fn made_of(text: &str) -> Self {
        Self { title: first_line(text), text: text.to_owned(), files: Vec::new() }
    }
}

/// The parts of a summary that say something, with the words that head them, in reading order.
pub(super) fn labelled(content: &SummaryContent) -> impl Iterator<Item = (&'static str, &str)> {
    [
        ("Request", &content.request),
        ("Investigated", &content.investigated),
        ("Learned", &content.learned),
        ("Completed", &content.completed),
        ("Next steps", &content.next_steps),
        ("Notes", &content.notes),
    ]
    .into_iter()
    .map(|(label, text)| (label, text.trim()))
    .filter(|(_, text)| !text.is_empty())
}

/// Whether a summary says nothing but what was asked: nothing came of it yet.
pub(super) fn only_asks(content: &SummaryContent) -> bool {
    let outcomes = [&content.investigated, &content.learned, &content.completed];
    if outcomes.iter().any(|text| !text.trim().is_empty()) {
        return false;
    }
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let mut left = format!("{}\n{}", content.next_steps, content.notes);
    for label in UNANSWERED {
        left = left.replace(label, " ");
    }
    let asked = words(&content.request);
    words(&left).iter().all(|word| asked.contains(word))
}

fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // A character has at most four bytes, white space that goes away gets some room.
    cut_chars(&one_line(prefix(line.trim(), TITLE_CHARS * 8)), TITLE_CHARS)
}

fn files(first: &[String], then: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(first.len() + then.len());
    for file in first.iter().chain(then) {
        if !all.contains(file) {
            all.push(file.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::testing::{memory, observation, summary};

    #[test]
    fn an_observation_tells_all_its_parts() {
        let mut row = observation(1, "Queue drops jobs", 0);
        row.content.subtitle = "after a restart".into();
        row.content.narrative = "The lease was lost.".into();
        row.content.facts = vec!["Leases live in memory".into(), " ".into()];
        row.content.files_modified = vec!["a.rs".into()];
        row.content.files_read = vec!["b.rs".into(), "a.rs".into()];
        let text = RowText::of(&RowBody::Observation(row));
        assert_eq!(text.title, "Queue drops jobs");
        assert_eq!(text.text, "after a restart\nThe lease was lost.\nLeases live in memory");
        assert_eq!(text.files, ["a.rs", "b.rs"]);
    }

    #[test]
    fn a_summary_is_labelled_and_a_bare_title_is_text_too() {
        let mut row = summary(3, 7, 0);
        row.content.request = "Fix the queue\nplease".into();
        row.content.next_steps = "Write tests".into();
        let text = RowText::of(&RowBody::Summary(row));
        assert_eq!(text.title, "Fix the queue");
        assert_eq!(text.text, "Request: Fix the queue\nplease\nNext steps: Write tests");
        assert_eq!(
            RowText::of(&RowBody::Observation(observation(1, "Only this", 0))).text,
            "Only this"
        );
    }

    #[test]
    fn a_snippet_says_what_the_title_does_not() {
        let mut row = observation(1, "Queue drops jobs", 0);
        assert_eq!(RowText::of(&RowBody::Observation(row.clone())).snippet(), "");
        row.content.narrative = "The lease\nwas lost.".into();
        assert_eq!(RowText::of(&RowBody::Observation(row)).snippet(), "The lease was lost.");
        let mut row = summary(3, 7, 0);
        row.content.request = "Fix the queue".into();
        row.content.next_steps = "Write tests".into();
        assert_eq!(RowText::of(&RowBody::Summary(row)).snippet(), "Next steps: Write tests");
        let row = memory(4, "Use tabs here\nreally", 0);
        assert_eq!(RowText::of(&RowBody::Memory(row)).snippet(), "really");
        let long = memory(4, &"🦀 ".repeat(10_000), 0);
        let snippet = RowText::of(&RowBody::Memory(long)).snippet();
        assert!(snippet.chars().count() <= SNIPPET_CHARS && snippet.ends_with('…'), "{snippet}");
    }

    #[test]
    fn a_memory_without_a_title_shows_its_first_line() {
        let row = memory(4, "\n  Use tabs here  \nreally", 0);
        assert_eq!(RowText::of(&RowBody::Memory(row)).title, "Use tabs here");
        let long = memory(4, &"🦀".repeat(10_000), 0);
        assert_eq!(RowText::of(&RowBody::Memory(long)).title.chars().count(), TITLE_CHARS);
    }
}
