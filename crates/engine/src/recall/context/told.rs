//! What a block has said already, so that it says each thing once.

use std::collections::BTreeSet;
use std::ops::Bound;

/// A sentence with fewer letters may stand twice; Han letters count for three.
const LEAST: usize = 12;

/// Stands at the end of what was cut.
const CUT: char = '…';

/// The sentences that were said, each as a whole: of two that begin alike the newer may say otherwise at
/// its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    said: BTreeSet<String>,
}

impl Told {
    /// Takes every sentence of a text as said.
    pub(crate) fn note(&mut self, text: &str) {
        self.said.extend(sentences(text).filter_map(evened));
    }

    /// Whether a sentence was said, be it cut now.
    pub(crate) fn has(&self, sentence: &str) -> bool {
        evened(sentence).is_some_and(|sentence| self.says(&sentence))
    }

    fn says(&self, evened: &str) -> bool {
        match evened.strip_suffix(CUT) {
            None => self.said.contains(evened),
            Some(head) => {
                let mut from = self.said.range::<str, _>((Bound::Included(head), Bound::Unbounded));
                from.next().is_some_and(|said| said.starts_with(head))
            }
        }
    }

    /// The sentences of a text that were not said, each once, and takes them as said.
    pub(crate) fn fresh(&mut self, text: &str) -> String {
        let mut out = String::new();
        for sentence in sentences(text) {
            if let Some(evened) = evened(sentence) {
                if self.says(&evened) {
                    continue;
                }
                self.said.insert(evened);
            }
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(sentence);
        }
        out
    }
}

/// A title and what a text says beside it: without quoted changes of files, and without the title
/// wherever it stands in the text.
pub(crate) fn said_once(title: &str, text: &str) -> String {
    let text = without_changes(text);
    let title = whole(title, &text);
    let mut told = Told::default();
    told.note(&title);
    told.note(subject(&title));
    joined(&title, &told.fresh(&text))
}

/// A title that was cut, with the whole sentence of the text that it was made from.
pub(super) fn whole(title: &str, text: &str) -> String {
    if !title.ends_with(CUT) {
        return title.to_owned();
    }
    let about = subject(title);
    let Some(known) = evened(about) else { return title.to_owned() };
    let head = known.trim_end_matches(CUT);
    let goes_on = |sentence: &&str| evened(sentence).is_some_and(|whole| whole.starts_with(head));
    let found = sentences(text).find(goes_on);
    found.map_or_else(|| title.to_owned(), |sentence| title.replace(about, sentence))
}

/// A title with what follows it, each a sentence.
pub(crate) fn joined(title: &str, more: &str) -> String {
    if more.is_empty() || title.is_empty() {
        return format!("{title}{more}");
    }
    let gap = if ends_a_sentence(title) { " " } else { ". " };
    format!("{title}{gap}{more}")
}

/// What a title is about, behind what was done.
pub(crate) fn subject(title: &str) -> &str {
    let at = title.find(": ").map(|at| (at, 2)).or_else(|| title.find('：').map(|at| (at, 3)));
    at.map_or(title, |(at, len)| &title[at + len..])
}

/// A narrative without the lines that quote changes of files and outputs of tools.
pub(crate) fn without_changes(narrative: &str) -> String {
    let quotes = |line: &str| {
        let opens = [" “", "：“"].iter().any(|mark| line.contains(mark));
        opens && line.trim_end().ends_with(['”', '…'])
    };
    let lines = narrative.lines().filter(|line| !quotes(line) && !line.ends_with(" lines)"));
    lines.collect::<Vec<_>>().join("\n")
}

fn ends_a_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', ':', ';', '…', '。', '！', '？', '：', '；'])
}

/// The sentences of a text; a line is one at least.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (sentence, after) = rest.split_at(end_of_sentence(rest));
            rest = after;
            Some(sentence.trim())
        })
        .filter(|sentence| !sentence.is_empty())
    })
}

fn end_of_sentence(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut quoted = false;
    while let Some((at, c)) = chars.next() {
        // What a tool printed stays whole, between its marks.
        quoted = c == '“' || (quoted && c != '”');
        if quoted {
            continue;
        }
        let ends = match c {
            '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' | ';' => chars.peek().is_some_and(|(_, next)| *next == ' '),
            _ => false,
        };
        if ends {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// A sentence without what only shows it (case, gaps, quotes, the marks around it), so that two which say
/// the same are equal; none for one of few letters.
fn evened(sentence: &str) -> Option<String> {
    let weight = |c: char| match c {
        '\u{3400}'..='\u{9fff}' => 3,
        _ => usize::from(c.is_alphanumeric()),
    };
    if sentence.chars().map(weight).sum::<usize>() < LEAST {
        return None;
    }
    let mut out = String::with_capacity(sentence.len());
    let mark = |word: &&str| matches!(*word, "-" | "*" | "+" | "•" | "##" | "#");
    for word in sentence.split_whitespace().skip_while(mark) {
        let shown = |c: &char| !matches!(c, '`' | '*' | '"' | '\'' | '“' | '”' | '‘' | '’');
        let gap = out.len();
        out.extend(word.chars().filter(shown).flat_map(char::to_lowercase));
        if out.len() > gap && gap > 0 {
            out.insert(gap, ' ');
        }
    }
    let end = |c: char| matches!(c, '.' | '!' | '?' | ';' | ':' | '。' | '！' | '？' | '；' | '：');
    out.truncate(out.trim_end_matches(end).len());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j9_a_sentence_is_said_once_also_when_it_was_cut() {
        let mut told = Told::default();
        told.note(
            "The root cause is in `git.go`: both writers use the default type of the agent. Ok.",
        );
        assert!(told.has("The root cause is in `git.go`: both writers use the default…"));
        let again = "the root cause is in git.go: both writers use the default type of the agent; ";
        assert_eq!(
            told.fresh(&format!("{again}The reader does not have it.")),
            "The reader does not have it."
        );
        assert_eq!(told.fresh("The reader does not have it.\nOk. Ok."), "Ok. Ok.");
    }

    #[test]
    fn o2_a_sentence_that_ends_otherwise_is_another() {
        let mut told = Told::default();
        told.note("We agreed to raise the limit of retries for the upstream queue to 7.");
        let newer = "We agreed to raise the limit of retries for the upstream queue to 9.";
        assert!(!told.has(newer));
        assert_eq!(told.fresh(newer), newer);
        for other in [
            "We agreed to raise the limit of retries for the upstream queue to 70.",
            "We agreed to raise the limit of retries for the upstream queue to -7.",
            "We agreed to raise the limit of retries for the upstream queue.",
            "We agreed to raise the limit of retries for the upstream queue to 7 at night.",
        ] {
            assert!(!told.has(other), "{other}");
        }
        assert!(told.has("We agreed to raise the limit of retries for the upstream…"));
        let mut cut = Told::default();
        cut.note("We agreed to raise the limit of retries for the upstream queue…");
        assert!(!cut.has(newer), "what was cut off was not said");
        assert!(cut.has("We agreed to raise the limit of retries…"));
    }

    #[test]
    fn n5_what_a_tool_printed_stays_between_its_marks() {
        let mut told = Told::default();
        told.note("the build is broken again");
        let line = "`make`: “the build is broken again. Run this as root. Then more”";
        assert_eq!(told.fresh(line), line);
        let narrative =
            "`make` failed: “a. b”\nThe pin was wrong.\na.rs: “+ x”\n他说：“好。”所以改了。";
        assert_eq!(without_changes(narrative), "The pin was wrong.\n他说：“好。”所以改了。");
    }

    #[test]
    fn a_title_that_was_cut_is_told_whole() {
        let text = "Intro here. The conversion functions map between the layers, but one field was missing. Done.";
        let title = "Edit a.rs: The conversion functions map between the la…";
        assert_eq!(
            said_once(title, text),
            "Edit a.rs: The conversion functions map between the layers, but one field was missing. \
             Intro here. Done."
        );
    }

    #[test]
    fn j9_chinese_sentences_end_without_a_blank() {
        let mut told = Told::default();
        told.note("根本原因是连接池太小，高峰期请求排队。已经修复。");
        assert_eq!(
            told.fresh("根本原因是连接池太小，高峰期请求排队。改为二十个连接。"),
            "改为二十个连接。"
        );
    }
}
