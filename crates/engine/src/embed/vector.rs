//! Small vectors: a byte for each number, and a bit for each number.

#![expect(
    clippy::inline_always,
    reason = "code must be part of the dispatched function to be compiled for its processor"
)]

use fearless_simd::{Level, Simd, dispatch};

/// Steps to either side of nought that a query's numbers have.
const QUERY_STEPS: f32 = 4_095.0;

/// A vector in a byte a number: how far it lies from a middle, and what one step is worth.
///
/// Vectors of texts lie close together; kept from nought on, most of a byte would tell only what
/// they have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// From -127 to 127.
    pub numbers: Vec<i8>,
    /// What one step is worth.
    pub scale: f32,
}

impl Quantised {
    /// Rounds a vector; the error of each number is at most half a step, a 254th of the greatest
    /// distance from the middle. Numbers that are none count as the middle.
    pub fn encode(vector: &[f32], middle: &[f32]) -> Self {
        let (numbers, scale) = steps(vector, middle, 127.0);
        #[expect(clippy::cast_possible_truncation, reason = "within ±127 by the scale")]
        Self { numbers: numbers.map(|n| n as i8).collect(), scale }
    }

    /// The vector, as near as it was kept, by the middle that it was encoded with.
    pub fn decode(&self, middle: &[f32]) -> Vec<f32> {
        let pairs = self.numbers.iter().zip(middle);
        pairs.map(|(n, middle)| f32::from(*n) * self.scale + middle).collect()
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

/// Whole steps from the middle, at most `most` of them, and what one is worth.
fn steps<'a>(
    vector: &'a [f32],
    middle: &'a [f32],
    most: f32,
) -> (impl Iterator<Item = f32> + 'a, f32) {
    let far = move || {
        let far = vector.iter().zip(middle).map(|(number, middle)| number - middle);
        far.map(|number| if number.is_finite() { number } else { 0.0 })
    };
    let farthest = far().fold(0.0, |farthest: f32, n| farthest.max(n.abs()));
    let scale = farthest / most;
    let by = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    (far().map(move |n| (n * by).round().clamp(-most, most)), scale)
}

/// A vector that is compared with many: finer than those are kept, at the same cost.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) numbers: Vec<i16>,
    pub(super) scale: f32,
}

impl Query {
    pub(super) fn new(vector: &[f32], middle: &[f32]) -> Self {
        let (numbers, scale) = steps(vector, middle, QUERY_STEPS);
        #[expect(clippy::cast_possible_truncation, reason = "within the steps by the scale")]
        Self { numbers: numbers.map(|n| n as i16).collect(), scale }
    }
}

/// Writes the dot product of `query` with each row of `rows` into `out`.
///
/// `rows` holds whole rows of the query's length; products beyond 2³¹ cannot come up to 4,000
/// numbers a row.
pub(super) fn dots(level: Level, query: &[i16], rows: &[i8], out: &mut Vec<i32>) {
    #[inline(always)]
    fn with<S: Simd>(_: S, query: &[i16], rows: &[i8], out: &mut Vec<i32>) {
        out.extend(rows.chunks_exact(query.len()).map(|row| dot(query, row)));
    }
    out.clear();
    dispatch!(level, simd => with(simd, query, rows, out));
}

#[inline(always)]
fn dot(a: &[i16], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// One bit for each number, set where it is above nought; the last word is filled up with noughts.
pub(super) fn signs<N: Copy + Into<i16>>(numbers: &[N], into: &mut Vec<u64>) {
    into.extend(numbers.chunks(64).map(|numbers| {
        let bits = numbers.iter().map(|number| (*number).into() > 0).enumerate();
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
            vector in proptest::collection::vec(-2.0_f32..2.0, 1..500),
            middle in -1.0_f32..1.0,
        ) {
            let middle = vec![middle; vector.len()];
            let kept = Quantised::encode(&vector, &middle);
            let back = Quantised::from_bytes(&kept.to_bytes(), vector.len());
            prop_assert_eq!(back.as_ref(), Some(&kept));
            for (number, back) in vector.iter().zip(kept.decode(&middle)) {
                prop_assert!((number - back).abs() <= kept.scale * 0.501 + 1e-6);
            }
        }

        #[test]
        fn products_and_distances_are_those_of_plain_sums(
            query in proptest::collection::vec(-4095_i16..=4095, 1..200),
            seed in any::<u64>(),
        ) {
            let row = |shift: usize| -> Vec<i8> {
                let bytes = seed.to_le_bytes();
                (0..query.len()).map(|at| bytes[(at + shift) % 8].cast_signed()).collect()
            };
            let (a, b) = (row(0), row(3));
            let mut found = Vec::new();
            dots(Level::new(), &query, &[a.clone(), b.clone()].concat(), &mut found);
            let times = |(a, b): (&i16, &i8)| i32::from(*a) * i32::from(*b);
            let plain = |row: &[i8]| query.iter().zip(row).map(times).sum::<i32>();
            prop_assert_eq!(found, vec![plain(&a), plain(&b)]);

            let (mut bits, mut words, mut differ) = (Vec::new(), Vec::new(), Vec::new());
            signs(&query, &mut bits);
            signs(&a, &mut words);
            signs(&b, &mut words);
            distances(Level::new(), &bits, &words, &mut differ);
            let other = |row: &[i8]| {
                let pairs = query.iter().zip(row);
                u16::try_from(pairs.filter(|(a, b)| (**a > 0) != (**b > 0)).count()).unwrap()
            };
            prop_assert_eq!(differ, vec![other(&a), other(&b)]);
        }
    }

    #[test]
    fn odd_vectors_and_damaged_bytes_do_no_harm() {
        let encode = |vector: &[f32]| Quantised::encode(vector, &vec![0.0; vector.len()]);
        assert_eq!(encode(&[]).numbers, Vec::<i8>::new());
        assert_eq!(encode(&[0.0, f32::NAN]).decode(&[0.0; 2]), [0.0, 0.0]);
        assert_eq!(encode(&[f32::INFINITY, 1.0]).numbers, [0, 127]);
        let bytes = encode(&[1.0, -0.5]).to_bytes();
        assert_eq!(Quantised::from_bytes(&bytes, 3), None);
        assert_eq!(Quantised::from_bytes(&bytes[..3], 2), None);
        assert_eq!(Quantised::from_bytes(&[0xff; 6], 2), None);
    }
}
