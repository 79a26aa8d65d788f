//! Small vectors: a byte for each number, and a bit for each number.

#![expect(
    clippy::inline_always,
    reason = "code must be part of the dispatched function to be compiled for its processor"
)]

use fearless_simd::{Level, Simd, dispatch};

/// A vector in a byte a number, with the scale that brings it back.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// From -127 to 127.
    pub numbers: Vec<i8>,
    /// What one step is worth.
    pub scale: f32,
}

impl Quantised {
    /// Rounds a vector; the error of each number is at most half a step, a 254th of the greatest.
    /// Numbers that are none count as nought.
    pub fn encode(vector: &[f32]) -> Self {
        let finite = |number: &f32| if number.is_finite() { *number } else { 0.0 };
        let most = vector.iter().map(finite).fold(0.0, |most: f32, n| most.max(n.abs()));
        let scale = most / 127.0;
        let by = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "within ±127 by the scale")]
        let numbers = vector.iter().map(|n| (finite(n) * by).round() as i8).collect();
        Self { numbers, scale }
    }

    /// The vector, as near as it was kept.
    pub fn decode(&self) -> Vec<f32> {
        self.numbers.iter().map(|n| f32::from(*n) * self.scale).collect()
    }

    /// The bytes for a database: the scale (four bytes, little-endian), then the numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter().map(|n| n.cast_unsigned());
        self.scale.to_le_bytes().into_iter().chain(numbers).collect()
    }

    /// Reads [`Quantised::to_bytes`] back; none where the bytes are no vector of that dimension.
    pub fn from_bytes(bytes: &[u8], dimension: usize) -> Option<Self> {
        let (scale, numbers) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let sound = numbers.len() == dimension && scale.is_finite() && scale >= 0.0;
        sound.then(|| Self { numbers: numbers.iter().map(|b| b.cast_signed()).collect(), scale })
    }
}

/// Writes the dot product of `query` with each row of `rows` into `out`.
///
/// `rows` holds whole rows of the query's length; products beyond 2³¹ cannot come up to 130,000
/// numbers a row.
pub(super) fn dots(level: Level, query: &[i8], rows: &[i8], out: &mut Vec<i32>) {
    #[inline(always)]
    fn with<S: Simd>(_: S, query: &[i8], rows: &[i8], out: &mut Vec<i32>) {
        out.extend(rows.chunks_exact(query.len()).map(|row| dot(query, row)));
    }
    out.clear();
    dispatch!(level, simd => with(simd, query, rows, out));
}

#[inline(always)]
fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum()
}

/// One bit for each number, set where it is above the middle; the last word is filled up with
/// noughts.
pub(super) fn signs(vector: &Quantised, middle: &[f32], into: &mut Vec<u64>) {
    let above = |(number, middle): (&i8, &f32)| f32::from(*number) * vector.scale > *middle;
    into.extend(vector.numbers.chunks(64).zip(middle.chunks(64)).map(|(numbers, middle)| {
        let bits = numbers.iter().zip(middle).map(above).enumerate();
        bits.fold(0, |word, (at, above)| word | u64::from(above) << at)
    }));
}

/// Writes how many bits differ between `query` and each row of `rows` into `out`.
pub(super) fn distances(level: Level, query: &[u64], rows: &[u64], out: &mut Vec<u16>) {
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a row has fewer than 65,536 bits")]
    fn with<S: Simd>(_: S, query: &[u64], rows: &[u64], out: &mut Vec<u16>) {
        out.extend(rows.chunks_exact(query.len()).map(|row| {
            let differ = row.iter().zip(query).map(|(a, b)| (a ^ b).count_ones());
            differ.sum::<u32>() as u16
        }));
    }
    out.clear();
    dispatch!(level, simd => with(simd, query, rows, out));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_vector_comes_back_within_half_a_step(
            vector in proptest::collection::vec(-2.0_f32..2.0, 1..500)
        ) {
            let kept = Quantised::encode(&vector);
            let back = Quantised::from_bytes(&kept.to_bytes(), vector.len());
            prop_assert_eq!(back.as_ref(), Some(&kept));
            for (number, back) in vector.iter().zip(kept.decode()) {
                prop_assert!((number - back).abs() <= kept.scale * 0.501);
            }
        }

        #[test]
        fn products_and_distances_are_those_of_plain_sums(
            a in proptest::collection::vec(-127_i8..=127, 1..200),
            seed in any::<u64>(),
        ) {
            let b: Vec<i8> = a
                .iter()
                .enumerate()
                .map(|(at, n)| n.wrapping_mul(seed.to_le_bytes()[at % 8].cast_signed()))
                .map(|n| n.max(-127))
                .collect();
            let rows = [a.clone(), b.clone()].concat();
            let mut found = Vec::new();
            dots(Level::new(), &a, &rows, &mut found);
            let times = |(a, b): (&i8, &i8)| i32::from(*a) * i32::from(*b);
            let plain = |b: &[i8]| a.iter().zip(b).map(times).sum::<i32>();
            prop_assert_eq!(found, vec![plain(&a), plain(&b)]);

            let (mut query, mut words, mut differ) = (Vec::new(), Vec::new(), Vec::new());
            let middle = vec![-3.0; a.len()];
            let [left, right] =
                [&a, &b].map(|numbers| Quantised { numbers: numbers.clone(), scale: 0.5 });
            signs(&left, &middle, &mut query);
            signs(&left, &middle, &mut words);
            signs(&right, &middle, &mut words);
            distances(Level::new(), &query, &words, &mut differ);
            let other = a.iter().zip(&b).filter(|(a, b)| (**a > -6) != (**b > -6)).count();
            prop_assert_eq!(differ, vec![0, u16::try_from(other).unwrap()]);
        }
    }

    #[test]
    fn odd_vectors_and_damaged_bytes_do_no_harm() {
        assert_eq!(Quantised::encode(&[]).numbers, Vec::<i8>::new());
        assert_eq!(Quantised::encode(&[0.0, f32::NAN]).decode(), [0.0, 0.0]);
        assert_eq!(Quantised::encode(&[f32::INFINITY, 1.0]).numbers, [0, 127]);
        let bytes = Quantised::encode(&[1.0, -0.5]).to_bytes();
        assert_eq!(Quantised::from_bytes(&bytes, 3), None);
        assert_eq!(Quantised::from_bytes(&bytes[..3], 2), None);
        assert_eq!(Quantised::from_bytes(&[0xff; 6], 2), None);
    }
}
