//! The embedding model on one core, and searching among vectors.
//!
//! `cargo bench --bench embed -- --model FOLDER [--dataset FOLDER] [--rows 1000,50000,1000000]`; the
//! model's folder is the one that `afterword model status --json` names, and the dataset one of those
//! that `afterword eval` reads, whose first texts and questions are embedded. Without a model only the
//! search among made-up vectors is measured.

#![expect(clippy::print_stdout, reason = "a benchmark talks to people")]

mod measure;

use std::path::Path;
use std::time::{Duration, Instant};

use afterword_engine::embed::{Kept, Model, VectorIndex};
use measure::{Dice, resident_mb, spread};

/// Numbers of a made-up vector, as many as the recommended model gives.
const DIMENSION: usize = 384;

/// Texts of a dataset that are embedded at most.
const MOST_REAL: usize = 10_000;

/// Questions that are asked.
const QUESTIONS: usize = 100;

/// Texts of a length that is usual for what is kept.
const PASSAGES: [&str; 4] = [
    "The build failed because the lock file was out of date; running the generator first fixed it.",
    "Renamed the settings page and moved it under the account menu, with a redirect from the old address.",
    "重试队列的上限改成五次，因为网关只等六秒，超时以后任务会留在队列里等待下一次启动。",
    "fn drain(queue: &mut Queue) -> usize { let n = queue.len(); queue.clear(); n }",
];

const QUERIES: [&str; 4] = [
    "why did the build fail",
    "where is the settings page",
    "重试队列的上限是多少",
    "what does drain return",
];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.iter().any(|a| a == "--test") {
        return;
    }
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let model = value("--model").map(|folder| measure_model(Path::new(folder)));
    let sizes = value("--rows").map_or("1000,50000", String::as_str);
    println!(
        "\n| vectors | rows | p50 ms | p95 ms | recall@10 by bytes | with two bytes | MB |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    if let (Some(model), Some(folder)) = (&model, value("--dataset")) {
        measure_real(model, Path::new(folder));
    }
    for size in sizes.split(',').filter_map(|s| s.trim().parse().ok()) {
        measure_made_up(size);
    }
}

fn measure_model(folder: &Path) -> Model {
    let before = resident_mb(std::process::id());
    let begun = Instant::now();
    let model = Model::load(folder).expect("a model");
    let loaded = begun.elapsed();
    let mut queries: Vec<Duration> = Vec::new();
    for query in QUERIES.iter().cycle().take(200) {
        let begun = Instant::now();
        assert_eq!(model.embed_query(query).len(), model.dimension());
        queries.push(begun.elapsed());
    }
    let begun = Instant::now();
    let texts: Vec<&str> = PASSAGES.iter().copied().cycle().take(400).collect();
    for batch in texts.chunks(16) {
        assert_eq!(model.embed_passages(batch).len(), batch.len());
    }
    let each = begun.elapsed().as_secs_f64() / 400.0;
    let queries = spread(&mut queries);
    println!("| what | value |\n| --- | --- |");
    println!("| model | {} |", model.id());
    println!("| load | {:.0} ms |", loaded.as_secs_f64() * 1000.0);
    println!("| memory that it adds | {:.0} MB |", resident_mb(std::process::id()) - before);
    println!("| query, p50 and p95 | {:.1} ms, {:.1} ms |", queries.p50, queries.p95);
    println!("| passages | {:.0} a second |", 1.0 / each);
    model
}

/// Vectors in clusters around one direction, as those of texts are.
fn made_up(dice: &mut Dice, centres: &[Vec<f32>]) -> Vec<f32> {
    let centre = &centres[dice.below(centres.len())];
    #[expect(clippy::cast_possible_truncation, reason = "half the digits are enough")]
    let mut vector: Vec<f32> =
        centre.iter().map(|n| n + (dice.fraction() - 0.5) as f32 * 0.12).collect();
    let length = vector.iter().map(|n| n * n).sum::<f32>().sqrt();
    for n in &mut vector {
        *n /= length;
    }
    vector
}

/// Rows of real texts with the questions about them, as a dataset of `afterword eval` has them.
fn measure_real(model: &Model, folder: &Path) {
    let lines = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).expect("a dataset");
        let texts = text.lines().map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
            value["text"].as_str().expect("a text").to_owned()
        });
        texts.collect::<Vec<_>>()
    };
    let texts = lines("docs.jsonl");
    let texts: Vec<&str> = texts.iter().map(String::as_str).take(MOST_REAL).collect();
    let rows: Vec<Vec<f32>> =
        texts.chunks(16).flat_map(|texts| model.embed_passages(texts)).collect();
    let queries = lines("queries.jsonl");
    let queries: Vec<Vec<f32>> =
        queries.iter().take(QUESTIONS).map(|query| model.embed_query(query)).collect();
    report("real", model.middle(), &queries, rows.len(), || rows.iter().cloned());
}

fn measure_made_up(rows: usize) {
    let mut dice = Dice::new(5);
    let middle: Vec<f32> =
        (0..DIMENSION).map(|at| if at % 2 == 0 { 0.045 } else { -0.045 }).collect();
    let nowhere = vec![middle.clone()];
    let centres: Vec<Vec<f32>> = (0..2_000).map(|_| made_up(&mut dice, &nowhere)).collect();
    let queries: Vec<Vec<f32>> = (0..QUESTIONS).map(|_| made_up(&mut dice, &centres)).collect();
    // Made again for each pass: a million vectors in single precision would fill the memory.
    let all = || {
        let mut dice = Dice::new(7);
        let centres = &centres;
        (0..rows).map(move |_| made_up(&mut dice, centres))
    };
    report("made up", &middle, &queries, rows, all);
}

/// How long a search takes, and how much of an exact scan in single precision it finds: by a byte a
/// number alone, and with the best 50 of these put into order by two.
fn report<I: Iterator<Item = Vec<f32>>>(
    what: &str,
    middle: &[f32],
    queries: &[Vec<f32>],
    rows: usize,
    vectors: impl Fn() -> I,
) {
    let before = resident_mb(std::process::id());
    let mut index = VectorIndex::around(middle);
    index.reserve(rows);
    for (key, vector) in (0_u32..).zip(vectors()) {
        index.insert(key, &Kept::encode(&vector, middle).coarse());
    }
    let resident = resident_mb(std::process::id()) - before;
    let mut times = Vec::new();
    let mut found: Vec<Vec<u32>> = Vec::new();
    for query in queries {
        let begun = Instant::now();
        let near = index.search(query, 50, |_| true);
        times.push(begun.elapsed());
        found.push(near.into_iter().map(|near| near.key).collect());
    }
    drop(index);
    let mut exact: Vec<Vec<(f32, u32)>> = vec![Vec::new(); queries.len()];
    let mut fine: Vec<Vec<(f32, u32)>> = exact.clone();
    for (key, vector) in (0_u32..).zip(vectors()) {
        let kept = Kept::encode(&vector, middle);
        for (at, query) in queries.iter().enumerate() {
            let cosine: f32 = query.iter().zip(&vector).map(|(a, b)| a * b).sum();
            keep_ten(&mut exact[at], cosine, key);
            if found[at].contains(&key) {
                keep_ten(&mut fine[at], kept.cosine(query, middle), key);
            }
        }
    }
    let shared = |one: &[(f32, u32)], other: &mut dyn Iterator<Item = u32>| {
        other.filter(|key| one.iter().any(|(_, known)| known == key)).count()
    };
    let wanted: usize = exact.iter().map(Vec::len).sum();
    let coarse: usize =
        exact.iter().zip(&found).map(|(e, f)| shared(e, &mut f.iter().copied().take(10))).sum();
    let fine: usize =
        exact.iter().zip(&fine).map(|(e, f)| shared(e, &mut f.iter().map(|(_, key)| *key))).sum();
    let spread = spread(&mut times);
    println!(
        "| {what} | {rows} | {:.2} | {:.2} | {:.4} | {:.4} | {resident:.0} |",
        spread.p50,
        spread.p95,
        fraction(coarse, wanted),
        fraction(fine, wanted)
    );
}

fn keep_ten(best: &mut Vec<(f32, u32)>, cosine: f32, key: u32) {
    let place = best.partition_point(|(known, _)| *known >= cosine);
    if place < 10 {
        best.insert(place, (cosine, key));
        best.truncate(10);
    }
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn fraction(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
