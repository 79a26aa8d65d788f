use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

use fearless_simd::Level;

use super::vector::{self, Quantised, Query};

/// Rows that are compared before the best so far are looked at.
const STEP: usize = 256;

/// A row that is near what was asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near<K> {
    /// Whose vector it is.
    pub key: K,
    /// The cosine of the angle between the two, from -1 to 1.
    pub cosine: f32,
}

/// The vectors of rows in memory, found by nearness.
///
/// Rebuilt from the database, which holds the truth. Takes the dimension in bytes a row, and about
/// 40 bytes for a key of four. Every search sees every row: nothing is built, so nothing can be
/// out of date. The order is that of vectors of a byte a number; who wants it finer asks for some
/// more and compares their [`Kept`](super::Kept) ones.
#[derive(Debug)]
pub struct VectorIndex<K> {
    /// What vectors are kept around.
    middle: Vec<f32>,
    dimension: usize,
    level: Level,
    keys: Vec<K>,
    places: HashMap<K, u32>,
    numbers: Vec<i8>,
    scales: Vec<f32>,
    /// The product of each row's distance from the middle with the middle.
    leans: Vec<f32>,
}

impl<K: Copy + Eq + Hash + Ord> VectorIndex<K> {
    /// An index without rows for vectors of a dimension.
    pub fn new(dimension: usize) -> Self {
        Self::around(&vec![0.0; dimension])
    }

    /// The same for vectors that were encoded around a middle, which is the model's.
    pub fn around(middle: &[f32]) -> Self {
        Self {
            middle: middle.to_vec(),
            dimension: middle.len(),
            level: Level::new(),
            keys: Vec::new(),
            places: HashMap::new(),
            numbers: Vec::new(),
            scales: Vec::new(),
            leans: Vec::new(),
        }
    }

    /// Makes room for so many more rows, so that filling it copies nothing.
    pub fn reserve(&mut self, rows: usize) {
        self.keys.reserve_exact(rows);
        self.places.reserve(rows);
        self.numbers.reserve_exact(rows * self.dimension);
        self.scales.reserve_exact(rows);
        self.leans.reserve_exact(rows);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Numbers of a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Puts a row in, in place of an older one of the same key; the vector has length one and was
    /// encoded around this index's middle.
    /// A vector of another dimension is not taken, nor a row beyond four thousand million: false.
    pub fn insert(&mut self, key: K, vector: &Quantised) -> bool {
        if vector.numbers.len() != self.dimension || self.dimension == 0 {
            return false;
        }
        self.remove(&key);
        let Ok(place) = u32::try_from(self.keys.len()) else { return false };
        self.places.insert(key, place);
        self.keys.push(key);
        self.numbers.extend_from_slice(&vector.numbers);
        self.scales.push(vector.scale);
        self.leans.push(lean(vector, &self.middle));
        true
    }

    /// Takes a row out; false where there was none.
    pub fn remove(&mut self, key: &K) -> bool {
        let Some(number) = self.places.remove(key) else { return false };
        let (place, last) = (number as usize, self.keys.len() - 1);
        self.keys.swap_remove(place);
        self.scales.swap_remove(place);
        self.leans.swap_remove(place);
        take_row(&mut self.numbers, place, self.dimension);
        if place != last {
            self.places.insert(self.keys[place], number);
        }
        true
    }

    /// The `count` rows nearest to a vector of length one, nearest first, of those that `filter`
    /// lets through; equally near ones by key. A query of another dimension finds nothing.
    pub fn search(&self, query: &[f32], count: usize, filter: impl Fn(&K) -> bool) -> Vec<Near<K>> {
        if query.len() != self.dimension || count == 0 || self.is_empty() {
            return Vec::new();
        }
        let base = query.iter().zip(&self.middle).map(|(a, b)| a * b).sum();
        let query = &Asked { query: Query::new(query, &self.middle), base };
        let mut best = self.nearest_of_all(query, count, filter);
        best.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.key.cmp(&b.key)));
        best.truncate(count);
        best
    }

    fn nearest_of_all(
        &self,
        asked: &Asked,
        count: usize,
        filter: impl Fn(&K) -> bool,
    ) -> Vec<Near<K>> {
        let mut best = Best::new(count);
        let mut dots = Vec::with_capacity(STEP);
        let mut allowed = Vec::with_capacity(STEP);
        for (step, rows) in self.numbers.chunks(STEP * self.dimension).enumerate() {
            let keys = &self.keys[step * STEP..][..rows.len() / self.dimension];
            allowed.clear();
            allowed.extend((0..keys.len()).filter(|at| filter(&keys[*at])));
            // Rows that are out cost nothing but the question.
            if allowed.len() == keys.len() {
                vector::dots(self.level, &asked.query.numbers, rows, &mut dots);
            } else {
                vector::dots_at(self.level, &asked.query.numbers, rows, &allowed, &mut dots);
            }
            for (at, dot) in allowed.iter().zip(&dots) {
                let cosine = self.cosine(asked, step * STEP + at, *dot);
                if best.wants(cosine) {
                    best.push(Near { key: keys[*at], cosine });
                }
            }
        }
        best.rows
    }

    #[expect(clippy::cast_precision_loss, reason = "a sum of small products")]
    fn cosine(&self, asked: &Asked, place: usize, dot: i32) -> f32 {
        asked.base + self.leans[place] + dot as f32 * asked.query.scale * self.scales[place]
    }
}

/// What is looked for, and its product with the middle, which every row has in common.
struct Asked {
    query: Query,
    base: f32,
}

fn lean(vector: &Quantised, middle: &[f32]) -> f32 {
    let product = |(number, middle): (&i8, &f32)| f32::from(*number) * middle;
    vector.numbers.iter().zip(middle).map(product).sum::<f32>() * vector.scale
}

/// The best rows so far, without keeping them in order.
struct Best<K> {
    rows: Vec<Near<K>>,
    count: usize,
    /// What a row must exceed once there are enough.
    floor: f32,
}

impl<K: Copy + Ord> Best<K> {
    fn new(count: usize) -> Self {
        Self { rows: Vec::new(), count, floor: f32::NEG_INFINITY }
    }

    /// Equal to the worst may still win by its key.
    fn wants(&self, cosine: f32) -> bool {
        cosine >= self.floor
    }

    fn push(&mut self, near: Near<K>) {
        self.rows.push(near);
        // Twice as many as wanted, then the better half: a sort for each half, not for each row.
        if self.rows.len() >= self.count.saturating_mul(2).max(STEP) {
            let order = |row: &Near<K>| (Reverse(Ordered(row.cosine)), row.key);
            self.rows.select_nth_unstable_by_key(self.count - 1, order);
            self.rows.truncate(self.count);
            let worst = self.rows.iter().map(|row| row.cosine).fold(f32::INFINITY, f32::min);
            self.floor = worst;
        }
    }
}

/// A number with an order.
#[derive(PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Removes a row of `width` and puts the last one in its place.
fn take_row<T: Copy>(rows: &mut Vec<T>, place: usize, width: usize) {
    let last = rows.len() - width;
    rows.copy_within(last.., place * width);
    rows.truncate(last);
}
