//! The small functions between the products, written so that a compiler makes vectors of them:
//! no branches, no library calls, sums kept in lanes.

#![expect(
    clippy::inline_always,
    reason = "code must be part of the dispatched function to be compiled for its processor"
)]

use fearless_simd::{Level, Simd, dispatch};

/// Numbers that are worked on side by side.
pub(crate) const LANES: usize = 16;

/// `eˣ` to within 2 × 10⁻⁷ of itself for `x` in -87 to 88; beyond, the value at that end.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding this leaves the nearest whole number in the low bits of the sum.
    const ROUND: f32 = 12_582_912.0;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let r = x - whole * LN2_HIGH - whole * LN2_LOW;
    let tail = 1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0));
    let value = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * tail)));
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000));
    value * power
}

/// The Gaussian error linear unit, `x · Φ(x)`.
///
/// The error function is the rational approximation of Abramowitz and Stegun, 7.1.26 (error at most
/// 1.5 × 10⁻⁷), far below what 4-bit weights can tell.
#[inline(always)]
fn gelu_of(x: f32) -> f32 {
    let z = x * std::f32::consts::FRAC_1_SQRT_2;
    let size = z.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let tail = 1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4);
    let series = t * (0.254_829_6 + t * (-0.284_496_74 + t * tail));
    let error = (1.0 - series * exp(-size * size)).copysign(z);
    0.5 * x * (1.0 + error)
}

/// [`gelu_of`] on every number.
pub(crate) fn gelu(level: Level, numbers: &mut [f32]) {
    #[inline(always)]
    fn with<S: Simd>(_: S, numbers: &mut [f32]) {
        for number in numbers {
            *number = gelu_of(*number);
        }
    }
    dispatch!(level, simd => with(simd, numbers));
}

/// Makes weights of numbers: positive, one in sum, the greater the more.
#[inline(always)]
pub(crate) fn softmax(numbers: &mut [f32]) {
    let most = lanes(numbers, f32::NEG_INFINITY, f32::max);
    for number in numbers.iter_mut() {
        *number = exp(*number - most);
    }
    let scale = 1.0 / lanes(numbers, 0.0, |sum, number| sum + number);
    for number in numbers {
        *number *= scale;
    }
}

/// Folds numbers in lanes, then the lanes.
#[inline(always)]
fn lanes(numbers: &[f32], start: f32, fold: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [start; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = fold(*lane, *number);
        }
    }
    lanes.iter().chain(rest).copied().fold(start, fold)
}

/// Scale and shift of a normalisation.
#[derive(Debug)]
pub(crate) struct Norm {
    pub(crate) scale: Vec<f32>,
    pub(crate) shift: Vec<f32>,
    pub(crate) epsilon: f32,
}

impl Norm {
    /// Adds `more` to each row of `x`, then gives the row mean nought and spread one, scaled and
    /// shifted.
    pub(crate) fn add(&self, level: Level, x: &mut [f32], more: &[f32]) {
        dispatch!(level, simd => self.add_with(simd, x, more));
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a row is short")]
    fn add_with<S: Simd>(&self, _: S, x: &mut [f32], more: &[f32]) {
        let width = self.scale.len();
        let share = 1.0 / width as f32;
        for (row, more) in x.chunks_exact_mut(width).zip(more.chunks_exact(width)) {
            for (number, more) in row.iter_mut().zip(more) {
                *number += more;
            }
            let mean = lanes(row, 0.0, |sum, number| sum + number) * share;
            for number in row.iter_mut() {
                *number -= mean;
            }
            let spread = lanes_of_squares(row) * share;
            let scale = 1.0 / (spread + self.epsilon).sqrt();
            for ((number, by), shift) in row.iter_mut().zip(&self.scale).zip(&self.shift) {
                *number = *number * scale * by + shift;
            }
        }
    }
}

#[inline(always)]
fn lanes_of_squares(numbers: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number * number;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|n| n * n).sum::<f32>()
}

/// Scales a vector to length one; a vector of noughts stays as it is.
pub fn unit(vector: &mut [f32]) {
    let length = lanes_of_squares(vector).sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_and_gelu_are_near_the_real_ones() {
        for step in -8_700..8_700_i16 {
            let x = f32::from(step) / 100.0;
            let real = f64::from(x).exp();
            assert!((f64::from(exp(x)) / real - 1.0).abs() < 5e-7, "exp({x})");
        }
        // Values of x · Φ(x) from a table of the normal distribution.
        for (x, real) in [(-3.0, -0.004_05), (-1.0, -0.158_66), (0.0, 0.0), (2.0, 1.954_5)] {
            assert!((gelu_of(x) - real).abs() < 2e-5, "gelu({x}) = {}", gelu_of(x));
        }
    }

    #[test]
    fn softmax_of_an_odd_count_sums_to_one_and_keeps_order() {
        let mut numbers: Vec<f32> = (0..37_u8).map(|n| f32::from(n) / 4.0).collect();
        softmax(&mut numbers);
        assert!((numbers.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(numbers.is_sorted());
    }
}
