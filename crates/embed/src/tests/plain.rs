//! The network once more, the slow and obvious way, to hold the fast one against.

use crate::container::{BLOCK, BLOCK_BYTES, Container};
use crate::math;
use crate::network::Network;
use crate::tiny;

/// A network in double precision, without anything clever.
struct Plain<'a> {
    file: Container<'a>,
}

type Rows = Vec<Vec<f64>>;

impl Plain<'_> {
    fn floats(&self, name: &str, count: usize) -> Vec<f64> {
        self.file.floats(name, count).unwrap().into_iter().map(f64::from).collect()
    }

    fn weights(&self, name: &str, rows: usize, columns: usize) -> Rows {
        let bytes = self.file.quantised(name, rows, columns).unwrap();
        let row = |row: &[u8]| row.chunks(BLOCK_BYTES).flat_map(block).collect();
        bytes.chunks(columns / BLOCK * BLOCK_BYTES).map(row).collect()
    }

    fn product(&self, name: &str, x: &Rows, outputs: usize) -> Rows {
        let weights = self.weights(&format!("{name}.w"), outputs, x[0].len());
        let bias = self.floats(&format!("{name}.b"), outputs);
        let out = |x: &Vec<f64>| weights.iter().zip(&bias).map(|(w, b)| b + dot(w, x)).collect();
        x.iter().map(out).collect()
    }

    fn norm(&self, name: &str, x: &Rows, more: &Rows) -> Rows {
        let width = tiny::WIDTH as f64;
        let scale = self.floats(&format!("{name}.w"), tiny::WIDTH);
        let shift = self.floats(&format!("{name}.b"), tiny::WIDTH);
        let row = |(x, more): (&Vec<f64>, &Vec<f64>)| {
            let x: Vec<f64> = x.iter().zip(more).map(|(a, b)| a + b).collect();
            let mean = x.iter().sum::<f64>() / width;
            let spread = x.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / width;
            let root = (spread + f64::from(self.file.shape.epsilon)).sqrt();
            let part = |at: usize| (x[at] - mean) / root * scale[at] + shift[at];
            (0..x.len()).map(part).collect()
        };
        x.iter().zip(more).map(row).collect()
    }

    fn attend(&self, layer: usize, x: &Rows) -> Rows {
        let part = |name: &str| self.product(&format!("l{layer}.{name}"), x, tiny::WIDTH);
        let (query, key, value) = (part("q"), part("k"), part("v"));
        let mut out = vec![vec![0.0; tiny::WIDTH]; x.len()];
        for head in (0..tiny::WIDTH).step_by(32) {
            let head = head..head + 32;
            for (query, out) in query.iter().zip(&mut out) {
                let near = key.iter().map(|key| {
                    (dot(&query[head.clone()], &key[head.clone()]) / 32_f64.sqrt()).exp()
                });
                let near: Vec<f64> = near.collect();
                let all: f64 = near.iter().sum();
                for (near, value) in near.iter().zip(&value) {
                    for at in head.clone() {
                        out[at] += near / all * value[at];
                    }
                }
            }
        }
        out
    }

    fn run(&self, tokens: &[u32]) -> Vec<f64> {
        let words = self.weights("emb.word", tiny::PIECES.len(), tiny::WIDTH);
        let positions = self.floats("emb.pos", tiny::POSITIONS * tiny::WIDTH);
        let kind = self.floats("emb.type", 2 * tiny::WIDTH);
        let x: Rows = tokens.iter().map(|token| words[*token as usize].clone()).collect();
        let place = |row: &[f64]| row.iter().zip(&kind).map(|(a, b)| a + b).collect();
        let places: Rows = positions.chunks(tiny::WIDTH).map(place).collect();
        let mut x = self.norm("emb.ln", &x, &places);
        for layer in 0..tiny::LAYERS {
            let seen = self.attend(layer, &x);
            let seen = self.product(&format!("l{layer}.ao"), &seen, tiny::WIDTH);
            x = self.norm(&format!("l{layer}.aln"), &x, &seen);
            let mut inner = self.product(&format!("l{layer}.fi"), &x, tiny::INNER);
            for number in inner.iter_mut().flatten() {
                *number *= normal(*number);
            }
            let inner = self.product(&format!("l{layer}.fo"), &inner, tiny::WIDTH);
            x = self.norm(&format!("l{layer}.oln"), &x, &inner);
        }
        let mean = |at: usize| x.iter().map(|row| row[at]).sum::<f64>() / x.len() as f64;
        (0..tiny::WIDTH).map(mean).collect()
    }
}

/// The weights of a block: low nibbles first, then high ones, around eight.
fn block(block: &[u8]) -> Vec<f64> {
    let bits = u16::from_le_bytes([block[0], block[1]]);
    let power = 2f64.powi(i32::from(bits >> 10 & 31) - 15);
    let scale = power * (1.0 + f64::from(bits & 1023) / 1024.0);
    let scale = if bits & 0x8000 == 0 { scale } else { -scale };
    let low = block[2..].iter().map(|byte| f64::from(byte % 16));
    let high = block[2..].iter().map(|byte| f64::from(byte / 16));
    low.chain(high).map(|weight| (weight - 8.0) * scale).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The normal distribution's share below `x`, by adding up thin slices.
fn normal(x: f64) -> f64 {
    let slices = 2_000;
    let step = x / f64::from(slices);
    let slice = |at: i32| (-((f64::from(at) + 0.5) * step).powi(2) / 2.0).exp() * step;
    0.5 + (0..slices).map(slice).sum::<f64>() / std::f64::consts::TAU.sqrt()
}

#[test]
fn the_fast_network_computes_what_the_obvious_one_does() {
    let file = tiny::file();
    let plain = Plain { file: Container::parse(&file).unwrap() };
    let mut fast = Network::new(&plain.file).unwrap();
    fast.keep_words(file.clone(), plain.file.words().unwrap());
    // Lengths around the sizes that tokens are grouped by.
    let texts: Vec<Vec<u32>> =
        (1..=12).map(|n| (0..n).map(|at| (at * 7 + n) % 10).collect()).collect();
    let mut start = 0;
    let ranges: Vec<_> = texts
        .iter()
        .map(|text| {
            start += text.len();
            start - text.len()..start
        })
        .collect();
    let found = fast.run(&texts.concat(), &ranges);
    for (text, mut found) in texts.iter().zip(found) {
        let expected = plain.run(text);
        for (found, expected) in found.iter().zip(&expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-4, "{text:?}: {found} {expected}");
        }
        math::unit(&mut found);
    }
}
