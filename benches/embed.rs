//! The embedding model on one core, and searching among vectors.
//!
//! `cargo bench --bench embed -- --model FOLDER [--rows 1000,50000,1000000]`; the folder is the one
//! that `afterword model status --json` names. Without it only the search is measured.

#![expect(clippy::print_stdout, reason = "a benchmark talks to people")]

mod measure;

use std::path::Path;
use std::time::{Duration, Instant};

use afterword_engine::embed::{Model, Quantised, VectorIndex};
use measure::{Dice, resident_mb, spread};

/// Numbers of a made-up vector, as many as the recommended model gives.
const DIMENSION: usize = 384;

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
    if let Some(folder) = value("--model") {
        measure_model(Path::new(folder));
    }
    let sizes = value("--rows").map_or("1000,50000", String::as_str);
    println!(
        "\n| rows | p50 ms | p95 ms | recall@10 | resident MB |\n| --- | --- | --- | --- | --- |"
    );
    for size in sizes.split(',').filter_map(|s| s.trim().parse().ok()) {
        measure_search(size);
    }
}

fn measure_model(folder: &Path) {
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

fn measure_search(rows: usize) {
    let mut dice = Dice::new(5);
    let middle: Vec<f32> =
        (0..DIMENSION).map(|at| if at % 2 == 0 { 0.045 } else { -0.045 }).collect();
    let nowhere = vec![middle.clone()];
    let centres: Vec<Vec<f32>> = (0..2_000).map(|_| made_up(&mut dice, &nowhere)).collect();
    let mut index = VectorIndex::around(&middle);
    for key in 0..rows {
        index.insert(key, &Quantised::encode(&made_up(&mut dice, &centres), &middle));
    }
    let queries: Vec<Vec<f32>> = (0..50).map(|_| made_up(&mut dice, &centres)).collect();
    let mut times = Vec::new();
    let mut found = Vec::new();
    for query in &queries {
        let begun = Instant::now();
        found.push(index.search(query, 10, |_| true));
        times.push(begun.elapsed());
    }
    // Against a scan of every row, which is what the index itself does below its limit.
    let index = index.with_bits_from(usize::MAX);
    let hits: usize = queries
        .iter()
        .zip(&found)
        .map(|(query, found)| {
            let exact = index.search(query, 10, |_| true);
            found.iter().filter(|near| exact.iter().any(|e| e.key == near.key)).count()
        })
        .sum();
    let spread = spread(&mut times);
    let resident = resident_mb(std::process::id());
    let wanted = queries.len() * 10.min(rows);
    println!(
        "| {rows} | {:.2} | {:.2} | {:.3} | {resident:.0} |",
        spread.p50,
        spread.p95,
        fraction(hits, wanted)
    );
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn fraction(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
