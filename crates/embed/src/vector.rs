//! Small vectors: two bytes or one for each number.

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
}

/// A vector as the database keeps it: as [`Quantised`], in two bytes a number.
///
/// What is nearest by one byte a number is put into order by these: see
/// [`VectorIndex`](super::VectorIndex).
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// From -32,767 to 32,767.
    numbers: Vec<i16>,
    /// What one step is worth.
    scale: f32,
}

impl Kept {
    /// Rounds a vector as [`Quantised::encode`] does, to steps that are 258 times as fine.
    pub fn encode(vector: &[f32], middle: &[f32]) -> Self {
        let (numbers, scale) = steps(vector, middle, f32::from(i16::MAX));
        #[expect(clippy::cast_possible_truncation, reason = "within the steps by the scale")]
        Self { numbers: numbers.map(|n| n as i16).collect(), scale }
    }

    /// The vector, as near as it was kept, by the middle that it was encoded with.
    pub fn decode(&self, middle: &[f32]) -> Vec<f32> {
        let pairs = self.numbers.iter().zip(middle);
        pairs.map(|(n, middle)| f32::from(*n) * self.scale + middle).collect()
    }

    /// The same in a byte a number.
    pub fn coarse(&self) -> Quantised {
        let by = 127.0 / f32::from(i16::MAX);
        #[expect(clippy::cast_possible_truncation, reason = "within ±127 by the factor")]
        let numbers = self.numbers.iter().map(|n| (f32::from(*n) * by).round() as i8).collect();
        Quantised { numbers, scale: self.scale / by }
    }

    /// The cosine of the angle to a vector of length one, by the middle that this was encoded with.
    pub fn cosine(&self, vector: &[f32], middle: &[f32]) -> f32 {
        let far = self.numbers.iter().zip(vector).map(|(n, v)| f32::from(*n) * v).sum::<f32>();
        far * self.scale + vector.iter().zip(middle).map(|(v, m)| v * m).sum::<f32>()
    }

    /// The bytes for a database: the scale (four bytes, little-endian), then two for each number.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter().flat_map(|n| n.to_le_bytes());
        self.scale.to_le_bytes().into_iter().chain(numbers).collect()
    }

    /// Reads [`Kept::to_bytes`] back; none where the bytes are no vector of that dimension.
    pub fn from_bytes(bytes: &[u8], dimension: usize) -> Option<Self> {
        let (scale, numbers) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let (numbers, left) = numbers.as_chunks();
        let sound = left.is_empty() && numbers.len() == dimension;
        let sound = sound && scale.is_finite() && scale >= 0.0;
        sound.then(|| Self {
            numbers: numbers.iter().map(|b| i16::from_le_bytes(*b)).collect(),
            scale,
        })
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
pub(crate) struct Query {
    pub(crate) numbers: Vec<i16>,
    pub(crate) scale: f32,
}

impl Query {
    pub(crate) fn new(vector: &[f32], middle: &[f32]) -> Self {
        let (numbers, scale) = steps(vector, middle, QUERY_STEPS);
        #[expect(clippy::cast_possible_truncation, reason = "within the steps by the scale")]
        Self { numbers: numbers.map(|n| n as i16).collect(), scale }
    }
}

/// Writes the dot product of `query` with each row of `rows` into `out`.
///
/// `rows` holds whole rows of the query's length; products beyond 2³¹ cannot come up to 4,000
/// numbers a row.
pub(crate) fn dots(level: Level, query: &[i16], rows: &[i8], out: &mut Vec<i32>) {
    #[inline(always)]
    fn with<S: Simd>(_: S, query: &[i16], rows: &[i8], out: &mut Vec<i32>) {
        out.extend(rows.chunks_exact(query.len()).map(|row| dot(query, row)));
    }
    out.clear();
    dispatch!(level, simd => with(simd, query, rows, out));
}

/// As [`dots`], of the rows with these numbers only.
pub(crate) fn dots_at(
    level: Level,
    query: &[i16],
    rows: &[i8],
    numbers: &[usize],
    out: &mut Vec<i32>,
) {
    #[inline(always)]
    fn with<S: Simd>(_: S, query: &[i16], rows: &[i8], numbers: &[usize], out: &mut Vec<i32>) {
        let row = |number: &usize| &rows[number * query.len()..][..query.len()];
        out.extend(numbers.iter().map(|number| dot(query, row(number))));
    }
    out.clear();
    dispatch!(level, simd => with(simd, query, rows, numbers, out));
}

#[inline(always)]
fn dot(a: &[i16], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
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
            let kept = Kept::encode(&vector, &middle);
            let back = Kept::from_bytes(&kept.to_bytes(), vector.len());
            prop_assert_eq!(back.as_ref(), Some(&kept));
            let (coarse, plain) = (kept.coarse(), Quantised::encode(&vector, &middle));
            prop_assert!((coarse.scale - plain.scale).abs() <= plain.scale * 1e-5);
            let kept = kept.decode(&middle).into_iter().zip(coarse.decode(&middle));
            for (number, (fine, rough)) in vector.iter().zip(kept) {
                prop_assert!((number - fine).abs() <= plain.scale * 0.0025 + 1e-6);
                prop_assert!((number - rough).abs() <= plain.scale * 0.505 + 1e-6);
            }
            for (number, rough) in vector.iter().zip(plain.decode(&middle)) {
                prop_assert!((number - rough).abs() <= plain.scale * 0.501 + 1e-6);
            }
        }

        #[test]
        fn a_cosine_is_that_of_the_vector_that_is_kept(
            pairs in proptest::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 1..200),
            middle in -0.5_f32..0.5,
        ) {
            let (kept, asked): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let middle = vec![middle; kept.len()];
            let kept = Kept::encode(&kept, &middle);
            let plain: f32 = kept.decode(&middle).iter().zip(&asked).map(|(a, b)| a * b).sum();
            prop_assert!((kept.cosine(&asked, &middle) - plain).abs() < 1e-3);
        }

        #[test]
        fn products_are_those_of_plain_sums(
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
            prop_assert_eq!(&found, &[plain(&a), plain(&b)]);
            dots_at(Level::new(), &query, &[a.clone(), b.clone()].concat(), &[1], &mut found);
            prop_assert_eq!(found, vec![plain(&b)]);
        }
    }

    #[test]
    fn odd_vectors_and_damaged_bytes_do_no_harm() {
        let encode = |vector: &[f32]| Quantised::encode(vector, &vec![0.0; vector.len()]);
        assert_eq!(encode(&[]).numbers, Vec::<i8>::new());
        assert_eq!(encode(&[0.0, f32::NAN]).decode(&[0.0; 2]), [0.0, 0.0]);
        assert_eq!(encode(&[f32::INFINITY, 1.0]).numbers, [0, 127]);
        let bytes = Kept::encode(&[1.0, -0.5], &[0.0; 2]).to_bytes();
        assert_eq!(Kept::from_bytes(&bytes, 3), None);
        assert_eq!(Kept::from_bytes(&bytes[..7], 2), None);
        assert_eq!(Kept::from_bytes(&bytes[..3], 2), None);
        assert_eq!(Kept::from_bytes(&[0xff; 8], 2), None);
    }
}
