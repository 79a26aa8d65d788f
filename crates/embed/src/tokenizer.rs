//! Cuts a text into the pieces that the model knows.
//!
//! A unigram tokenizer: every piece has a score (a log probability), and of all ways to cut the
//! text the one with the greatest sum is taken, found by dynamic programming over characters.

use super::container::Pieces;

/// Stands for a space inside the text and in front of it.
const SPACE: char = '\u{2581}';

/// How much worse than the worst piece an unknown character is.
const UNKNOWN_PENALTY: f32 = 10.0;

/// Characters of a text that are looked at; what follows has no say in its vector.
pub(crate) const MOST_CHARACTERS: usize = 8_000;

/// The pieces, found by their bytes.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    pieces: Pieces,
    /// Open addressing over the pieces' bytes: a piece's number plus one, or nothing.
    slots: Vec<u32>,
    longest: usize,
    unknown_score: f32,
}

/// The best way to reach a character.
#[derive(Clone, Copy)]
struct Step {
    score: f32,
    piece: u32,
    from: usize,
}

impl Tokenizer {
    pub(crate) fn new(pieces: Pieces) -> Self {
        let count = pieces.scores.len();
        let mut tokenizer = Self {
            slots: vec![0; (count * 2).next_power_of_two()],
            longest: 1,
            unknown_score: pieces.scores.iter().copied().fold(0.0, f32::min) - UNKNOWN_PENALTY,
            pieces,
        };
        for piece in 0..u32::try_from(count).expect("checked when read") {
            let bytes = tokenizer.bytes(piece);
            if bytes.is_empty() {
                continue;
            }
            let (length, hash) = (bytes.len(), bytes.iter().fold(HASH_START, hash_on));
            tokenizer.longest = tokenizer.longest.max(length);
            let mut slot = tokenizer.slot(hash);
            while tokenizer.slots[slot] != 0 {
                slot = (slot + 1) % tokenizer.slots.len();
            }
            tokenizer.slots[slot] = piece + 1;
        }
        tokenizer
    }

    /// The mark that begins every input.
    pub(crate) fn begin(&self) -> u32 {
        self.pieces.begin
    }

    /// The mark that ends every input.
    pub(crate) fn end(&self) -> u32 {
        self.pieces.end
    }

    /// The pieces of a text, without marks.
    pub(crate) fn cut(&self, text: &str) -> Vec<u32> {
        let (text, starts) = self.normalised(text);
        let count = starts.len() - 1;
        let nowhere = Step { score: f32::NEG_INFINITY, piece: self.pieces.unknown, from: 0 };
        let mut best = vec![nowhere; count + 1];
        best[0].score = 0.0;
        for at in 0..count {
            let score = best[at].score;
            let mut hash = HASH_START;
            for to in at + 1..=count {
                if starts[to] - starts[at] > self.longest {
                    break;
                }
                hash = text[starts[to - 1]..starts[to]].iter().fold(hash, hash_on);
                let Some(piece) = self.find(hash, &text[starts[at]..starts[to]]) else { continue };
                let score = score + self.pieces.scores[piece as usize];
                if piece != self.pieces.unknown && score > best[to].score {
                    best[to] = Step { score, piece, from: at };
                }
            }
            let score = score + self.unknown_score;
            if score > best[at + 1].score {
                best[at + 1] = Step { score, piece: self.pieces.unknown, from: at };
            }
        }
        let mut cut = Vec::new();
        let mut at = count;
        while at > 0 {
            cut.push(best[at].piece);
            at = best[at].from;
        }
        cut.reverse();
        // A run of characters that nobody knows is one unknown piece.
        cut.dedup_by(|a, b| a == b && *a == self.pieces.unknown);
        cut
    }

    /// The text as the pieces spell it, and where its characters begin (and the last one ends).
    fn normalised(&self, text: &str) -> (Vec<u8>, Vec<usize>) {
        let replaced = text.chars().take(MOST_CHARACTERS).flat_map(|c| {
            let table = &self.pieces.replaced;
            match table.binary_search_by_key(&u32::from(c), |(from, _)| *from) {
                Ok(at) => Replaced::By(table[at].1.iter().copied()),
                Err(_) => Replaced::Not(Some(c)),
            }
        });
        let mut bytes = Vec::with_capacity(text.len() + 3);
        let mut starts = Vec::with_capacity(text.len() + 2);
        let mut push = |c: char| {
            starts.push(bytes.len());
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        };
        push(SPACE);
        let (mut first, mut after_space) = (true, false);
        for c in replaced {
            let space = c == ' ';
            // The mark in front stands for one leading space too.
            if !(space && (after_space || first)) {
                push(if space { SPACE } else { c });
            }
            (first, after_space) = (false, space);
        }
        starts.push(bytes.len());
        (bytes, starts)
    }

    fn bytes(&self, piece: u32) -> &[u8] {
        let at = piece as usize;
        let offset = |at: usize| self.pieces.offsets[at] as usize;
        &self.pieces.bytes[offset(at)..offset(at + 1)]
    }

    fn slot(&self, hash: u32) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn find(&self, hash: u32, bytes: &[u8]) -> Option<u32> {
        let mut slot = self.slot(hash);
        loop {
            let piece = self.slots[slot].checked_sub(1)?;
            if self.bytes(piece) == bytes {
                return Some(piece);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

/// What a character becomes.
enum Replaced<I> {
    By(I),
    Not(Option<char>),
}

impl<I: Iterator<Item = char>> Iterator for Replaced<I> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        match self {
            Self::By(many) => many.next(),
            Self::Not(one) => one.take(),
        }
    }
}

const HASH_START: u32 = 0x811c_9dc5;

/// One more byte of a running hash, so that a longer piece costs only what it adds.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "folded over the bytes of slices")]
fn hash_on(hash: u32, byte: &u8) -> u32 {
    let mixed = (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    mixed ^ (mixed >> 15)
}
