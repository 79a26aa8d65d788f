//! A model's answer, read leniently: whatever can be understood is, and what is no answer at all is
//! told apart by what is to be done about it.
//!
//! `tags` finds marks in text that only resembles XML, `blocks` and `fields` take an answer apart,
//! `prose` says what one without a block means. Linear in the answer, and never panics.

mod blocks;
mod facts;
mod fields;
mod prose;
mod tags;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use afterword_domain::summary::SummaryContent;
use afterword_domain::text::prefix;

pub use facts::{FactsReading, StatedFact, read_facts};
pub use prose::Prose;

use blocks::{BLOCKS, blocks};
use tags::{decoded, without_thinking};

/// Bytes of an answer that are looked at.
const MOST_BYTES: usize = 200_000;

/// Observations that are taken from one answer.
const MOST_CLAIMS: usize = 12;

/// What an answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It says something.
    Said(Box<Said>),
    /// It says that there is nothing to record.
    Skipped,
    /// It holds no block.
    Prose(Prose),
}

/// What an answer says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Its observations, at most twelve.
    pub claims: Vec<Claim>,
    /// Its summary, without files.
    pub summary: Option<SummaryContent>,
}

/// An observation as the model claims it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Its type, a word in lower case; empty when none was given.
    pub r#type: String,
    /// One line; taken from the text below when none was given.
    pub title: String,
    /// One more line, or empty.
    pub subtitle: String,
    /// The story.
    pub narrative: String,
    /// Facts that stand alone.
    pub facts: Vec<String>,
    /// Words in lower case.
    pub concepts: Vec<String>,
    /// Files that it says were read.
    pub files_read: Vec<String>,
    /// Files that it says were changed.
    pub files_modified: Vec<String>,
    /// Numbers of the evidence that it cites, ascending.
    pub evidence: Vec<usize>,
    /// How sure it is, where it says so.
    pub standing: Option<Standing>,
}

/// How a claim stands at the end of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Thought, and not shown.
    Hypothesis,
    /// Shown by what happened.
    Confirmed,
    /// Thought, and shown to be wrong.
    Refuted,
}

/// Whether it is a page of the web: some have a block called `summary` of their own.
fn is_page(text: &str) -> bool {
    let head = prefix(text.trim_start(), 20).to_ascii_lowercase();
    head.starts_with("<!doctype html") || head.starts_with("<html")
}

/// Reads an answer.
pub fn read(answer: &str) -> Reading {
    let answer = without_thinking(prefix(answer, MOST_BYTES));
    if is_page(&answer) {
        return Reading::Prose(Prose::Noise);
    }
    let mut text = Cow::Borrowed(answer.as_ref());
    if tags::open(&text, 0, &BLOCKS).is_none() && text.contains("&lt;") {
        text = Cow::Owned(decoded(&text));
    }
    let blocks = blocks(&text);
    if blocks.is_empty() {
        return match prose::meaning(&text) {
            None => Reading::Skipped,
            Some(prose) => Reading::Prose(prose),
        };
    }
    let mut said = Said::default();
    for (name, body) in blocks {
        match name {
            "observation" if said.claims.len() < MOST_CLAIMS => {
                said.claims.extend(fields::claim(body));
            }
            "summary" if said.summary.is_none() => said.summary = fields::summary(body),
            _ => {}
        }
    }
    if said == Said::default() { Reading::Skipped } else { Reading::Said(Box::new(said)) }
}
