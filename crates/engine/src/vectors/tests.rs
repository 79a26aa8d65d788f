use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use afterword_domain::filter::{NameMatch, OwnerMatch};
use afterword_domain::owner::OwnerKind;
use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::time::FixedClock;
use afterword_domain::wire::memory::RememberRequest;
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::{Kind, PublicId};
use afterword_store::Store;
use afterword_store::postgres::{PostgresOptions, PostgresPool, TenantId};
use afterword_store::sqlite::SqliteStore;
use async_trait::async_trait;
use tokio::sync::watch;

use super::state::space_of;
use super::{EmbedderSource, Embeddings, NearFilter};
use crate::embed::{self, Embedder, Error};
use crate::recall::testing::day;
use crate::{Engine, Extras, Retention, Settings};

const PATIENCE: Duration = Duration::from_mins(1);

/// A model that finds texts near which share words, and can be told to fail.
#[derive(Debug)]
struct Words {
    id: String,
    middle: Vec<f32>,
    switch: Arc<Switch>,
}

#[derive(Debug, Default)]
struct Switch {
    id: Mutex<String>,
    fails: AtomicBool,
    texts: AtomicUsize,
    loads: AtomicUsize,
}

#[derive(Debug)]
struct WordsSource(Arc<Switch>);

#[async_trait]
impl EmbedderSource for WordsSource {
    fn id(&self) -> Option<String> {
        let id = self.0.id.lock().unwrap().clone();
        (!id.is_empty()).then_some(id)
    }

    async fn load(&self) -> embed::Result<Arc<dyn Embedder>> {
        self.0.loads.fetch_add(1, Ordering::SeqCst);
        let (id, switch) = (self.id().unwrap(), Arc::clone(&self.0));
        Ok(Arc::new(Words { id, middle: vec![0.01; 64], switch }))
    }
}

impl Words {
    fn vector(&self, text: &str) -> embed::Result<Vec<f32>> {
        if self.switch.fails.load(Ordering::SeqCst) {
            return Err(Error::Unavailable("switched off".into()));
        }
        if text.contains("unspeakable") {
            return Err(Error::Refused("not this".into()));
        }
        self.switch.texts.fetch_add(1, Ordering::SeqCst);
        let mut vector = vec![0.001; 64];
        for word in text.split_whitespace() {
            let sum: usize = word.bytes().map(usize::from).sum();
            vector[(sum + word.len() * 7) % 64] += 1.0;
        }
        let length = vector.iter().map(|n| n * n).sum::<f32>().sqrt();
        Ok(vector.into_iter().map(|n| n / length).collect())
    }
}

#[async_trait]
impl Embedder for Words {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        64
    }

    fn middle(&self) -> &[f32] {
        &self.middle
    }

    async fn passages(&self, texts: &[&str]) -> embed::Result<Vec<Vec<f32>>> {
        texts.iter().map(|text| self.vector(text)).collect()
    }

    async fn query(&self, text: &str) -> embed::Result<Vec<f32>> {
        self.vector(text)
    }
}

struct Home {
    _folder: Option<tempfile::TempDir>,
    store: Arc<dyn Store>,
    switch: Arc<Switch>,
    engine: Arc<Engine>,
}

impl Home {
    fn new(model: &str) -> Self {
        Self::idle_after(model, Duration::from_hours(1))
    }

    fn idle_after(model: &str, idle: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("afterword.db")).unwrap();
        Self::on(Arc::new(store), Some(folder), model, idle)
    }

    /// On a database that finds what is near by itself; none, with a notice, where there is none.
    async fn on_postgres(model: &str) -> Option<Self> {
        let database = afterword_testkit::Postgres::locate_or_skip()?.database();
        let options = PostgresOptions::default();
        let pool = PostgresPool::connect(&database.url, &options).await.unwrap();
        let store = Arc::new(pool.tenant(TenantId::DEFAULT));
        Some(Self::on(store, None, model, Duration::from_hours(1)))
    }

    fn on(
        store: Arc<dyn Store>,
        folder: Option<tempfile::TempDir>,
        model: &str,
        idle: Duration,
    ) -> Self {
        let switch = Arc::new(Switch::default());
        model.clone_into(&mut switch.id.lock().unwrap());
        let settings = Settings {
            skip_tools: HashSet::new(),
            session_context: true,
            prompt_recall: true,
            file_recall: true,
            retention: Retention { days: 0, megabytes: 0 },
        };
        let source: Arc<dyn EmbedderSource> = Arc::new(WordsSource(Arc::clone(&switch)));
        let embeddings = Embeddings { source: Some(source), idle };
        let extras = Extras { embeddings, ..Extras::default() };
        let engine =
            Engine::with(Arc::clone(&store), Arc::new(FixedClock(day(0))), settings, extras);
        Self { _folder: folder, store, switch, engine }
    }

    async fn remember(&self, project: &str, text: &str) -> PublicId {
        let request = RememberRequest {
            text: text.to_owned(),
            project: ProjectRef::named(project),
            ..RememberRequest::default()
        };
        let origin = afterword_domain::memory::Origin::Told;
        let memory = self.engine.remember(request, origin).await.unwrap();
        PublicId::new(Kind::Memory, memory.id)
    }

    async fn near(&self, question: &str, filter: &NearFilter) -> Option<Vec<PublicId>> {
        let near = self.engine.near(question, filter, 3, PATIENCE).await?;
        assert!(near.is_sorted_by(|a, b| a.cosine >= b.cosine));
        Some(near.into_iter().map(|near| near.key).collect())
    }

    async fn nearest(&self, question: &str) -> Option<PublicId> {
        self.near(question, &NearFilter::default()).await?.first().copied()
    }

    /// Runs the background task until it is dropped.
    fn background(&self) -> (watch::Sender<bool>, tokio::task::JoinHandle<()>) {
        let (stop, stopping) = watch::channel(false);
        (stop, tokio::spawn(Arc::clone(&self.engine).run_embedding(stopping)))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_found_by_meaning_as_soon_as_they_are_embedded() {
    found_by_meaning(Home::new("words")).await;
    if let Some(home) = Home::on_postgres("words").await {
        found_by_meaning(home).await;
    }
}

async fn found_by_meaning(home: Home) {
    let gate = home.remember("shop", "the gateway waits six seconds").await;
    let tabs = home.remember("shop", "indent by tabs please").await;
    assert_eq!(home.engine.near("tabs", &NearFilter::default(), 3, Duration::ZERO).await, None);
    home.engine.embed_due().await.unwrap();
    assert_eq!(home.nearest("gateway seconds").await, Some(gate));
    assert_eq!(home.nearest("tabs please").await, Some(tabs));
    assert_eq!(home.engine.near("", &NearFilter::default(), 3, PATIENCE).await, None);
    let status = home.engine.status().await.unwrap().embeddings;
    assert_eq!((status.embedded, status.waiting, status.loaded), (2, 0, true));
    assert_eq!(status.model.as_deref(), Some("words"));
    // What comes later is found as well, what goes is gone at once.
    let late = home.remember("shop", "zebra crossing").await;
    home.engine.embed_due().await.unwrap();
    assert_eq!(home.nearest("zebra").await, Some(late));
    home.engine.forget(&[late]).await.unwrap();
    assert!(!home.near("zebra", &NearFilter::default()).await.unwrap().contains(&late));
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_are_exact_and_the_best_part_counts() {
    exact_filters(Home::new("words")).await;
    if let Some(home) = Home::on_postgres("words").await {
        exact_filters(home).await;
    }
}

async fn exact_filters(home: Home) {
    for n in 0..40 {
        home.remember("crowd", &format!("zebra number {n}")).await;
    }
    let padding = "quite other words about nothing at all. ".repeat(40);
    let long = home.remember("shop", &format!("{padding}\n\nzebra zebra\n\n{padding}")).await;
    let other = home.remember("shop", "unlike anything").await;
    home.engine.embed_due().await.unwrap();
    let shop = home.store.projects_named("shop").await.unwrap()[0].id;
    let filter = NearFilter { scope: Scope::Project(shop), ..NearFilter::default() };
    let found = home.near("zebra", &filter).await.unwrap();
    assert_eq!(found.len(), 2, "each row once, and no other project");
    assert!(found.contains(&long) && found.contains(&other));
    let none = NearFilter { kind: Some(Kind::Prompt), ..NearFilter::default() };
    assert_eq!(home.near("zebra", &none).await, Some(Vec::new()));
    let later = NearFilter { since: Some(day(1)), ..NearFilter::default() };
    assert_eq!(home.near("zebra", &later).await, Some(Vec::new()));
    let since = NearFilter { since: Some(day(0)), ..NearFilter::default() };
    assert_eq!(home.near("zebra", &since).await.unwrap().len(), 3);
    let earlier = NearFilter { until: Some(day(0)), ..NearFilter::default() };
    assert_eq!(home.near("zebra", &earlier).await, Some(Vec::new()));
    let until = NearFilter { until: Some(day(1)), ..NearFilter::default() };
    assert_eq!(home.near("zebra", &until).await.unwrap().len(), 3);
    let question =
        SearchRequest { until: Some(day(0)), query: "zebra".into(), ..SearchRequest::default() };
    let found = home.engine.search(&question).await.unwrap();
    assert!(found.results.is_empty(), "rows that are near by meaning pass the same filters");
    let owned = async |user: &str, text: &str| {
        let request = RememberRequest {
            text: text.to_owned(),
            project: ProjectRef::named("crowd"),
            metadata: serde_json::json!({ "user_id": user, "run_id": text.len() }),
            ..RememberRequest::default()
        };
        let origin = afterword_domain::memory::Origin::Told;
        PublicId::new(Kind::Memory, home.engine.remember(request, origin).await.unwrap().id)
    };
    let adas = owned("ada", "zebra of ada").await;
    let bos = owned("bo", "zebra of b").await;
    home.engine.embed_due().await.unwrap();
    let of = |kind: OwnerKind, names: &[&str]| {
        let mut matched = OwnerMatch::default();
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        *matched.of_mut(kind) = NameMatch::OneOf(names);
        matched
    };
    let near = async |owners: Vec<OwnerMatch>| {
        let filter = NearFilter { owners: Some(owners), ..NearFilter::default() };
        let mut near = home.near("zebra", &filter).await.unwrap();
        near.sort_unstable();
        near
    };
    let (ada, bo) = (of(OwnerKind::User, &["ada"]), of(OwnerKind::User, &["bo", "cy"]));
    assert_eq!(near(vec![ada.clone()]).await, [adas]);
    assert_eq!(near(vec![bo.clone()]).await, [bos]);
    assert_eq!(near(vec![ada.clone(), bo]).await, [adas, bos]);
    assert_eq!(near(vec![of(OwnerKind::User, &["cy"])]).await, []);
    assert_eq!(near(vec![]).await, []);
    let both = OwnerMatch { run: NameMatch::OneOf(["10".to_owned()].into()), ..ada };
    assert_eq!(near(vec![both]).await, [], "another run");
    let present = OwnerMatch { run: NameMatch::Present, ..OwnerMatch::default() };
    assert_eq!(near(vec![present]).await, [adas, bos]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_embeds_everything_again_and_never_mixes() {
    another_model(Home::new("old")).await;
    if let Some(home) = Home::on_postgres("old").await {
        another_model(home).await;
    }
}

async fn another_model(home: Home) {
    let row = home.remember("shop", "the gateway waits").await;
    home.engine.embed_due().await.unwrap();
    assert_eq!(home.nearest("gateway").await, Some(row));
    let texts = home.switch.texts.load(Ordering::SeqCst);
    home.engine.embed_due().await.unwrap();
    assert_eq!(home.switch.texts.load(Ordering::SeqCst), texts, "nothing is embedded twice");
    "new".clone_into(&mut home.switch.id.lock().unwrap());
    assert_eq!(home.engine.near("gateway", &NearFilter::default(), 3, Duration::ZERO).await, None);
    let status = home.engine.status().await.unwrap().embeddings;
    assert_eq!((status.embedded, status.waiting), (0, 1), "as the new model has it");
    home.engine.embed_due().await.unwrap();
    assert_eq!(home.nearest("gateway").await, Some(row));
    let counts = home.store.vector_counts().await.unwrap().unwrap();
    assert_eq!((counts.space, counts.embedded), (space_of("new"), 1));
    let old = home.store.open_space(&space_of("old"), 64).await.unwrap();
    assert!(home.store.vectors(old, 0, 9).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_everything_works_on_keywords() {
    let home = Home::new("");
    home.remember("shop", "the gateway waits").await;
    home.engine.embed_due().await.unwrap();
    assert_eq!(home.nearest("gateway").await, None);
    assert_eq!(home.switch.loads.load(Ordering::SeqCst), 0);
    let status = home.engine.status().await.unwrap().embeddings;
    assert_eq!((status.model, status.embedded, status.waiting), (None, 0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_told_and_a_refused_row_keeps_no_other_waiting() {
    let home = Home::new("words");
    home.switch.fails.store(true, Ordering::SeqCst);
    let row = home.remember("shop", "the gateway waits").await;
    home.engine.embed_due().await.unwrap();
    let status = home.engine.status().await.unwrap().embeddings;
    assert!(status.problem.unwrap().contains("switched off"));
    assert_eq!((status.embedded, status.waiting), (0, 1));
    assert_eq!(home.nearest("gateway").await, None, "and nobody waits for it");
    home.switch.fails.store(false, Ordering::SeqCst);
    home.remember("shop", "unspeakable words").await;
    let (stop, task) = home.background();
    let mut status = home.engine.status().await.unwrap().embeddings;
    // Vectors are saved a moment before the failure is taken back.
    while status.embedded < 2 || status.problem.is_some() {
        tokio::task::yield_now().await;
        status = home.engine.status().await.unwrap().embeddings;
    }
    assert_eq!(home.near("gateway", &NearFilter::default()).await, Some(vec![row]));
    stop.send_replace(true);
    task.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_background_loads_when_somebody_asks_and_gives_up_what_is_idle() {
    let home = Home::idle_after("words", Duration::from_millis(1));
    let row = home.remember("shop", "the gateway waits").await;
    let (stop, task) = home.background();
    loop {
        if home.nearest("gateway").await == Some(row) {
            break;
        }
    }
    while home.engine.status().await.unwrap().embeddings.loaded {
        tokio::task::yield_now().await;
    }
    let loads = home.switch.loads.load(Ordering::SeqCst);
    assert_eq!(home.nearest("gateway").await, Some(row), "it is loaded again");
    assert!(home.switch.loads.load(Ordering::SeqCst) > loads);
    stop.send_replace(true);
    task.await.unwrap();
    assert!(!home.engine.status().await.unwrap().embeddings.loaded);
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_that_are_distilled_go_first() {
    let home = Home::new("words");
    home.remember("shop", "the gateway waits").await;
    home.engine.vectors.set_busy(true);
    let due = tokio::spawn({
        let engine = Arc::clone(&home.engine);
        async move { engine.embed_due().await }
    });
    for _ in 0..200 {
        home.engine.status().await.unwrap();
    }
    assert_eq!(home.switch.texts.load(Ordering::SeqCst), 0);
    home.engine.vectors.set_busy(false);
    due.await.unwrap().unwrap();
    assert_eq!(home.switch.texts.load(Ordering::SeqCst), 1);
}
