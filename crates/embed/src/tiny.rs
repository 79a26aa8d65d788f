//! A weight file of a few kilobytes with the layout of the real one.

use std::fs;
use std::path::Path;

use crate::CARD_FILE;
use crate::container::BLOCK;

/// Numbers of a vector.
pub const WIDTH: usize = 64;
/// Layers of the network.
pub const LAYERS: usize = 2;
/// Width between the two halves of a layer.
pub const INNER: usize = 96;
/// Places of a text.
pub const POSITIONS: usize = 12;

/// Bytes at the front that hold the header and the tokenizer's tables.
pub const TABLES: usize = 340;

/// Pieces and their scores.
pub const PIECES: [(&str, f32); 10] = [
    ("<s>", 0.0),
    ("<pad>", 0.0),
    ("</s>", 0.0),
    ("<unk>", 0.0),
    ("▁", -1.0),
    ("a", -4.0),
    ("b", -4.0),
    ("c", -2.0),
    ("ab", -5.0),
    ("abc", -9.0),
];

/// Numbers that look random and are always the same.
#[derive(Debug)]
pub struct Noise(u64);

impl Noise {
    /// The row of numbers that a seed begins.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.to_be_bytes()[3]
    }

    /// From -1 to 1.
    pub fn number(&mut self) -> f32 {
        f32::from(self.byte()) / 127.5 - 1.0
    }
}

/// All tensors: name, kind and bytes.
fn tensors() -> Vec<(String, Vec<u8>)> {
    let mut tensors = Vec::new();
    let mut noise = Noise::new(7);
    let mut floats = |name: String, count: usize, base: f32| {
        let numbers = (0..count).flat_map(|_| (base + noise.number() / 4.0).to_le_bytes());
        tensors.push((name, numbers.collect()));
    };
    floats("emb.pos".into(), POSITIONS * WIDTH, 0.0);
    floats("emb.type".into(), 2 * WIDTH, 0.0);
    floats("emb.ln.w".into(), WIDTH, 1.0);
    floats("emb.ln.b".into(), WIDTH, 0.0);
    for layer in 0..LAYERS {
        for (name, outputs) in
            [("q", WIDTH), ("k", WIDTH), ("v", WIDTH), ("ao", WIDTH), ("fi", INNER), ("fo", WIDTH)]
        {
            floats(format!("l{layer}.{name}.b"), outputs, 0.0);
        }
        for norm in ["aln", "oln"] {
            floats(format!("l{layer}.{norm}.w"), WIDTH, 1.0);
            floats(format!("l{layer}.{norm}.b"), WIDTH, 0.0);
        }
    }
    let mut weights = |name: String, rows: usize, columns: usize| {
        let mut bytes = Vec::new();
        for _ in 0..rows * columns / BLOCK {
            // A scale near a sixteenth, either sign, in half precision.
            bytes.extend([noise.byte(), 0x2c | (noise.byte() & 0x80)]);
            bytes.extend((0..BLOCK / 2).map(|_| noise.byte()));
        }
        tensors.push((name, bytes));
    };
    weights("emb.word".into(), PIECES.len(), WIDTH);
    for layer in 0..LAYERS {
        for name in ["q", "k", "v", "ao"] {
            weights(format!("l{layer}.{name}.w"), WIDTH, WIDTH);
        }
        weights(format!("l{layer}.fi.w"), INNER, WIDTH);
        weights(format!("l{layer}.fo.w"), WIDTH, INNER);
    }
    tensors
}

/// The whole file.
pub fn file() -> Vec<u8> {
    let tensors = tensors();
    let mut directory = number(tensors.len());
    let entries: usize = tensors.iter().map(|(name, _)| 2 + name.len() + 1 + 4 + 8 + 8).sum();
    let tables = tables();
    let mut at = (tables.len() + 4 + entries) as u64;
    for (name, bytes) in &tensors {
        directory.extend(u16::try_from(name.len()).expect("names are short").to_le_bytes());
        directory.extend(name.as_bytes());
        directory.push(0);
        directory.extend(number(bytes.len()));
        directory.extend(at.to_le_bytes());
        directory.extend((bytes.len() as u64).to_le_bytes());
        at += bytes.len() as u64;
    }
    let bytes = tensors.into_iter().flat_map(|(_, bytes)| bytes);
    tables.into_iter().chain(directory).chain(bytes).collect()
}

fn tables() -> Vec<u8> {
    let mut file = b"E5S1".to_vec();
    for size in [1, WIDTH, LAYERS, WIDTH / 32, INNER, PIECES.len(), POSITIONS, 2] {
        file.extend(number(size));
    }
    file.extend(1e-5_f32.to_le_bytes());
    for size in [BLOCK, PIECES.len(), 0, 2, 1, 3] {
        file.extend(number(size));
    }
    let bytes: String = PIECES.iter().map(|(piece, _)| *piece).collect();
    file.extend((bytes.len() as u64).to_le_bytes());
    let mut at = 0;
    for (piece, _) in PIECES {
        file.extend(number(at));
        at += piece.len();
    }
    file.extend(number(at));
    file.extend(PIECES.iter().flat_map(|(_, score)| score.to_le_bytes()));
    file.extend(bytes.as_bytes());
    // One replacement: a ligature becomes two characters.
    file.extend(number(1));
    file.extend(number(13));
    file.extend(number('ﬁ' as usize));
    file.push(2);
    file.extend(number('a' as usize));
    file.extend(number('b' as usize));
    file
}

fn number(n: usize) -> Vec<u8> {
    u32::try_from(n).expect("the file is small").to_le_bytes().to_vec()
}

/// Lays a weight file down as an installed model of the name "tiny".
///
/// # Panics
///
/// Where the folder cannot be written.
pub fn install(folder: &Path, weights: &[u8]) {
    install_as(folder, r#"{"id":"tiny","weights":"weights.bin"}"#, weights);
}

/// The same with another card.
///
/// # Panics
///
/// Where the folder cannot be written.
pub fn install_as(folder: &Path, card: &str, weights: &[u8]) {
    fs::write(folder.join(CARD_FILE), card).expect("the folder can be written");
    fs::write(folder.join("weights.bin"), weights).expect("the folder can be written");
}
