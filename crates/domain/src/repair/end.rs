//! Knowing when a whole JSON value has arrived, without parsing it.

use super::decode::{Encoding, encoding};

/// Watches bytes arrive and says when one whole top-level JSON value has been seen.
///
/// For an input that is never closed: the reader stops at the end of the value instead of the end
/// of the stream. Only brackets and quotes are followed, so it also serves values that need repair;
/// a value that never closes is never reported, and the reader's deadline decides.
#[derive(Clone, Debug, Default)]
pub struct JsonEnd {
    encoding: Option<Encoding>,
    /// The first byte of a pair that has not arrived whole.
    half: Option<u8>,
    state: State,
    depth: usize,
    /// The beginning of a number or a word at the top level.
    word: Vec<u8>,
}

/// Bytes of a word worth keeping; longer ones are numbers or noise alike.
const MAX_WORD: usize = 32;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing of the value has been seen.
    #[default]
    Before,
    /// Inside brackets, outside strings.
    Inside,
    /// Inside a string.
    String,
    /// Behind a backslash in a string.
    Escape,
    /// Inside a number or a word at the top level; its end shows only by what follows.
    Word,
    /// Behind something that is no value: an object may still follow.
    Noise,
    /// The value is whole.
    Done,
}

impl JsonEnd {
    /// A watcher that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes; true once a whole value has been seen, and from then on.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        let mut at = 0;
        while at < bytes.len() && self.state != State::Done {
            if self.state == State::String && self.encoding == Some(Encoding::Utf8) {
                // Most of a large payload is text: nothing in it matters but its end.
                match bytes[at..].iter().position(|b| matches!(b, b'"' | b'\\')) {
                    Some(plain) => at += plain,
                    None => break,
                }
                self.unit(bytes[at]);
            } else {
                self.byte(bytes[at]);
            }
            at += 1;
        }
        self.state == State::Done
    }

    fn byte(&mut self, byte: u8) {
        match (self.encoding, self.half.take()) {
            (Some(Encoding::Utf8), _) => self.unit(byte),
            (_, None) => self.half = Some(byte),
            (Some(encoding), Some(first)) => self.pair(encoding, first, byte),
            (None, Some(first)) => {
                let encoding = encoding(first, byte);
                self.encoding = Some(encoding);
                if encoding == Encoding::Utf8 {
                    self.unit(first);
                    self.unit(byte);
                } else {
                    self.pair(encoding, first, byte);
                }
            }
        }
    }

    /// Two bytes of UTF-16; only ASCII matters, anything else counts as text.
    fn pair(&mut self, encoding: Encoding, first: u8, second: u8) {
        let (low, high) =
            if encoding == Encoding::Utf16Little { (first, second) } else { (second, first) };
        self.unit(if high == 0 { low } else { u8::MAX });
    }

    fn unit(&mut self, unit: u8) {
        self.state = match (self.state, unit) {
            (State::Before | State::Inside, b'{' | b'[') | (State::Word | State::Noise, b'{') => {
                self.depth += 1;
                State::Inside
            }
            (State::Before | State::Inside, b'"') | (State::Escape, _) => State::String,
            (State::Inside, b'}' | b']') => {
                self.depth -= 1;
                if self.depth == 0 { State::Done } else { State::Inside }
            }
            (State::String, b'\\') => State::Escape,
            (State::String, b'"') if self.depth == 0 => State::Done,
            (State::String, b'"') => State::Inside,
            (State::Word, unit) if unit.is_ascii_whitespace() => self.word_ends(),
            // White space, and the bytes of a byte order mark.
            (State::Before, 0..=b' ' | 0x80..) => State::Before,
            (State::Before | State::Word, unit) => {
                if self.word.len() < MAX_WORD {
                    self.word.push(unit);
                }
                State::Word
            }
            (state, _) => state,
        };
    }

    fn word_ends(&self) -> State {
        let number = self
            .word
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'));
        if number || matches!(self.word.as_slice(), b"true" | b"false" | b"null") {
            State::Done
        } else {
            State::Noise
        }
    }
}
