//! A compound into its tokens: the whole, its segments, its words and their parts.

use afterword_domain::text::prefix;
use rust_stemmers::{Algorithm, Stemmer};

/// Takes a token; answers whether it wants more.
pub(super) type Sink<'a> = dyn FnMut(&str) -> bool + 'a;

/// Bytes of a token.
const MAX_TOKEN: usize = 64;

/// Bytes of a compound that are split into parts; of more only the head is.
const MAX_SPLIT: usize = 512;

/// Segments of one compound.
const MAX_SEGMENTS: usize = 32;

/// What follows an apostrophe and is no word of its own.
const CONTRACTED: [&str; 7] = ["s", "t", "re", "ve", "ll", "d", "m"];

pub(super) struct Emitter<'s, 'a> {
    sink: &'s mut Sink<'a>,
    stemmer: Stemmer,
    scratch: String,
    full: bool,
}

impl<'s, 'a> Emitter<'s, 'a> {
    pub(super) fn new(sink: &'s mut Sink<'a>) -> Self {
        Self {
            sink,
            stemmer: Stemmer::create(Algorithm::English),
            scratch: String::with_capacity(MAX_TOKEN),
            full: false,
        }
    }

    /// Whether the sink wants no more.
    pub(super) const fn is_full(&self) -> bool {
        self.full
    }

    /// A token as it is.
    pub(super) fn plain(&mut self, token: &str) {
        if !self.full && !token.is_empty() {
            self.full = !(self.sink)(prefix(token, MAX_TOKEN));
        }
    }

    /// Everything a compound can be found by.
    pub(super) fn compound(&mut self, compound: &str) {
        if compound.bytes().all(|b| b.is_ascii_alphanumeric()) {
            self.word(compound);
            return;
        }
        let is_version = compound.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let has_joiner = compound.contains(is_joiner);
        if has_joiner && !compound.contains(is_apostrophe) {
            self.whole(compound);
        }
        if is_version {
            return;
        }
        if let Some(number) = compound.strip_prefix(['v', 'V'])
            && number.contains('.')
            && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        {
            self.plain(number);
            return;
        }
        let head = prefix(compound, MAX_SPLIT);
        let segments = head.split(['/', '\\', '@', ':']).filter(|s| !s.is_empty());
        for segment in segments.take(MAX_SEGMENTS) {
            self.segment(segment, segment.len() == compound.len());
        }
    }

    /// A part of a path: the name, its stem, its words.
    fn segment(&mut self, segment: &str, is_whole: bool) {
        if !is_whole && segment.contains(is_joiner) && !segment.contains(is_apostrophe) {
            self.whole(segment);
        }
        if let Some((stem, _extension)) = segment.rsplit_once('.')
            && stem.contains(is_joiner)
        {
            self.whole(stem);
        }
        if let Some((_, number)) = segment.split_once('#')
            && number.starts_with(|c: char| c.is_ascii_digit())
            && !segment.starts_with('#')
        {
            self.scratch.clear();
            self.scratch.push('#');
            self.scratch.push_str(number);
            self.flush();
        }
        let several = segment.contains(is_joiner);
        let mut after_apostrophe = false;
        for word in segment.split_inclusive(is_joiner) {
            let bare = word.trim_end_matches(is_joiner);
            let letter = bare.len() == 1 && bare.as_bytes()[0].is_ascii_alphabetic();
            let contracted = after_apostrophe && CONTRACTED.contains(&bare);
            after_apostrophe = word.ends_with(is_apostrophe);
            if !contracted && !bare.is_empty() && (!several || !letter) {
                self.word(bare);
            }
        }
    }

    /// A word without joiners; one in camel case is kept whole and split.
    fn word(&mut self, word: &str) {
        let word = prefix(word, MAX_SPLIT);
        if !word.is_ascii() {
            self.scratch.clear();
            self.scratch.extend(word.chars().flat_map(char::to_lowercase));
            self.flush();
            return;
        }
        if word.bytes().all(|b| b.is_ascii_digit()) {
            self.plain(word);
            return;
        }
        let bytes = word.as_bytes();
        let mut start = 0;
        let mut split = false;
        for i in 1..bytes.len() {
            if is_boundary(bytes, i) {
                if !split {
                    split = true;
                    self.whole(word);
                }
                self.part(&word[start..i]);
                start = i;
            }
        }
        if split {
            self.part(&word[start..]);
        }
        // A word in camel case can be asked for in small letters, and is then stemmed.
        if !split || bytes.iter().all(u8::is_ascii_alphabetic) {
            self.stemmed(word, split);
        }
    }

    fn part(&mut self, part: &str) {
        if part.len() > 1 {
            self.stemmed(part, false);
        }
    }

    /// The stem of a word; with `only_changed` nothing where it is the word itself.
    fn stemmed(&mut self, word: &str, only_changed: bool) {
        self.scratch.clear();
        self.scratch.push_str(prefix(word, MAX_TOKEN));
        self.scratch.make_ascii_lowercase();
        if self.scratch.len() > 2 && self.scratch.bytes().all(|b| b.is_ascii_lowercase()) {
            let stem = self.stemmer.stem(&self.scratch);
            if only_changed && *stem == *self.scratch {
                return;
            }
            if !self.full && !stem.is_empty() {
                self.full = !(self.sink)(&stem);
            }
        } else if !only_changed {
            self.flush();
        }
    }

    fn whole(&mut self, compound: &str) {
        self.scratch.clear();
        let head = prefix(compound, MAX_TOKEN);
        if head.is_ascii() {
            self.scratch.push_str(head);
            self.scratch.make_ascii_lowercase();
        } else {
            self.scratch.extend(head.chars().flat_map(char::to_lowercase));
        }
        if self.scratch.contains('\\') {
            self.scratch = self.scratch.replace('\\', "/");
        }
        self.flush();
    }

    fn flush(&mut self) {
        if !self.full && !self.scratch.is_empty() {
            self.full = !(self.sink)(prefix(&self.scratch, MAX_TOKEN));
        }
    }
}

fn is_apostrophe(c: char) -> bool {
    c == '\'' || c == '\u{2019}'
}

fn is_joiner(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '/' | '\\' | '#' | '@' | ':' | '+') || is_apostrophe(c)
}

/// Whether a new part of a camel-case word starts at `i`: `retry|Queue`, `HTTP|Server|2`.
fn is_boundary(bytes: &[u8], i: usize) -> bool {
    let (before, here) = (bytes[i - 1], bytes[i]);
    if here.is_ascii_digit() != before.is_ascii_digit() {
        return true;
    }
    if !here.is_ascii_uppercase() {
        return false;
    }
    before.is_ascii_lowercase()
        || (before.is_ascii_uppercase() && bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase))
}
