//! Attention: every token looks at every token of its own text.

#![expect(
    clippy::inline_always,
    reason = "code must be part of the dispatched function to be compiled for its processor"
)]

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, f32x16, prelude::*};

use crate::math::{self, LANES};

/// Numbers of one head; fixed, so that a head's vectors stay in registers.
pub(crate) const HEAD: usize = 32;

/// Room that is used again for each head and text.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// One head's keys, a row for each of its numbers.
    keys: Vec<f32>,
    weights: Vec<f32>,
}

/// The three projections of all tokens and where the texts are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Views<'a> {
    pub(crate) query: &'a [f32],
    pub(crate) key: &'a [f32],
    pub(crate) value: &'a [f32],
    /// Numbers of a token.
    pub(crate) width: usize,
    pub(crate) texts: &'a [Range<usize>],
}

/// Writes for each token the values that it looks at, weighted.
pub(crate) fn attend(level: Level, views: Views<'_>, out: &mut [f32], room: &mut Room) {
    dispatch!(level, simd => attend_with(simd, views, out, room));
}

#[inline(always)]
fn attend_with<S: Simd>(simd: S, views: Views<'_>, out: &mut [f32], room: &mut Room) {
    let width = views.width;
    for text in views.texts {
        let stride = text.len().next_multiple_of(LANES);
        for head in (0..width).step_by(HEAD) {
            room.keys.clear();
            room.keys.resize(HEAD * stride, 0.0);
            for (at, token) in text.clone().enumerate() {
                let key = &views.key[token * width + head..][..HEAD];
                for (e, number) in key.iter().enumerate() {
                    room.keys[e * stride + at] = *number;
                }
            }
            for token in text.clone() {
                let query = &views.query[token * width + head..][..HEAD];
                room.weights.resize(stride, 0.0);
                look(simd, query, &room.keys, &mut room.weights);
                math::softmax(&mut room.weights[..text.len()]);
                let out = &mut out[token * width + head..][..HEAD];
                gather(simd, &views, text.start, head, &room.weights[..text.len()], out);
            }
        }
    }
}

/// How near a query is to each key.
#[inline(always)]
fn look<S: Simd>(simd: S, query: &[f32], keys: &[f32], near: &mut [f32]) {
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    let scale = 1.0 / (HEAD as f32).sqrt();
    let stride = near.len();
    for (at, near) in near.chunks_exact_mut(LANES).enumerate() {
        let mut sum = f32x16::splat(simd, 0.0);
        for (e, number) in query.iter().enumerate() {
            let keys = f32x16::from_slice(simd, &keys[e * stride + at * LANES..][..LANES]);
            sum = keys.mul_add(f32x16::splat(simd, number * scale), sum);
        }
        sum.store_slice(near);
    }
}

/// The values of a text, weighted.
#[inline(always)]
fn gather<S: Simd>(
    simd: S,
    views: &Views<'_>,
    start: usize,
    head: usize,
    weights: &[f32],
    out: &mut [f32],
) {
    let mut sums = [f32x16::splat(simd, 0.0); HEAD / LANES];
    for (at, weight) in weights.iter().enumerate() {
        let value = &views.value[(start + at) * views.width + head..][..HEAD];
        let weight = f32x16::splat(simd, *weight);
        for (sum, value) in sums.iter_mut().zip(value.chunks_exact(LANES)) {
            *sum = f32x16::from_slice(simd, value).mul_add(weight, *sum);
        }
    }
    for (sum, out) in sums.iter().zip(out.chunks_exact_mut(LANES)) {
        sum.store_slice(out);
    }
}
