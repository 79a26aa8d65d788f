//! Which words of a row were asked for, and the part of its text that holds most of them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use afterword_domain::text::{cut_chars, one_line, prefix};
use afterword_domain::wire::search::{Highlight, Part, SearchAnswer};

use crate::analyze;

/// Most characters of a snippet without its ellipses.
const SNIPPET: usize = 238;

/// Characters that a snippet shows before its first match.
const LEAD: usize = 40;

/// Bytes of a text that are looked through.
const LOOKED_THROUGH: usize = 32 * 1024;

/// Bytes of all texts of an answer that are looked through; what comes later shows its beginning.
const IN_ALL: usize = 2 << 20;

/// Words of a row that are named, and most characters of each.
const WORDS: usize = 12;
const WORD: usize = 40;

/// Words that are remembered as asked for or not.
const REMEMBERED: usize = 50_000;

/// Adds to every result what of it matched; nothing where the query has no words.
///
/// Takes time in proportion to the texts, of which at most 2 MB are looked through.
pub fn highlight(query: &str, answer: &mut SearchAnswer) {
    let mut asked = Asked::new(query);
    if asked.terms.is_empty() {
        return;
    }
    let mut left = IN_ALL;
    for result in &mut answer.results {
        let title = one_line(&result.title);
        let text = one_line(prefix(&result.text, LOOKED_THROUGH.min(left)));
        left = left.saturating_sub(text.len());
        let snippet = if text == title { Vec::new() } else { asked.snippet(&text) };
        let words = asked.words_of([&title, &text].into_iter().chain(&result.files));
        result.highlight = Some(Highlight { title: asked.parts(&title), snippet, words });
    }
}

/// The words of a question, and the words of texts that are known to be among them or not.
struct Asked {
    terms: HashSet<String>,
    known: HashMap<String, bool>,
}

impl Asked {
    fn new(query: &str) -> Self {
        let terms = analyze::query_terms(query).into_iter().collect();
        Self { terms, known: HashMap::new() }
    }

    /// Whether a word of a text, or a pair of characters, is found by the question.
    fn is_asked(&mut self, word: &str) -> bool {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let asked = analyze::query_terms(word).iter().any(|term| self.terms.contains(term));
        if self.known.len() < REMEMBERED {
            self.known.insert(word.to_owned(), asked);
        }
        asked
    }

    /// The places of the words that were asked for, in order; those that a joiner holds together are
    /// one.
    fn matches(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for word in words(text) {
            let Some(word) = self.asked_part(text, word) else { continue };
            match found.last_mut() {
                Some(last) if is_joined(text, last.end, word.start) => last.end = word.end,
                _ => found.push(word),
            }
        }
        found
    }

    /// The word; of a pair its first character, where only that was asked for.
    fn asked_part(&mut self, text: &str, word: Range<usize>) -> Option<Range<usize>> {
        if self.is_asked(&text[word.clone()]) {
            return Some(word);
        }
        let first = text[word.clone()].chars().next().filter(|c| analyze::is_blankless(*c))?;
        let alone = word.start..word.start + first.len_utf8();
        self.is_asked(&text[alone.clone()]).then_some(alone)
    }

    fn parts(&mut self, text: &str) -> Vec<Part> {
        let matches = self.matches(text);
        parts_of(text, 0..text.len(), &matches)
    }

    /// The words of texts that were asked for, as they are written, each once.
    fn words_of<'t>(&mut self, texts: impl Iterator<Item = &'t String>) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for text in texts {
            for found in self.matches(text) {
                let word = cut_chars(&text[found], WORD);
                let same = |known: &String| known.to_lowercase() == word.to_lowercase();
                if !words.iter().any(same) {
                    words.push(word);
                }
                if words.len() == WORDS {
                    return words;
                }
            }
        }
        words
    }

    /// The part of a text on one line that holds the most of the words, each counted once.
    fn snippet(&mut self, text: &str) -> Vec<Part> {
        let matches = self.matches(text);
        let shown = window(text, &matches);
        let mut parts = parts_of(text, shown.clone(), &matches);
        if shown.start > 0 {
            parts.insert(0, Part { text: "…".into(), matched: false });
        }
        if shown.end < text.len() {
            parts.push(Part { text: "…".into(), matched: false });
        }
        parts
    }
}

/// Runs of letters and digits, and in scripts without blanks every pair of neighbours.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let first = rest.chars().next()?;
            let start = at;
            if analyze::is_blankless(first) {
                let second = rest[first.len_utf8()..].chars().next();
                let second = second.filter(|c| analyze::is_blankless(*c));
                at += first.len_utf8();
                return Some(start..at + second.map_or(0, char::len_utf8));
            }
            let is_word = |c: char| c.is_alphanumeric() && !analyze::is_blankless(c);
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            if length > 0 {
                at += length;
                return Some(start..at);
            }
            at += first.len_utf8();
        }
    })
}

/// Whether two matches overlap, touch, or have one joiner between them.
fn is_joined(text: &str, end: usize, start: usize) -> bool {
    start <= end || matches!(&text[end..start], "_" | "-" | "." | "/" | "::" | "#" | "@")
}

/// The span of at most [`SNIPPET`] characters with the most different words, the first of several.
fn window(text: &str, matches: &[Range<usize>]) -> Range<usize> {
    let best = (0..matches.len())
        .max_by_key(|first| {
            let span = span_from(text, matches[*first].start);
            let inside = matches[*first..].iter().take_while(|found| found.end <= span.end);
            let words: HashSet<String> =
                inside.map(|found| text[found.clone()].to_lowercase()).collect();
            (words.len(), usize::MAX - first)
        })
        .map_or(0, |first| matches[first].start);
    span_from(text, best)
}

/// The span shown around a first match, from the beginning of a word to the end of one.
fn span_from(text: &str, first: usize) -> Range<usize> {
    let lead = text[..first].char_indices().rev().take(LEAD).last().map_or(first, |(at, _)| at);
    let start = match lead {
        0 => 0,
        // The rest of a word that is cut goes; a script without blanks has no such rest.
        lead => text[lead..first].find(' ').map_or(lead, |blank| lead + blank + 1),
    };
    let mut ends = text[start..].char_indices().skip(SNIPPET).map(|(at, _)| start + at);
    let Some(end) = ends.next() else {
        // All the rest has room, and so more of what stands before it.
        let room = SNIPPET.saturating_sub(text[start..].chars().count());
        let earlier = text[..start].char_indices().rev().take(room).last();
        let earlier = earlier.map_or(start, |(at, _)| at);
        let earlier = match earlier {
            0 => 0,
            at => text[at..start].find(' ').map_or(start, |blank| at + blank + 1),
        };
        return earlier..text.len();
    };
    let kept = &text[start..end];
    let end = kept.rfind(' ').filter(|at| start + at > first).map_or(end, |at| start + at);
    start..end
}

fn parts_of(text: &str, shown: Range<usize>, matches: &[Range<usize>]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut push = |text: &str, matched: bool| {
        if !text.is_empty() {
            parts.push(Part { text: text.to_owned(), matched });
        }
    };
    let mut at = shown.start;
    for found in matches {
        let (start, end) = (found.start.max(at), found.end.min(shown.end));
        if start < end {
            push(&text[at..start], false);
            push(&text[start..end], true);
            at = end;
        }
    }
    push(&text[at..shown.end], false);
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marked(parts: &[Part]) -> String {
        parts
            .iter()
            .map(|p| if p.matched { format!("[{}]", p.text) } else { p.text.clone() })
            .collect()
    }

    fn title(query: &str, text: &str) -> String {
        marked(&Asked::new(query).parts(text))
    }

    #[test]
    fn words_are_marked_in_every_form_that_finds_them() {
        assert_eq!(title("retries", "Retry it; the retryQueue"), "[Retry] it; the [retryQueue]");
        assert_eq!(title("retry_queue", "in src/retry_queue.rs"), "in src/[retry_queue].rs");
        assert_eq!(title("the of", "the end of it"), "[the] end [of] it");
        assert_eq!(title("重试队列", "修复了重试队列的问题"), "修复了[重试队列]的问题");
        assert_eq!(title("队", "队列 a队"), "[队]列 a[队]");
        assert_eq!(title("zebra", "nothing here 🦀"), "nothing here 🦀");
    }

    #[test]
    fn the_words_of_a_row_are_named_as_they_are_written() {
        let texts = ["Retried, retries; the retryQueue".into(), "RETRIES 重试队列 a".into()];
        let words = |query: &str| Asked::new(query).words_of(texts.iter());
        assert_eq!(words("retry queue"), ["Retried", "retries", "retryQueue"]);
        assert_eq!(words("重试的队列"), ["重试队列"]);
        assert!(words("zebra").is_empty());
        let many = (0..20).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(Asked::new(&many).words_of([&many].into_iter()).len(), WORDS);
    }

    #[test]
    fn a_snippet_stands_where_most_of_the_words_are() {
        let far = "word ".repeat(200);
        let text = format!("retry alone. {far}the queue of the retry is full. {far}");
        let shown = marked(&Asked::new("retry queue full").snippet(text.trim()));
        assert!(shown.contains("the [queue] of the [retry] is [full]."), "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        let end = format!("{far}the retry queue");
        let shown = marked(&Asked::new("queue").snippet(&end));
        assert!(shown.ends_with("the retry [queue]") && shown.len() > 200, "{shown}");
        assert_eq!(marked(&Asked::new("zebra").snippet("short")), "short");
    }

    proptest! {
        #[test]
        fn any_text_gives_its_own_pieces(text in "\\PC*|(retry |队列|🦀|a_b ){0,300}", query in "retry|队列 a|b") {
            let mut asked = Asked::new(&query);
            let joined: String = asked.parts(&text).into_iter().map(|part| part.text).collect();
            prop_assert_eq!(&joined, &text);
            let snippet: String = asked.snippet(&text).into_iter().map(|part| part.text).collect();
            prop_assert!(snippet.chars().count() <= SNIPPET + 2);
            prop_assert!(text.contains(snippet.trim_matches('…')) || text.contains('…'));
        }
    }
}
