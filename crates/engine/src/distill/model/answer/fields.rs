//! A block taken apart into its fields.

use std::collections::BTreeSet;

use afterword_domain::privacy::clean;
use afterword_domain::summary::SummaryContent;
use afterword_domain::text::{cut_chars, one_line};

use super::tags::{self, decoded};
use super::{Claim, Standing};

/// Characters of a title and of a subtitle.
const LINE: usize = 120;

/// Characters of a narrative, and of a field of a summary.
const STORY: usize = 1_500;

/// Characters of a fact.
const FACT: usize = 300;

/// Facts of a claim.
const MOST_FACTS: usize = 10;

/// Concepts of a claim.
const MOST_CONCEPTS: usize = 8;

/// Files of a claim.
const MOST_FILES: usize = 100;

/// The highest number that evidence may have.
const MOST_EVIDENCE: usize = 10_000;

/// Fields that are looked for in one block, and items in one list.
const MOST_MARKS: usize = 120;

const OF_CLAIM: [&str; 10] = [
    "type",
    "title",
    "subtitle",
    "facts",
    "narrative",
    "concepts",
    "files_read",
    "files_modified",
    "evidence",
    "standing",
];

const OF_SUMMARY: [&str; 6] =
    ["request", "investigated", "learned", "completed", "next_steps", "notes"];

/// The observation in a block; none when it says nothing.
pub(super) fn claim(body: &str) -> Option<Claim> {
    let mut claim = Claim::default();
    for (name, inner) in fields(body, &OF_CLAIM) {
        match name {
            "type" => set(&mut claim.r#type, word(&line(inner, 40))),
            "title" => set(&mut claim.title, line(inner, LINE)),
            "subtitle" => set(&mut claim.subtitle, line(inner, LINE)),
            "narrative" => set(&mut claim.narrative, story(inner)),
            "facts" => claim.facts.extend(items(inner, "fact", false)),
            "concepts" => claim.concepts.extend(items(inner, "concept", true)),
            "files_read" => claim.files_read.extend(items(inner, "file", true)),
            "files_modified" => claim.files_modified.extend(items(inner, "file", true)),
            "evidence" => claim.evidence.extend(numbers(inner)),
            "standing" => claim.standing = claim.standing.or_else(|| standing(inner)),
            _ => {}
        }
    }
    tidy(&mut claim);
    let says = !claim.title.is_empty();
    says.then_some(claim)
}

fn tidy(claim: &mut Claim) {
    claim.facts.truncate(MOST_FACTS);
    claim.facts.iter_mut().for_each(|fact| *fact = cut_chars(fact, FACT));
    let mut seen = BTreeSet::new();
    let concepts = claim.concepts.iter().map(|c| word(c.split([':', '：']).next().unwrap_or(c)));
    claim.concepts = concepts
        .filter(|c| !c.is_empty() && *c != claim.r#type && seen.insert(c.clone()))
        .take(MOST_CONCEPTS)
        .collect();
    claim.files_read.truncate(MOST_FILES);
    claim.files_modified.truncate(MOST_FILES);
    claim.evidence = claim.evidence.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    if claim.title.is_empty() {
        let told = [claim.narrative.as_str(), claim.facts.first().map_or("", String::as_str)];
        let told = told.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        claim.title = cut_chars(&one_line(told), LINE);
    }
}

/// The summary in a block; none when it says nothing.
pub(super) fn summary(body: &str) -> Option<SummaryContent> {
    let mut summary = SummaryContent::default();
    for (name, inner) in fields(body, &OF_SUMMARY) {
        let field = match name {
            "request" => &mut summary.request,
            "investigated" => &mut summary.investigated,
            "learned" => &mut summary.learned,
            "completed" => &mut summary.completed,
            "next_steps" => &mut summary.next_steps,
            _ => &mut summary.notes,
        };
        set(field, story(inner));
    }
    (summary != SummaryContent::default()).then_some(summary)
}

/// The fields of a block in order. One that nobody closed ends where the next begins.
pub(super) fn fields<'a>(body: &'a str, names: &[&'static str]) -> Vec<(&'static str, &'a str)> {
    let mut found = Vec::new();
    let mut from = 0;
    for _ in 0..MOST_MARKS {
        let Some(tag) = tags::open(body, from, names) else { break };
        if tag.closed {
            from = tag.end;
            continue;
        }
        let (end, after) = match tags::close(body, tag.end, tag.name) {
            Some((start, after)) if !reopened(body, &tag, start) => (start, after),
            _ => {
                let next = tags::open(body, tag.end, names).map_or(body.len(), |next| next.start);
                (next, next)
            }
        };
        found.push((tag.name, &body[tag.end..end]));
        from = after;
    }
    found
}

/// Whether a field begins again before its first closing mark, which is then another one's.
fn reopened(body: &str, tag: &tags::Tag, close: usize) -> bool {
    tags::open(body, tag.end, &[tag.name]).is_some_and(|again| again.start < close)
}

/// The items of a list: marked ones, else its lines, and the words between commas where `split`.
fn items(inner: &str, name: &'static str, split: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut from = 0;
    for _ in 0..MOST_MARKS {
        let Some(tag) = tags::open(inner, from, &[name]) else { break };
        let close = tags::close(inner, tag.end, name).map_or(inner.len(), |(start, _)| start);
        let next = tags::open(inner, tag.end, &[name]).map_or(inner.len(), |next| next.start);
        from = close.min(next);
        if !tag.closed {
            found.push(line(&inner[tag.end..from], STORY));
        }
    }
    if found.is_empty() {
        let lines = inner.lines().flat_map(|line| {
            let parts: Vec<&str> =
                if split { line.split([',', '，', '、']).collect() } else { vec![line] };
            parts
        });
        found = lines.map(|part| line(bare(part), STORY)).collect();
    }
    found.retain(|item| !item.is_empty() && !is_nothing(item));
    found
}

/// An item without its bullet.
fn bare(item: &str) -> &str {
    item.trim().trim_start_matches(['-', '*', '•', '·']).trim_start()
}

/// What models write where there is nothing.
fn is_nothing(text: &str) -> bool {
    let lower = text.trim().trim_end_matches('.').to_ascii_lowercase();
    matches!(lower.as_str(), "none" | "n/a" | "na" | "-" | "..." | "…" | "empty" | "无" | "没有")
}

/// Fills a field that is still empty.
fn set(field: &mut String, value: String) {
    if field.is_empty() && !is_nothing(&value) {
        *field = value;
    }
}

fn plain(text: &str) -> String {
    let text = clean(&decoded(text));
    text.chars().filter(|c| !c.is_control() || *c == '\n').collect()
}

pub(super) fn line(text: &str, most: usize) -> String {
    cut_chars(&one_line(&plain(text)), most)
}

/// Text of several lines, without empty ones.
fn story(text: &str) -> String {
    let text = plain(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    cut_chars(&lines.join("\n"), STORY)
}

/// A word of a mode: lower case, hyphens for blanks.
fn word(text: &str) -> String {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<&str> = text.split([' ', '_']).filter(|w| !w.is_empty()).collect();
    cut_chars(&words.join("-"), 40)
}

/// Numbers and ranges of numbers in a text.
pub(super) fn numbers(text: &str) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut range = false;
    let mut digits = String::new();
    for c in text.chars().take(2_000).chain([' ']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if let Ok(n) = digits.parse::<usize>()
            && (1..=MOST_EVIDENCE).contains(&n)
        {
            let from = if range { found.last().map_or(n, |last| last + 1) } else { n };
            // A range that leads back, or far, is two numbers.
            let from = if from > n || n - from > 50 { n } else { from };
            found.extend(from..=n);
        }
        if !digits.is_empty() || !c.is_whitespace() {
            range = matches!(c, '-' | '–' | '—');
        }
        digits.clear();
    }
    found
}

fn standing(text: &str) -> Option<Standing> {
    let text = line(text, 200).to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["hypothe", "unconfirmed", "unverified", "assum", "假设", "推测", "未证实"]) {
        Some(Standing::Hypothesis)
    } else if says(&["refuted", "disproved", "disproven", "wrong", "推翻", "否定"]) {
        Some(Standing::Refuted)
    } else if says(&["confirmed", "verified", "proven", "证实", "确认"]) {
        Some(Standing::Confirmed)
    } else {
        None
    }
}
