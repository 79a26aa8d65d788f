//! `afterword eval`: how well recall finds what it should, measured on a dataset.
//!
//! Works without a daemon: the dataset goes into a store in a temporary folder, which is gone when
//! the command ends. The dataset's folder is only read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use afterword_engine::embed::{Embedder, LocalEmbedder, Model};
use afterword_engine::eval::{
    self, Answered, Dataset, DatasetError, KeptEmbedder, Meaning, Mode, ModeReport, PromptReport,
    Report, Scores, Split,
};
use afterword_engine::{Engine, Settings};
use afterword_store::Store;
use afterword_store::postgres::{PostgresOptions, PostgresPool, TenantId};
use afterword_store::sqlite::SqliteStore;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::Tools;
use super::model;
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
    /// The database for `--backend postgres`; `AFTERWORD_DATABASE_URL` unless given
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Where embeddings are kept between runs; models/eval-cache in the data folder unless given
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Also give the questions as prompts, and count those that are answered
    #[arg(long)]
    prompt_recall: bool,
    /// A dataset about other things, whose questions should not be answered here
    #[arg(long, value_name = "DIR", requires = "prompt_recall")]
    off_topic: Vec<PathBuf>,
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
    /// A schema of its own in a PostgreSQL database, gone when the command ends
    Postgres,
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
    let embedder = embedder(tools, arguments)?;
    if embedder.is_none() {
        tools.out.notice(
            "note: no embedding model is installed, so only keyword search was measured; \
             `afterword model pull` installs one",
        );
    }
    let foreign = arguments.off_topic.iter().map(|folder| Dataset::open(folder));
    let foreign: Vec<Dataset> = foreign.collect::<Result<_, _>>().map_err(told)?;
    let foreign = arguments.prompt_recall.then_some(foreign);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report =
        runtime.block_on(run(tools, arguments, (&dataset, split), embedder, foreign.as_deref()))?;
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
    of: (&Dataset, Split),
    embedder: Option<Arc<dyn Embedder>>,
    foreign: Option<&[Dataset]>,
) -> anyhow::Result<Report> {
    match arguments.backend {
        Backend::Sqlite => {
            let folder = tempfile::Builder::new().prefix("afterword-eval-").tempdir()?;
            let store = SqliteStore::open(&folder.path().join("eval.db"))
                .with_context(|| format!("cannot make a store in {}", folder.path().display()))?;
            measure(tools, Arc::new(store), of, embedder, foreign).await
        }
        Backend::Postgres => {
            let pool = connect(tools, arguments).await?;
            let store = Arc::new(pool.tenant(TenantId::DEFAULT));
            let report = measure(tools, store, of, embedder, foreign).await;
            // Also where measuring failed; that is what is told then.
            let gone = pool.drop_schema().await;
            let report = report?;
            gone.context("the schema that was measured in could not be taken away")?;
            Ok(report)
        }
    }
}

/// A schema of this run's own.
async fn connect(tools: &Tools, arguments: &EvalArguments) -> anyhow::Result<PostgresPool> {
    let told = arguments.database_url.as_deref();
    let Some(url) = told.or_else(|| tools.config.env.get("AFTERWORD_DATABASE_URL")) else {
        let how = "--backend postgres needs a database: give --database-url URL, or set \
                   AFTERWORD_DATABASE_URL";
        return Err(Failure::User(how.to_owned()).into());
    };
    let schema = format!("afterword_eval_{}", uuid::Uuid::new_v4().simple());
    let options = PostgresOptions { schema, ..PostgresOptions::default() };
    PostgresPool::connect(url, &options)
        .await
        .map_err(|error| Failure::User(error.to_string()).into())
}

async fn measure(
    tools: &Tools,
    store: Arc<dyn Store>,
    (dataset, split): (&Dataset, Split),
    embedder: Option<Arc<dyn Embedder>>,
    foreign: Option<&[Dataset]>,
) -> anyhow::Result<Report> {
    let settings = Settings {
        skip_tools: std::collections::HashSet::new(),
        session_context: false,
        prompt_recall: false,
        file_recall: false,
        retention: afterword_engine::Retention::default(),
    };
    let engine = Engine::new(store, Arc::clone(&tools.clock), settings);
    let progress = bar(tools, "stored");
    let stored = eval::ingest(&engine, dataset, |docs| progress.set_position(docs)).await;
    progress.finish_and_clear();
    let stored = stored.map_err(told)?;
    let mut modes = BTreeMap::new();
    let keyword =
        eval::measure(dataset, split, &stored, async |request| engine.search(&request).await);
    modes.insert(Mode::Keyword, keyword.await.map_err(told)?);
    let mut prompts = BTreeMap::new();
    if let Some(foreign) = foreign {
        let answered = eval::measure_prompts(
            &engine,
            dataset,
            split,
            &stored,
            foreign,
            async |project, text| eval::prompt(&engine, project, text, None).await,
        );
        prompts.insert(Mode::Keyword, answered.await.map_err(told)?);
    }
    if let Some(embedder) = embedder {
        let progress = bar(tools, "embedded");
        let meaning = Meaning::of(&engine, embedder, |rows| progress.set_position(rows)).await;
        progress.finish_and_clear();
        let meaning = meaning.map_err(told)?;
        for mode in [Mode::Dense, Mode::Hybrid] {
            let found = eval::measure(dataset, split, &stored, async |request| {
                meaning.search(&engine, mode, &request).await
            });
            modes.insert(mode, found.await.map_err(told)?);
        }
        if let Some(foreign) = foreign {
            let answered = eval::measure_prompts(
                &engine,
                dataset,
                split,
                &stored,
                foreign,
                async |project, text| meaning.prompt(&engine, Mode::Hybrid, project, text).await,
            );
            prompts.insert(Mode::Hybrid, answered.await.map_err(told)?);
        }
    }
    Ok(Report { dataset: dataset.name(), split, modes, prompts })
}

/// The installed model with the vectors of earlier runs; none where none is installed.
fn embedder(tools: &Tools, arguments: &EvalArguments) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
    let Some(folder) = model::installed(tools) else { return Ok(None) };
    let model = Model::load(&folder)
        .with_context(|| format!("cannot use the embedding model in {}", folder.display()))?;
    let usual = || tools.config.home.models().join("eval-cache");
    let cache = arguments.cache.clone().unwrap_or_else(usual);
    let kept = KeptEmbedder::open(Arc::new(LocalEmbedder::new(model)?), &cache)
        .with_context(|| format!("cannot keep embeddings in {}", cache.display()))?;
    Ok(Some(Arc::new(kept)))
}

/// What is wrong with the dataset is the caller's to mend.
fn told(error: DatasetError) -> anyhow::Error {
    match error {
        DatasetError::Engine(error @ afterword_engine::Error::Store(_)) => error.into(),
        other => Failure::User(other.to_string()).into(),
    }
}

fn bar(tools: &Tools, done: &str) -> ProgressBar {
    if !tools.out.watched() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(&format!("{{spinner}} {{pos}} docs {done}"))
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
    for (mode, found) in &report.prompts {
        show_prompts(tools, *mode, found);
    }
}

fn show_prompts(tools: &Tools, mode: Mode, found: &PromptReport) {
    let out = tools.out;
    out.line(&out.bold(&format!("prompts answered · {}", mode.word())));
    let Answered { prompts, spoke, right } = found.on_topic;
    out.line(&format!("on topic: {spoke:.3} of {prompts}, with a known answer {right:.3}"));
    for (name, Answered { prompts, spoke, .. }) in &found.off_topic {
        out.line(&format!("off topic, {name}: {spoke:.3} of {prompts}"));
    }
}

fn row(name: &str, s: &Scores) -> String {
    format!(
        "{name:<14} {:>4} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>7.3}",
        s.queries, s.recall_1, s.recall_5, s.recall_10, s.recall_20, s.hit_5, s.mrr, s.ndcg_10
    )
}
