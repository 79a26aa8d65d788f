//! Facts without a model: a person's sentences that are worth keeping, told so that they stand
//! alone.
//!
//! `keep` says which sentences those are, `when` turns days that are counted from the message into
//! dates, `person` names whom the words are about. All of it is a pure function of the messages.

mod keep;
mod person;
mod when;
mod words;

use afterword_domain::text::cut_chars;

use super::messages::{Line, Speaker};
use super::{Fact, MOST_CHARS, MOST_FACTS};
use crate::distill::sentences;
use keep::Worth;
use person::Person;

/// Sentences of one message that are looked at: what comes later in a long one is material.
const SENTENCES: usize = 60;

/// The facts of messages. `of_agent`: the memory is an agent's, whose own words count too.
pub(super) fn facts(lines: &[Line], of_agent: bool) -> Vec<Fact> {
    let mut facts = Vec::new();
    for line in lines {
        let counts =
            line.speaker == Speaker::User || (of_agent && line.speaker == Speaker::Assistant);
        if counts {
            from_line(line, &mut facts);
        }
    }
    facts.truncate(MOST_FACTS);
    facts
}

fn from_line(line: &Line, facts: &mut Vec<Fact>) {
    // The last sentence of the line that was kept: what only points at it belongs to it.
    let mut before: Option<usize> = None;
    for sentence in sentences(&line.text).into_iter().take(SENTENCES) {
        if sentence.heading {
            continue;
        }
        let chinese = is_chinese(&sentence.text);
        let dated = when::dated(&sentence.text, line.day);
        match keep::worth(&sentence.text, dated.names_a_time) {
            Worth::Nothing => before = None,
            Worth::BelongsToBefore => {
                if let Some(at) = before {
                    join(&mut facts[at], &dated.text, chinese);
                }
            }
            Worth::Keeping(text) => {
                let text = if text == sentence.text {
                    dated.text.clone()
                } else {
                    when::dated(&text, line.day).text
                };
                let assistant = line.speaker == Speaker::Assistant;
                let person = Person::new(line.name.as_deref(), chinese, assistant);
                let told = capital(&person.told(text.trim()));
                before = Some(facts.len());
                facts.push(Fact {
                    text: cut_chars(&told, MOST_CHARS),
                    said_at: line.at,
                    said_by: line.speaker,
                    date: dated.day.map(|day| day.to_string()),
                });
            }
        }
    }
}

fn join(fact: &mut Fact, more: &str, chinese: bool) {
    let gap = if chinese { "" } else { " " };
    if fact.text.chars().count() + more.chars().count() < MOST_CHARS {
        fact.text = format!("{}{gap}{}", fact.text, more.trim());
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

fn is_chinese(text: &str) -> bool {
    let han = text.chars().filter(|c| matches!(c, '\u{3400}'..='\u{9fff}')).count();
    han > 1 && han * 5 >= text.chars().filter(|c| c.is_alphanumeric()).count()
}
