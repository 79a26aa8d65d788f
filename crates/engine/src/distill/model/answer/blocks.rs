//! The blocks of an answer.

use super::tags;

/// Blocks that are looked for in one answer.
const MOST_BLOCKS: usize = 40;

/// Blocks that an answer is made of.
pub(super) const BLOCKS: [&str; 5] =
    ["observation", "summary", "skip_summary", "skip_observations", "skip"];

/// The blocks of an answer with what is in them; one that nobody closed ends where the next begins.
pub(super) fn blocks(text: &str) -> Vec<(&'static str, &str)> {
    blocks_of(text, &BLOCKS)
}

/// The same with blocks of these names.
pub(super) fn blocks_of<'t>(text: &'t str, names: &[&'static str]) -> Vec<(&'static str, &'t str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(tag) = tags::open(text, from, names).filter(|_| found.len() < MOST_BLOCKS) {
        if tag.closed {
            found.push((tag.name, ""));
            from = tag.end;
            continue;
        }
        let close = tags::close(text, tag.end, tag.name);
        let next = next_block(text, tag.end, names);
        let (end, after) = match (close, next) {
            (Some((start, _)), Some(next)) if next < start => (next, next),
            (Some((start, after)), _) => (start, after),
            (None, Some(next)) => (next, next),
            (None, None) => (text.len(), text.len()),
        };
        found.push((tag.name, &text[tag.end..end]));
        from = after;
    }
    found
}

/// Where the next block begins. Prose that names a block is none: a block goes on with a field.
fn next_block(text: &str, from: usize, names: &[&'static str]) -> Option<usize> {
    let mut at = from;
    while let Some(tag) = tags::open(text, at, names) {
        if tag.closed || text[tag.end..].trim_start().starts_with('<') {
            return Some(tag.start);
        }
        at = tag.end;
    }
    None
}
