//! Tokens of a text without the provider's tokeniser: never fewer than it will count.
//!
//! The plain rule (ASCII bytes / 4 and one a CJK character) fits prose, and is too low for what
//! coding agents write: digits, punctuation and random letters are one token each in many
//! vocabularies. Hence the text is counted by runs, each at the price of the vocabularies that
//! split it most. `docs/reference/providers.md` has the figures.

/// A run of letters longer than this is no word: hashes and encoded bytes split every other letter.
const LONGEST_WORD: u64 = 16;

/// An upper bound of the tokens in a text, about 1.3 to 2 times what a current tokeniser counts.
pub fn estimate_tokens(text: &str) -> u64 {
    let mut halves = 0_u64;
    let mut run = Run::default();
    for c in text.chars() {
        let class = Class::of(c);
        if !run.takes(class, c) {
            halves += run.halves();
            run = Run { class, ..Run::default() };
        }
        run.length += 1;
        run.last = Some(c);
        run.extra += class.extra_halves(c);
    }
    (halves + run.halves()).div_ceil(2)
}

/// What a character does to a tokeniser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Class {
    /// ASCII letters, which make words.
    Letter,
    /// Spaces and tabs, which are taken together.
    Blank,
    /// Everything else stands for itself.
    #[default]
    Single,
}

impl Class {
    const fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' => Self::Letter,
            ' ' | '\t' => Self::Blank,
            _ => Self::Single,
        }
    }

    /// Half tokens of a character that stands for itself.
    const fn extra_halves(self, c: char) -> u64 {
        if !matches!(self, Self::Single) {
            return 0;
        }
        match c as u32 {
            // ASCII, and the alphabets next to it.
            0..0x0700 => 2,
            // Han, kana, Hangul and their punctuation: one token, seldom two.
            0x3000..=0x9fff | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xffef => 3,
            // General punctuation and arrows.
            0x2000..=0x2bff => 4,
            // Rare scripts and emoji fall apart into bytes.
            _ => 2 * c.len_utf8() as u64,
        }
    }
}

/// Characters of one class.
#[derive(Debug, Default)]
struct Run {
    class: Class,
    length: u64,
    extra: u64,
    last: Option<char>,
}

impl Run {
    /// Whether a character goes on with this run: words end where a capital follows a small letter.
    fn takes(&self, class: Class, c: char) -> bool {
        let hump = c.is_ascii_uppercase() && self.last.is_some_and(|l| l.is_ascii_lowercase());
        self.class == class && !(class == Class::Letter && hump)
    }

    fn halves(&self) -> u64 {
        match self.class {
            Class::Letter if self.length > LONGEST_WORD => self.length,
            Class::Letter => 2 * self.length.div_ceil(4),
            // A single blank belongs to the word after it.
            Class::Blank if self.length == 1 => 0,
            Class::Blank => 2 * self.length.div_ceil(8),
            Class::Single => self.extra,
        }
    }
}
