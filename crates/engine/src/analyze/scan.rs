//! A text into runs: compounds of word characters and joiners, and runs written without blanks.

use unicode_normalization::char::is_combining_mark;

use super::emit::{Emitter, Sink};
use super::fold::fold;

/// What the tokens are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Everything that any query may ask for.
    Index,
    /// No single characters beside their pairs.
    Query,
}

/// Hands every token of the text to `sink` until it answers no more.
pub(super) fn analyze(text: &str, purpose: Purpose, sink: &mut Sink<'_>) {
    let folded = fold(text);
    let text: &str = &folded;
    let mut emitter = Emitter::new(sink);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = if is_blankless(c) {
            let end = at + run_len(&text[at..], is_blankless);
            emit_pairs(&text[at..end], purpose, &mut emitter);
            end
        } else if is_word(c) {
            let end = compound_end(text, at);
            let start = if c.is_ascii_digit() && text[..at].ends_with('#') { at - 1 } else { at };
            emitter.compound(&text[start..end]);
            end
        } else {
            at + c.len_utf8()
        };
        if emitter.is_full() {
            return;
        }
        at = end;
    }
}

/// Scripts that put no blanks between words.
pub(crate) fn is_blankless(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    matches!(u32::from(c),
        0x0e01..=0x0e3a | 0x0e40..=0x0e4e | 0x0e81..=0x0edf | 0x1000..=0x109f | 0x1780..=0x17d3
        | 0x1100..=0x11ff | 0x3005..=0x3007 | 0x3041..=0x309f | 0x30a1..=0x30fa | 0x30fc..=0x30ff
        | 0x3105..=0x312f | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af
        | 0xf900..=0xfaff | 0x20000..=0x323af)
}

fn is_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { c.is_alphanumeric() && !is_blankless(c) }
}

fn run_len(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.char_indices().find(|&(_, c)| !wanted(c)).map_or(text.len(), |(i, _)| i)
}

fn words_len(text: &str) -> usize {
    run_len(text, |c| is_word(c) || (!c.is_ascii() && is_combining_mark(c) && !is_blankless(c)))
}

/// Where the compound ends that starts at `start`: words, and joiners that stand between two.
fn compound_end(text: &str, start: usize) -> usize {
    let mut end = start + words_len(&text[start..]);
    loop {
        let rest = &text[end..];
        let joiner = joiner_len(rest);
        let next = words_len(&rest[joiner..]);
        if joiner == 0 || next == 0 || !rest[joiner..].starts_with(is_word) {
            return end + language_suffix(&text[start..end], rest);
        }
        end += joiner + next;
    }
}

fn joiner_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    match bytes.first() {
        Some(b'_') => bytes.iter().take_while(|b| **b == b'_').count(),
        Some(b'-' | b'.' | b'/' | b'\\' | b'#' | b'@' | b'\'') => 1,
        Some(b':') if bytes.get(1) == Some(&b':') => 2,
        _ if rest.starts_with('\u{2019}') => 3,
        _ => 0,
    }
}

/// The tail of `C++`, `g++`, `C#` and `F#`.
fn language_suffix(word: &str, rest: &str) -> usize {
    let ends = |len: usize| !rest[len..].starts_with(|c: char| is_word(c) || c == '+' || c == '#');
    if word.len() <= 3 && rest.starts_with("++") && ends(2) {
        2
    } else {
        usize::from(word.len() == 1 && rest.starts_with('#') && ends(1))
    }
}

fn emit_pairs(run: &str, purpose: Purpose, emitter: &mut Emitter<'_, '_>) {
    let mut chars = run.char_indices().map(|(i, c)| (i, i + c.len_utf8())).peekable();
    let alone = run.chars().nth(1).is_none();
    while let Some((start, end)) = chars.next() {
        if alone || purpose == Purpose::Index {
            emitter.plain(&run[start..end]);
        }
        if let Some(&(_, next_end)) = chars.peek() {
            emitter.plain(&run[start..next_end]);
        }
        if emitter.is_full() {
            return;
        }
    }
}
