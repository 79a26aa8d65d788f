//! `afterword eval`: how well recall finds what it should, measured on a dataset.
//!
//! Works without a daemon: the dataset goes into a store in a temporary folder, which is gone when
//! the command ends. The dataset's folder is only read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use afterword_engine::eval::{
    self, Dataset, DatasetError, Mode, ModeReport, Report, Scores, Split,
};
use afterword_engine::{Engine, Settings};
use afterword_store::sqlite::SqliteStore;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::Tools;
use super::output::Failure;

/// Measure recall on a dataset of questions with known answers
#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// The folder with docs.jsonl, queries.jsonl and split.json
    folder: PathBuf,
    /// Only these questions; all of them unless given
    #[arg(long)]
    split: Option<SplitName>,
    /// Where the docs are stored while they are measured
    #[arg(long, default_value = "sqlite")]
    backend: Backend,
    /// Where embeddings are kept between runs; models/eval-cache in the data folder unless given
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SplitName {
    /// Questions that weights may be set on
    Dev,
    /// Questions that are only reported
    Test,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Backend {
    /// A file in a temporary folder
    Sqlite,
}

/// Stores the dataset, asks its questions and shows what was found.
pub(super) fn eval(tools: &Tools, arguments: &EvalArguments) -> anyhow::Result<ExitCode> {
    let dataset = Dataset::open(&arguments.folder).map_err(told)?;
    let split = match arguments.split {
        None => Split::All,
        Some(SplitName::Dev) => Split::Dev,
        Some(SplitName::Test) => Split::Test,
    };
    dataset.queries(split).map_err(told)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(run(tools, arguments, &dataset, split))?;
    tools.out.notice(&format!(
        "note: no embedding model is installed, so only keyword search was measured; with one, \
         embeddings are kept in {}",
        cache(tools, arguments).display()
    ));
    if tools.out.json {
        tools.out.value(&report)?;
    } else {
        show(tools, &report);
    }
    Ok(ExitCode::SUCCESS)
}

async fn run(
    tools: &Tools,
    arguments: &EvalArguments,
    dataset: &Dataset,
    split: Split,
) -> anyhow::Result<Report> {
    let folder = tempfile::Builder::new().prefix("afterword-eval-").tempdir()?;
    let store = match arguments.backend {
        Backend::Sqlite => SqliteStore::open(&folder.path().join("eval.db"))
            .with_context(|| format!("cannot make a store in {}", folder.path().display()))?,
    };
    let settings = Settings {
        skip_tools: std::collections::HashSet::new(),
        session_context: false,
        prompt_recall: false,
        file_recall: false,
        retention: afterword_engine::Retention::default(),
    };
    let engine = Engine::new(Arc::new(store), Arc::clone(&tools.clock), settings);
    let bar = bar(tools);
    let stored = eval::ingest(&engine, dataset, |docs| bar.set_position(docs)).await;
    bar.finish_and_clear();
    let stored = stored.map_err(told)?;
    let keyword =
        eval::measure(dataset, split, &stored, async |request| engine.search(&request).await);
    let modes = BTreeMap::from([(Mode::Keyword, keyword.await.map_err(told)?)]);
    Ok(Report { dataset: dataset.name(), split, modes })
}

fn cache(tools: &Tools, arguments: &EvalArguments) -> PathBuf {
    let usual = || tools.config.home.folder().join("models").join("eval-cache");
    arguments.cache.clone().unwrap_or_else(usual)
}

/// What is wrong with the dataset is the caller's to mend.
fn told(error: DatasetError) -> anyhow::Error {
    match error {
        DatasetError::Engine(error @ afterword_engine::Error::Store(_)) => error.into(),
        other => Failure::User(other.to_string()).into(),
    }
}

fn bar(tools: &Tools) -> ProgressBar {
    if !tools.out.watched() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {pos} docs stored")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}

fn show(tools: &Tools, report: &Report) {
    let out = tools.out;
    for (mode, found) in &report.modes {
        let ModeReport { scores, latency_ms, by_type } = found;
        out.line(&out.bold(&format!(
            "{} · {} · {}: {} questions, {:.2} ms (p95 {:.2} ms)",
            report.dataset,
            report.split.word(),
            mode.word(),
            scores.queries,
            latency_ms.p50,
            latency_ms.p95
        )));
        out.line(&out.dim(&format!(
            "{:<14} {:>4} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7}",
            "", "n", "R@1", "R@5", "R@10", "R@20", "hit@5", "MRR", "NDCG@10"
        )));
        out.line(&row("all", scores));
        for (name, scores) in by_type {
            out.line(&row(name, scores));
        }
    }
}

fn row(name: &str, s: &Scores) -> String {
    format!(
        "{name:<14} {:>4} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>7.3}",
        s.queries, s.recall_1, s.recall_5, s.recall_10, s.recall_20, s.hit_5, s.mrr, s.ndcg_10
    )
}
