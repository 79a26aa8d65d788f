//! What a model is asked about messages.

use std::fmt::Write as _;

use afterword_domain::memory::Memory;
use afterword_domain::text::{cut_chars, head_and_tail, one_line};

use super::messages::Line;
use crate::distill::model::{Language, neutral};
use crate::provider::Ask;

/// Tokens of the answer, thinking included.
const TOKENS: u32 = 2_000;

/// Bytes that the messages take, and one of them.
const ROOM: usize = 12_000;
const ONE: usize = 4_000;

/// Characters of a known memory.
const KNOWN: usize = 300;

/// Characters of the caller's own wishes.
const WISHES: usize = 2_000;

/// Marks of this protocol, which nothing that is shown may hold.
const MARKS: [&str; 11] = [
    "known",
    "messages",
    "message",
    "fact",
    "text",
    "date",
    "replaces",
    "skip",
    "observation",
    "summary",
    "wishes",
];

/// The question about messages. The newest are kept where they do not all fit; `known` and messages
/// are numbered from 1.
pub(super) fn about(lines: &[Line], known: &[Memory], whose: &str, wishes: &str) -> Ask {
    let mut prompt = String::from("<known>\n");
    for (memory, number) in known.iter().zip(1..) {
        let text = shown(&cut_chars(&one_line(&memory.text), KNOWN));
        line(&mut prompt, format_args!("[{number}] ({}) {text}", memory.updated_at.date()));
    }
    prompt.push_str("</known>\n\n<messages>\n");
    if !whose.is_empty() {
        line(&mut prompt, format_args!("The memory belongs to: {}\n", shown(whose)));
    }
    let first = first_shown(lines);
    if first > 0 {
        line(&mut prompt, format_args!("[… {first} earlier messages left out …]"));
    }
    for (said, number) in lines.iter().zip(1..).skip(first) {
        let name = said.name.as_ref().map_or_else(String::new, |n| format!(" ({})", shown(n)));
        let (who, day) = (said.speaker.word(), said.day);
        let weekday = day.strftime("%A");
        line(&mut prompt, format_args!("[{number}] {who}{name}, {weekday} {day}:"));
        line(&mut prompt, format_args!("{}", shown(&head_and_tail(&said.text, ONE))));
    }
    prompt.push_str("</messages>\n\n");
    prompt.push_str(&Language::OfThePerson.told(&written(lines)));
    prompt.push_str(" Answer with the blocks only.");
    Ask { system: system(wishes), prompt, max_output_tokens: TOKENS }
}

/// What the speakers wrote, persons first: it tells the language.
fn written(lines: &[Line]) -> String {
    let of = |speaker| lines.iter().filter(move |line| line.speaker == speaker);
    let people = of(super::Speaker::User).chain(of(super::Speaker::Assistant));
    people.map(|line| line.text.as_str()).take(20).collect::<Vec<_>>().join("\n")
}

/// How many messages of the beginning do not fit.
fn first_shown(lines: &[Line]) -> usize {
    let mut left = ROOM;
    for (at, said) in lines.iter().enumerate().rev() {
        let bytes = said.text.len().min(ONE) + 60;
        if bytes > left {
            return at + 1;
        }
        left -= bytes;
    }
    0
}

fn system(wishes: &str) -> String {
    let role = include_str!("prompts/role.md").trim();
    let answer = include_str!("prompts/answer.md").trim();
    let wishes = cut_chars(wishes.trim(), WISHES);
    if wishes.is_empty() {
        return format!("{role}\n\n{answer}");
    }
    let wishes = shown(&wishes);
    format!("{role}\n\nThe keeper of this memory wishes besides:\n{wishes}\n\n{answer}")
}

fn shown(text: &str) -> String {
    neutral(text, &MARKS)
}

fn line(into: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(into, "{text}").expect("a string takes all");
}
