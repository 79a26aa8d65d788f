use crate::tiny::Noise;
use crate::{Kept, Quantised, VectorIndex};

const DIMENSION: usize = 128;

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    crate::unit(&mut vector);
    vector
}

/// What all vectors have in common, as those of texts do.
fn middle() -> Vec<f32> {
    unit((0..DIMENSION).map(|at| if at % 3 == 0 { 1.0 } else { -0.5 }).collect())
}

/// Vectors in clusters to one side.
fn vectors(count: usize) -> Vec<Vec<f32>> {
    let mut noise = Noise::new(3);
    let centres: Vec<Vec<f32>> =
        (0..40).map(|_| (0..DIMENSION).map(|_| noise.number()).collect()).collect();
    let near = |at: usize| {
        let centre = &centres[at % centres.len()];
        let parts = centre.iter().zip(middle());
        unit(parts.map(|(n, middle)| n + noise.number() + 16.0 * middle).collect())
    };
    (0..count).map(near).collect()
}

fn index(vectors: &[Vec<f32>]) -> VectorIndex<usize> {
    let mut index = VectorIndex::around(&middle());
    for (key, vector) in vectors.iter().enumerate() {
        assert!(index.insert(key, &Quantised::encode(vector, &middle())));
    }
    index
}

/// The nearest by plain products in single precision.
fn exact(vectors: &[Vec<f32>], query: &[f32], count: usize) -> Vec<usize> {
    let cosine = |v: &Vec<f32>| v.iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
    let mut keys: Vec<usize> = (0..vectors.len()).collect();
    keys.sort_by(|a, b| cosine(&vectors[*b]).total_cmp(&cosine(&vectors[*a])));
    keys.truncate(count);
    keys
}

/// How many of one list are in the other, over some queries.
fn shared(
    vectors: &[Vec<f32>],
    one: impl Fn(&[f32]) -> Vec<usize>,
    other: impl Fn(&[f32]) -> Vec<usize>,
) -> f64 {
    let (mut found, mut all) = (0, 0);
    for query in vectors.iter().step_by(61) {
        let (one, other) = (one(query), other(query));
        all += one.len();
        found += other.iter().filter(|key| one.contains(key)).count();
    }
    found as f64 / all as f64
}

#[test]
fn some_more_by_bytes_hold_what_an_exact_scan_finds() {
    let vectors = vectors(6_000);
    let index = index(&vectors);
    let kept: Vec<Kept> = vectors.iter().map(|vector| Kept::encode(vector, &middle())).collect();
    let coarse = |query: &[f32], count: usize| -> Vec<usize> {
        index.search(query, count, |_| true).iter().map(|near| near.key).collect()
    };
    let bytes = shared(&vectors, |q| exact(&vectors, q, 10), |q| coarse(q, 10));
    assert!(bytes >= 0.97, "a byte a number against single precision: {bytes}");
    let fine = |query: &[f32]| -> Vec<usize> {
        let mut found = coarse(query, 50);
        let cosine = |key: &usize| kept[*key].cosine(query, &middle());
        found.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)));
        found.truncate(10);
        found
    };
    let fine = shared(&vectors, |q| exact(&vectors, q, 10), fine);
    assert!(fine >= 0.999, "the best of them by two bytes: {fine}");
}

#[test]
fn nearest_come_first_and_equals_by_key() {
    let mut vectors = vectors(700);
    vectors[5] = vectors[600].clone();
    let index = index(&vectors);
    let near = index.search(&vectors[600], 20, |_| true);
    assert_eq!(near.len(), 20);
    assert_eq!([near[0].key, near[1].key], [5, 600]);
    assert!((near[0].cosine - 1.0).abs() < 0.01);
    assert!(near.is_sorted_by(|a, b| a.cosine >= b.cosine));
    let even = index.search(&vectors[600], 700, |key| key % 2 == 0);
    assert_eq!(even.len(), 350);
    assert!(even.iter().all(|n| n.key % 2 == 0));
    let all = index.search(&vectors[600], 700, |_| true);
    let odd_left_out: Vec<_> = all.into_iter().filter(|near| near.key % 2 == 0).collect();
    assert_eq!(even, odd_left_out, "a filter changes no cosine");
}

#[test]
fn the_index_follows_its_rows() {
    let vectors = vectors(600);
    let mut index = index(&vectors);
    index.reserve(10);
    for key in (0..600).filter(|key| key % 3 != 0) {
        assert!(index.remove(&key));
        assert!(!index.remove(&key));
    }
    assert_eq!(index.len(), 200);
    for key in (0..600).step_by(3) {
        assert_eq!(index.search(&vectors[key], 1, |_| true)[0].key, key);
    }
    // A row that is put in again moves.
    assert!(index.insert(3, &Quantised::encode(&vectors[1], &middle())));
    assert_eq!(index.len(), 200);
    assert_eq!(index.search(&vectors[1], 1, |_| true)[0].key, 3);
    for key in (0..600).step_by(3) {
        assert!(index.remove(&key));
    }
    assert!(index.is_empty());
    assert!(index.search(&vectors[1], 5, |_| true).is_empty());
}

#[test]
fn a_vector_of_another_dimension_is_refused_and_finds_nothing() {
    let mut index = index(&vectors(10));
    assert!(!index.insert(99, &Quantised::encode(&[1.0, 0.0], &[0.0; 2])));
    assert!(index.search(&[1.0, 0.0], 3, |_| true).is_empty());
    assert!(index.search(&vectors(1)[0], 0, |_| true).is_empty());
    assert_eq!(index.len(), 10);
}
