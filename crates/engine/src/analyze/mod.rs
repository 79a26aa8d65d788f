//! Text into tokens: one analyzer for indexing and for queries, on every backend.
//!
//! The databases never tokenise: they are given these tokens, separated by blanks, and are asked
//! for these terms. A token holds letters and digits of any script in lower case, and of other
//! characters only the joiners `_ - . / # @ :` between them and a trailing `++` or `#`; no blank,
//! quote or control character ever, and never more than 64 bytes.
//!
//! Runs of scripts that are written without blanks (Han, Kana, Hangul, Thai, …) become overlapping
//! pairs of characters. The index holds each single character of such a run too, so that a query
//! of one character finds it; queries use single characters only for runs of length one.

mod emit;
mod fold;
mod key;
mod scan;
mod stop;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use afterword_store::contract::IndexDoc;

pub use key::text_key;

pub(crate) use scan::is_blankless;
use scan::{Purpose, analyze};

/// Tokens of one text that are kept with their repeats.
const MAX_TOKENS: usize = 20_000;

/// Tokens of one text in all: beyond [`MAX_TOKENS`] only those that are new go in, so that a word
/// far down in a long text is still found.
const MAX_WITH_NEW: usize = 2 * MAX_TOKENS;

/// Terms of one question.
const MAX_TERMS: usize = 32;

/// Terms of a long question that are looked through for names of files.
const LOOK_THROUGH: usize = 160;

/// The tokens of a text as they go into the index, in order, repeats kept.
///
/// At most 20,000 tokens, and of a longer text another 20,000 that were not among them.
pub fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_index_token(text, |token| out.push(token.to_owned()));
    out
}

/// Whether terms say nothing by themselves: all of them are stop words.
pub(crate) fn say_nothing(terms: &[String]) -> bool {
    terms.iter().all(|term| stop::is_stop_word(term))
}

/// Whether a term is the name or the path of a file, as far as one can tell: two folders or more,
/// or an ending of up to four letters.
pub(crate) fn names_file(term: &str) -> bool {
    let ending = |(stem, ending): (&str, &str)| {
        stem.len() > 1
            && (1..=4).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_lowercase())
            && !stem.ends_with(['/', '.'])
    };
    term.bytes().filter(|b| *b == b'/').count() > 1 || term.rsplit_once('.').is_some_and(ending)
}

/// The distinct terms of a question, stop words dropped, at most 32: those that come first, but of
/// a longer question rather the names of files, which say what it is about.
///
/// A question of nothing but stop words keeps them.
pub fn query_terms(text: &str) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut stopped: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    analyze(text, Purpose::Query, &mut |token| {
        if seen.contains(token) {
            return true;
        }
        seen.insert(token.to_owned());
        let list = if stop::is_stop_word(token) { &mut stopped } else { &mut kept };
        if list.len() < LOOK_THROUGH {
            list.push(token.to_owned());
        }
        kept.len() < LOOK_THROUGH
    });
    most_telling(if kept.is_empty() { stopped } else { kept })
}

/// At most [`MAX_TERMS`] terms, in their order.
fn most_telling(terms: Vec<String>) -> Vec<String> {
    let files = terms.iter().filter(|term| names_file(term)).count().min(MAX_TERMS);
    let (mut files, mut others) = (files, MAX_TERMS - files);
    let keep = |term: &String| {
        let left = if names_file(term) { &mut files } else { &mut others };
        let keeps = *left > 0;
        *left = left.saturating_sub(1);
        keeps
    };
    terms.into_iter().filter(keep).collect()
}

/// The index entry of a row.
pub fn index_doc(title: &str, text: &str, files: &[String]) -> IndexDoc {
    let mut file_tokens = String::new();
    for file in files {
        append_tokens(file, &mut file_tokens);
    }
    IndexDoc { title: joined(title), text: joined(text), files: file_tokens }
}

fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    append_tokens(text, &mut out);
    out
}

fn append_tokens(text: &str, out: &mut String) {
    each_index_token(text, |token| {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(token);
    });
}

fn each_index_token(text: &str, mut take: impl FnMut(&str)) {
    let mut count = 0;
    let mut all = 0;
    let mut seen: Option<HashSet<String>> = None;
    analyze(text, Purpose::Index, &mut |token| {
        all += 1;
        if all <= MAX_TOKENS {
            take(token);
            count += 1;
            return true;
        }
        // What came before is not remembered: a repeat of it goes in at most once more.
        let seen = seen.get_or_insert_with(HashSet::new);
        if seen.insert(token.to_owned()) {
            take(token);
            count += 1;
        }
        count < MAX_WITH_NEW
    });
}
