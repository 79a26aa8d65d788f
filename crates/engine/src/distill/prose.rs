//! Prose in answers and prompts: lines, sentences, headings, without code and tables.

use std::borrow::Cow;

use afterword_domain::text::{cut_chars, one_line};

/// What machines put into prompts and answers; never taken as words of a person or an agent.
const INJECTED: [&str; 8] = [
    "afterword-context",
    "system-reminder",
    "task-notification",
    "local-command-stdout",
    "local-command-caveat",
    "ide_opened_file",
    "ide_selection",
    "command-message",
];

/// Sentences that are looked at in one text.
const MAX_SENTENCES: usize = 400;

/// A sentence with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// The words on one line, without marks of Markdown.
    pub(crate) text: String,
    /// Equal for sentences of one paragraph or list item.
    pub(crate) paragraph: usize,
    /// Stands in a list.
    pub(crate) bullet: bool,
    /// A box in a list: ticked or not.
    pub(crate) ticked: Option<bool>,
    /// A heading.
    pub(crate) heading: bool,
}

/// The text without injected blocks; an unclosed block goes to the end of the text.
pub(super) fn without_injected(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut rest = text;
    let mut changed = false;
    'next: while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        for name in INJECTED {
            if !tag.starts_with(name) {
                continue;
            }
            out.push_str(&rest[..at]);
            changed = true;
            let close = format!("</{name}>");
            rest = tag.find(&close).map_or("", |end| &tag[end + close.len()..]);
            continue 'next;
        }
        out.push_str(&rest[..=at]);
        rest = tag;
    }
    if !changed {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The sentences of a text, without code blocks, tables, quotes and rules.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let mut out = Vec::new();
    let mut fenced = false;
    let mut paragraph = 0;
    let mut after_blank = true;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            paragraph += 1;
            continue;
        }
        if fenced || line.starts_with(['|', '>']) {
            continue;
        }
        if line.is_empty() || line.starts_with("[… ") || !line.chars().any(char::is_alphanumeric)
        {
            paragraph += usize::from(!after_blank);
            after_blank = true;
            continue;
        }
        let shape = Shape::of(line);
        if shape.bullet || shape.heading {
            paragraph += usize::from(!after_blank);
        }
        let body = unmarked(shape.body);
        for piece in split_sentences(&body) {
            out.push(Sentence {
                text: one_line(piece),
                paragraph,
                bullet: shape.bullet,
                ticked: shape.ticked,
                heading: shape.heading,
            });
            if out.len() >= MAX_SENTENCES {
                return out;
            }
        }
        after_blank = shape.heading;
        paragraph += usize::from(shape.heading);
    }
    out
}

struct Shape<'a> {
    body: &'a str,
    bullet: bool,
    ticked: Option<bool>,
    heading: bool,
}

impl<'a> Shape<'a> {
    fn of(line: &'a str) -> Self {
        if line.starts_with('#') {
            let body = line.trim_start_matches('#').trim();
            return Self { body, bullet: false, ticked: None, heading: true };
        }
        let mut body = line;
        let mut bullet = false;
        for mark in ["- ", "* ", "• ", "+ ", "– "] {
            if let Some(rest) = body.strip_prefix(mark) {
                body = rest.trim_start();
                bullet = true;
                break;
            }
        }
        let digits = body.bytes().take_while(u8::is_ascii_digit).count();
        if !bullet && (1..=2).contains(&digits) {
            let rest = &body[digits..];
            let rest = rest
                .strip_prefix(". ")
                .or_else(|| rest.strip_prefix(") "))
                .or_else(|| rest.strip_prefix('、'));
            if let Some(rest) = rest {
                body = rest.trim_start();
                bullet = true;
            }
        }
        let mut ticked = None;
        for (mark, on) in
            [("[ ]", false), ("[x]", true), ("[X]", true), ("☐", false), ("☑", true), ("✅", true)]
        {
            if let Some(rest) = body.strip_prefix(mark) {
                body = rest.trim_start();
                ticked = (bullet || mark.len() == 3).then_some(on);
                break;
            }
        }
        let heading = !bullet && is_bold_line(body);
        Self { body, bullet, ticked, heading }
    }
}

/// `**Next steps**` or `**Next steps:**` alone on a line is a heading too.
fn is_bold_line(line: &str) -> bool {
    let inner = line.trim_end_matches([':', '：']);
    inner.len() > 4
        && inner.starts_with("**")
        && inner.ends_with("**")
        && !inner[2..inner.len() - 2].contains("**")
}

/// The line without bold marks, links' targets and leading pictures.
fn unmarked(line: &str) -> String {
    let line = line.replace("**", "");
    let line = line
        .trim_start_matches(|c: char| !c.is_alphanumeric() && !"`'\"(<[/.~@$#-“「《（".contains(c));
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        let (head, tail) = (&rest[..at], &rest[at + 2..]);
        let Some(end) = tail.find(')') else { break };
        if let Some(open) = head.rfind('[') {
            out.push_str(&head[..open]);
            out.push_str(&head[open + 1..]);
        } else {
            out.push_str(head);
        }
        rest = &tail[end + 1..];
    }
    out.push_str(rest);
    out
}

const ABBREVIATIONS: [&str; 6] = ["e.g", "i.e", "etc", "vs", "cf", "approx"];

/// Splits where a sentence ends and another begins; the mark stays with its sentence.
fn split_sentences(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        let ends = match c {
            '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' => {
                let rest = &line[end..];
                let next = rest.trim_start().chars().next();
                rest.starts_with(' ')
                    && next.is_some_and(|n| !n.is_ascii_lowercase())
                    && !ABBREVIATIONS.iter().any(|a| line[start..at].ends_with(a))
            }
            _ => false,
        };
        if ends {
            out.push(line[start..end].trim());
            start = end;
        }
    }
    out.push(line[start..].trim());
    out.retain(|s| s.chars().any(char::is_alphanumeric));
    out
}

/// Files for a title or a list: at most `most` names, and how many more there are.
pub(super) fn listed(items: &[String], most: usize, max_chars: usize) -> String {
    let mut out = String::new();
    let mut shown = 0;
    for item in items.iter().take(most) {
        let gap = if out.is_empty() { "" } else { ", " };
        if shown > 0 && out.chars().count() + item.chars().count() + 2 > max_chars {
            break;
        }
        out.push_str(gap);
        out.push_str(item);
        shown += 1;
    }
    if shown < items.len() {
        out.push_str(" +");
        out.push_str(&(items.len() - shown).to_string());
    }
    out
}

/// Lines joined until `max_chars`, whole lines only; the first is cut when it alone is too long.
pub(super) fn joined(lines: &[String], gap: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut chars = 0;
    for line in lines.iter().filter(|l| !l.is_empty()) {
        let more = line.chars().count() + if out.is_empty() { 0 } else { gap.chars().count() };
        if chars + more > max_chars {
            if out.is_empty() {
                return cut_chars(line, max_chars);
            }
            break;
        }
        if !out.is_empty() {
            out.push_str(gap);
        }
        out.push_str(line);
        chars += more;
    }
    out
}
