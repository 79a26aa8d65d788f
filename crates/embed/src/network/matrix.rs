//! Matrices of 4-bit weights, and the product that nearly all the time goes into.
//!
//! At load the rows are laid out anew: sixteen outputs side by side, so that one load gives the
//! same input's weights of sixteen outputs and no sum runs across lanes. A strip of sixteen outputs
//! is expanded to single precision once a pass (it fits the first-level cache) and used for every token.

#![expect(
    clippy::inline_always,
    reason = "code must be part of the dispatched function to be compiled for its processor"
)]

use fearless_simd::{Level, Simd, dispatch, f32x16, i32x16, prelude::*};

use crate::container::{BLOCK, BLOCK_BYTES};

/// Outputs side by side.
const LANES: usize = 16;

/// Weights in a word.
const IN_WORD: usize = 8;

/// Tokens whose sums are kept in registers together, with registers of sixteen numbers and with
/// smaller ones, which are fewer.
const TOKENS_WIDE: usize = 12;
const TOKENS: usize = 6;

/// Weights of `outputs` × `inputs` with a bias for each output.
#[derive(Debug)]
pub(crate) struct Matrix {
    inputs: usize,
    outputs: usize,
    /// For each strip and eight inputs: a word for each output, the first input's weight lowest.
    nibbles: Vec<[i32; LANES]>,
    /// For each strip and block of inputs: a scale for each output.
    scales: Vec<[f32; LANES]>,
    bias: Vec<[f32; LANES]>,
}

impl Matrix {
    /// Lays out rows of `Q4_0` blocks; both sizes are multiples of what a block and a strip hold.
    pub(crate) fn new(rows: &[u8], inputs: usize, bias: &[f32]) -> Self {
        let (outputs, blocks) = (bias.len(), inputs / BLOCK);
        let mut nibbles = vec![[0; LANES]; outputs / LANES * inputs / IN_WORD];
        let mut scales = vec![[0.0; LANES]; outputs / LANES * blocks];
        for (at, block) in rows.as_chunks::<BLOCK_BYTES>().0.iter().enumerate() {
            let (output, place) = (at / blocks, at % blocks);
            let (strip, lane) = (output / LANES, output % LANES);
            scales[strip * blocks + place][lane] = half(u16::from_le_bytes([block[0], block[1]]));
            for j in 0..BLOCK {
                let byte = block[2 + j % (BLOCK / 2)];
                let weight = if j < BLOCK / 2 { byte & 15 } else { byte >> 4 };
                let word = (strip * inputs + place * BLOCK + j) / IN_WORD;
                nibbles[word][lane] |= i32::from(weight) << (j % IN_WORD * 4);
            }
        }
        Self { inputs, outputs, nibbles, scales, bias: bias.as_chunks().0.to_vec() }
    }

    /// `out = x · Wᵀ + bias` for rows of `x`; `strip` is room that is used again and again.
    pub(crate) fn apply(&self, level: Level, x: &[f32], out: &mut [f32], strip: &mut Strip) {
        dispatch!(level, simd => self.apply_with(simd, x, out, strip));
    }

    #[inline(always)]
    fn apply_with<S: Simd>(&self, simd: S, x: &[f32], out: &mut [f32], strip: &mut Strip) {
        strip.0.resize(self.inputs, [0.0; LANES]);
        let rows = x.len() / self.inputs;
        for (at, bias) in self.bias.iter().enumerate() {
            self.expand(simd, at, &mut strip.0);
            let mut part = Part { x, out: &mut *out, row: 0, width: self.outputs, at, bias };
            while S::f32s::LEN >= LANES && rows - part.row >= TOKENS_WIDE {
                part.step::<S, TOKENS_WIDE>(simd, &strip.0);
            }
            while rows - part.row >= TOKENS {
                part.step::<S, TOKENS>(simd, &strip.0);
            }
            if rows - part.row >= 3 {
                part.step::<S, 3>(simd, &strip.0);
            }
            match rows - part.row {
                2 => part.step::<S, 2>(simd, &strip.0),
                1 => part.step::<S, 1>(simd, &strip.0),
                _ => {}
            }
        }
    }

    /// The weights of sixteen outputs in single precision.
    #[inline(always)]
    fn expand<S: Simd>(&self, simd: S, strip: usize, into: &mut [[f32; LANES]]) {
        let (words, blocks) = (self.inputs / IN_WORD, self.inputs / BLOCK);
        let words = &self.nibbles[strip * words..][..words];
        let scales = &self.scales[strip * blocks..][..blocks];
        let parts = words.chunks_exact(BLOCK / IN_WORD).zip(into.chunks_exact_mut(BLOCK));
        for ((words, into), scale) in parts.zip(scales) {
            let scale = f32x16::load_array_ref(simd, scale);
            let nought = scale * -8.0;
            for (word, into) in words.iter().zip(into.chunks_exact_mut(IN_WORD)) {
                let mut word = i32x16::load_array_ref(simd, word);
                for into in into {
                    let weights = simd.cvt_f32_i32x16(word & 15);
                    weights.mul_add(scale, nought).store_slice(into);
                    word >>= 4;
                }
            }
        }
    }
}

/// Room for one expanded strip.
#[derive(Debug, Default)]
pub(crate) struct Strip(Vec<[f32; LANES]>);

/// A strip's outputs for all tokens, `row` of which are done.
struct Part<'a> {
    x: &'a [f32],
    out: &'a mut [f32],
    row: usize,
    /// All outputs of a token.
    width: usize,
    /// Which strip.
    at: usize,
    bias: &'a [f32; LANES],
}

impl Part<'_> {
    /// Sixteen outputs of the next `N` tokens.
    #[inline(always)]
    fn step<S: Simd, const N: usize>(&mut self, simd: S, strip: &[[f32; LANES]]) {
        let inputs = strip.len();
        let x: [&[f32]; N] =
            std::array::from_fn(|row| &self.x[(self.row + row) * inputs..][..inputs]);
        let mut sums = [f32x16::load_array_ref(simd, self.bias); N];
        for (at, weights) in strip.iter().enumerate() {
            let weights = f32x16::load_array_ref(simd, weights);
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum = weights.mul_add(f32x16::splat(simd, x[at]), *sum);
            }
        }
        let rows = self.out[self.row * self.width..].chunks_exact_mut(self.width);
        for (sum, out) in sums.iter().zip(rows) {
            sum.store_slice(&mut out[self.at * LANES..][..LANES]);
        }
        self.row += N;
    }
}

/// Expands one row of `Q4_0` blocks.
pub(crate) fn expand_row(row: &[u8], into: &mut [f32]) {
    for (block, into) in row.as_chunks::<BLOCK_BYTES>().0.iter().zip(into.chunks_mut(BLOCK)) {
        let scale = half(u16::from_le_bytes([block[0], block[1]]));
        let (low, high) = into.split_at_mut(BLOCK / 2);
        for ((byte, low), high) in block[2..].iter().zip(low).zip(high) {
            *low = (f32::from(byte & 15) - 8.0) * scale;
            *high = (f32::from(byte >> 4) - 8.0) * scale;
        }
    }
}

/// A half-precision number; infinities and what is no number become zero.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f32::from(bits & 0x3ff);
    match i32::from(bits >> 10 & 0x1f) {
        0 => sign * fraction * 2f32.powi(-24),
        31 => 0.0,
        exponent => sign * (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}
