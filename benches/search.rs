//! Search over many rows of one project, through the engine, without HTTP.
//!
//! `cargo bench --bench search -- [--rows 1000,50000] [--queries 300] [--model FOLDER]`; a million rows
//! on demand. With the folder of a model, which `afterword model status --json` names, rows are found
//! by meaning too: up to 10,000 of them have real vectors, the rest made-up ones near those.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to people")]

mod measure;
#[path = "measure/vectors.rs"]
mod vectors;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use afterword::config::SystemClock;
use afterword_domain::owner::Owner;
use afterword_domain::project::ProjectRef;
use afterword_domain::wire::portable::PortableRow;
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::{Clock as _, Kind, Time};
use afterword_engine::vectors::{EmbedderSource, Embeddings};
use afterword_engine::{Engine, Extras, Retention, Settings, analyze};
use afterword_store::Store;
use afterword_store::contract::ImportRow;
use afterword_store::sqlite::SqliteStore;
use measure::{Dice, Vocabulary, resident_mb, spread};
use vectors::{MadeUp, Shared};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.iter().any(|a| a == "--test") {
        return;
    }
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let sizes = value("--rows").map_or("1000,50000", String::as_str);
    let queries: usize = value("--queries").and_then(|q| q.parse().ok()).unwrap_or(300);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let model = value("--model").map(|folder| Arc::new(MadeUp::load(Path::new(folder))));
    println!("| rows | query | p50 ms | p95 ms | p99 ms |\n| --- | --- | --- | --- | --- |");
    for size in sizes.split(',').filter_map(|s| s.trim().parse().ok()) {
        runtime.block_on(measure_size(size, queries, model.clone()));
    }
}

async fn measure_size(rows: usize, queries: usize, model: Option<Arc<MadeUp>>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::open(&folder.path().join("bench.db")).expect("a store"));
    let vocabulary = Vocabulary::new(20_000);
    fill(&*store, &vocabulary, rows).await;
    let settings = Settings {
        skip_tools: std::collections::HashSet::default(),
        session_context: true,
        prompt_recall: true,
        file_recall: true,
        retention: Retention::default(),
    };
    let hybrid = model.is_some();
    let embeddings = Embeddings {
        source: model.map(|model| Arc::new(Shared(model)) as Arc<dyn EmbedderSource>),
        ..Embeddings::default()
    };
    let clock = Arc::new(SystemClock);
    let extras = Extras { embeddings, ..Extras::default() };
    let engine = Engine::with(Arc::clone(&store), clock, settings, extras);
    if hybrid {
        let before = resident_mb(std::process::id());
        let begun = Instant::now();
        engine.embed_due().await.expect("rows are embedded");
        let warm = SearchRequest { query: vocabulary.rank(9).into(), ..SearchRequest::default() };
        engine.search(&warm).await.expect("an answer");
        let resident = resident_mb(std::process::id());
        eprintln!(
            "{rows} rows embedded in {:.1} s; resident {before:.0} MB before, {resident:.0} MB after",
            begun.elapsed().as_secs_f64()
        );
    }
    let way = if hybrid { "hybrid, " } else { "" };
    let mut dice = Dice::new(99);
    let natural = |dice: &mut Dice| vocabulary.text(dice, 3);
    // The ten most frequent words stand in nearly every row.
    let common = |dice: &mut Dice| {
        (0..3).map(|_| vocabulary.rank(dice.below(10))).collect::<Vec<_>>().join(" ")
    };
    for (name, query) in [
        ("three words, natural spread", &natural as &dyn Fn(&mut Dice) -> String),
        ("three of the ten commonest words", &common),
    ] {
        let mut times: Vec<Duration> = Vec::with_capacity(queries);
        for _ in 0..queries {
            let request = SearchRequest {
                query: query(&mut dice),
                project: Some(ProjectRef::named("bench")),
                limit: Some(20),
                ..SearchRequest::default()
            };
            let begun = Instant::now();
            let answer = engine.search(&request).await.expect("an answer");
            times.push(begun.elapsed());
            assert!(answer.results.len() <= 20, "the limit holds");
        }
        let s = spread(&mut times);
        println!("| {rows} | {way}{name} | {:.2} | {:.2} | {:.2} |", s.p50, s.p95, s.p99);
    }
}

async fn fill(store: &dyn Store, vocabulary: &Vocabulary, rows: usize) {
    let now = SystemClock.now();
    let project =
        store.resolve_project(&ProjectRef::named("bench"), now).await.expect("a project").id;
    let mut dice = Dice::new(1);
    let begun = Instant::now();
    let mut batch = Vec::new();
    for i in 0..rows {
        let (title, text) = (vocabulary.text(&mut dice, 8), vocabulary.text(&mut dice, 60));
        let files = vec![format!("src/{}.rs", vocabulary.word(&mut dice))];
        batch.push(ImportRow {
            owner: Owner::default(),
            project_id: project,
            text_key: analyze::text_key(&text),
            index: analyze::index_doc(&title, &text, &files),
            row: PortableRow {
                kind: Some(Kind::Observation),
                title,
                text,
                files,
                created_at: Some(Time::from_millis(
                    1_700_000_000_000 + i64::try_from(i).unwrap_or(0) * 60_000,
                )),
                ..PortableRow::default()
            },
        });
        if batch.len() == 1000 || i + 1 == rows {
            store.import_rows(std::mem::take(&mut batch), now).await.expect("rows go in");
        }
    }
    eprintln!("{rows} rows in {:.1} s", begun.elapsed().as_secs_f64());
}
