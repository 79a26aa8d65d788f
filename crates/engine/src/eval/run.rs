//! Storing a dataset and asking its questions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::portable::PortableRow;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use afterword_domain::{Kind, Time};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::metrics::Tally;
use super::{Dataset, DatasetError, Doc, Level, PromptReport, Query, Scores, Split};
use crate::Engine;

/// Bytes of lines that are stored at a time.
const BATCH_BYTES: usize = 512 * 1024;

/// Results asked for where docs are the answers.
const DOC_LIMIT: usize = 20;

/// Results asked for where sessions are the answers: one session has many docs.
const SESSION_LIMIT: usize = 100;

/// The way a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By words alone.
    Keyword,
    /// By meaning alone.
    Dense,
    /// By both.
    Hybrid,
}

impl Mode {
    /// As it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Keyword => "keyword",
            Self::Dense => "dense",
            Self::Hybrid => "hybrid",
        }
    }
}

/// What a run found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The name of the dataset's folder.
    pub dataset: String,
    /// Which questions were asked.
    pub split: Split,
    /// The modes that could be measured.
    pub modes: BTreeMap<Mode, ModeReport>,
    /// How prompts are answered, by mode; only where that was asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prompts: BTreeMap<Mode, PromptReport>,
}

/// What a run found out about one mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModeReport {
    /// Over all questions.
    #[serde(flatten)]
    pub scores: Scores,
    /// How long an answer took.
    pub latency_ms: Latency,
    /// By the type of the questions.
    pub by_type: BTreeMap<String, Scores>,
}

/// Milliseconds from asking to the answer, one question at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Half of the answers came within.
    pub p50: f64,
    /// 95 in a hundred answers came within.
    pub p95: f64,
}

/// The docs of a dataset by the uid they were stored with.
#[derive(Debug, Default)]
pub struct Ingested {
    docs: HashMap<Uuid, (String, String)>,
}

impl Ingested {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }
}

/// Stores the docs of a dataset by the engine's import, each group as a project of its own.
///
/// `progress` is told after each batch how many docs are stored. A doc that cannot be stored ends
/// it with an error.
pub async fn ingest(
    engine: &Engine,
    dataset: &Dataset,
    mut progress: impl FnMut(u64),
) -> Result<Ingested, DatasetError> {
    let mut ingested = Ingested::default();
    let mut lines = String::new();
    let mut first = 1;
    for (number, doc) in (1_u64..).zip(dataset.docs()?) {
        let doc = doc?;
        let uid = Uuid::from_u128(number.into());
        lines.push_str(&line(&doc, uid)?);
        lines.push('\n');
        ingested.docs.insert(uid, (doc.id, doc.session.unwrap_or_default()));
        if lines.len() >= BATCH_BYTES {
            store(engine, &lines, first).await?;
            progress(number);
            lines.clear();
            first = number + 1;
        }
    }
    store(engine, &lines, first).await?;
    progress(ingested.len() as u64);
    Ok(ingested)
}

async fn store(engine: &Engine, lines: &str, first: u64) -> Result<(), DatasetError> {
    let report = engine.import_lines(lines, first, &ProjectRef::default()).await?;
    match report.problems.first() {
        None if report.stored == report.read => Ok(()),
        None => {
            let what = format!("{} docs are there twice", report.read - report.stored);
            Err(crate::Error::Invalid(what).into())
        }
        Some(problem) => {
            let what = format!("doc {} cannot be stored: {}", problem.line, problem.reason);
            Err(crate::Error::Invalid(what).into())
        }
    }
}

/// A doc as a line of an export. Sessions of different groups are kept apart.
fn line(doc: &Doc, uid: Uuid) -> Result<String, DatasetError> {
    let row = PortableRow {
        uid: Some(uid),
        kind: Some(Kind::Observation),
        text: doc.text.clone(),
        project: Some(doc.group.clone()),
        project_keys: vec![format!("eval:{}", doc.group)],
        session: doc.session.as_ref().map(|session| format!("{}/{session}", doc.group)),
        created_at: Some(doc.time.unwrap_or(Time::from_millis(0))),
        ..PortableRow::default()
    };
    serde_json::to_string(&row).map_err(|e| crate::Error::Invalid(e.to_string()).into())
}

/// Asks the questions of a split, one after the other, each inside its group.
///
/// `ask` answers a search; its time is what the latency counts.
pub async fn measure<A>(
    dataset: &Dataset,
    split: Split,
    ingested: &Ingested,
    mut ask: A,
) -> Result<ModeReport, DatasetError>
where
    A: AsyncFnMut(SearchRequest) -> crate::Result<SearchAnswer>,
{
    let mut all = Tally::default();
    let mut by_type: BTreeMap<String, Tally> = BTreeMap::new();
    let mut times: Vec<f64> = Vec::new();
    for query in dataset.queries(split)? {
        let request = request(query);
        let begun = Instant::now();
        let answer = ask(request).await?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        let found = ingested.found(query, &answer);
        all.add(&found, &query.gold);
        by_type.entry(query.r#type.clone()).or_default().add(&found, &query.gold);
    }
    Ok(ModeReport {
        scores: all.scores(),
        latency_ms: Latency::of(&mut times),
        by_type: by_type.into_iter().map(|(name, tally)| (name, tally.scores())).collect(),
    })
}

/// The project that a group was stored as.
pub(super) fn group(name: &str) -> ProjectRef {
    ProjectRef { keys: vec![format!("eval:{name}")], ..ProjectRef::named(name) }
}

/// A share of a number, four decimals.
#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
pub(super) fn share(of: u64, all: u64) -> f64 {
    (of as f64 / all.max(1) as f64 * 10_000.0).round() / 10_000.0
}

fn request(query: &Query) -> SearchRequest {
    let limit = match query.level {
        Level::Doc => DOC_LIMIT,
        Level::Session => SESSION_LIMIT,
    };
    SearchRequest {
        query: query.text.clone(),
        project: Some(group(&query.group)),
        limit: Some(limit),
        ..SearchRequest::default()
    }
}

impl Ingested {
    /// Whether a row is a known answer of a question.
    pub(super) fn is_gold(&self, query: &Query, uid: Uuid) -> bool {
        self.docs.get(&uid).is_some_and(|(id, session)| match query.level {
            Level::Doc => query.gold.contains(id),
            Level::Session => query.gold.contains(session),
        })
    }

    /// What was found, by the names that the answers of this question go by, each once.
    fn found(&self, query: &Query, answer: &SearchAnswer) -> Vec<&str> {
        let mut seen = HashSet::new();
        let docs = answer.results.iter().filter_map(|result| self.docs.get(&result.uid));
        let names = docs.map(|(id, session)| match query.level {
            Level::Doc => id.as_str(),
            Level::Session => session.as_str(),
        });
        names.filter(|name| seen.insert(*name)).collect()
    }
}

impl Latency {
    fn of(times: &mut [f64]) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |percent: usize| {
            let place = (times.len() * percent).div_ceil(100).saturating_sub(1);
            (times.get(place).copied().unwrap_or(0.0) * 100.0).round() / 100.0
        };
        Self { p50: at(50), p95: at(95) }
    }
}
