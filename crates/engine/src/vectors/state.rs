//! What is loaded at the moment, and why nothing is.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use afterword_domain::wire::status;
use afterword_store::Store;
use afterword_store::contract::SpaceId;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::source::{EmbedderSource, Embeddings};
use super::table::Table;
use crate::Result;
use crate::embed::{self, Embedder, parts};

/// Rows that one read of a table takes in.
const PAGE: usize = 2_000;

/// How long a service that failed is left alone, by failures in a row.
const PAUSES: [u64; 5] = [1, 5, 30, 120, 600];

/// The embedder, the table and who waits for them.
#[derive(Debug)]
pub(crate) struct Vectors {
    pub(super) embeddings: Embeddings,
    /// Rows may have come, or somebody wants the embedder.
    pub(super) wake: Notify,
    /// Whether turns are being distilled, which goes first.
    busy: watch::Sender<bool>,
    loaded: watch::Sender<Option<Arc<Loaded>>>,
    condition: Mutex<Condition>,
}

/// What is wrong, and what is asked for.
#[derive(Debug, Default)]
struct Condition {
    problem: Option<String>,
    failures: usize,
    retry_at: Option<Instant>,
    wanted: bool,
}

/// An embedder with the vectors of its space.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) embedder: Arc<dyn Embedder>,
    pub(super) space: SpaceId,
    pub(super) table: RwLock<Table>,
    /// The newest change that the table has.
    seq: tokio::sync::Mutex<i64>,
    used: Mutex<Instant>,
}

/// The name of the space that an embedder's vectors of parts are in.
pub(super) fn space_of(embedder_id: &str) -> String {
    format!("{embedder_id}/{}", parts::WAY)
}

impl Vectors {
    pub(crate) fn new(embeddings: Embeddings) -> Self {
        Self {
            embeddings,
            wake: Notify::new(),
            busy: watch::Sender::new(false),
            loaded: watch::Sender::new(None),
            condition: Mutex::default(),
        }
    }

    /// The source and its embedder's id, where there is one to be had.
    pub(super) fn source(&self) -> Option<(&Arc<dyn EmbedderSource>, String)> {
        let source = self.embeddings.source.as_ref()?;
        Some((source, source.id()?))
    }

    /// Rows came that may want vectors.
    pub(crate) fn rows_came(&self) {
        self.wake.notify_one();
    }

    /// Somebody will ask soon: makes everything ready in the background.
    pub(crate) fn warm_up(&self) {
        if self.source().is_some() {
            self.condition().wanted = true;
            self.wake.notify_one();
        }
    }

    /// Says whether turns are being distilled.
    pub(crate) fn set_busy(&self, busy: bool) {
        self.busy.send_replace(busy);
    }

    /// Waits until nothing is being distilled.
    pub(super) async fn others_first(&self) {
        let mut busy = self.busy.subscribe();
        // The sender lives as long as this does.
        drop(busy.wait_for(|busy| !busy).await);
    }

    /// What is loaded.
    pub(super) fn loaded(&self) -> Option<Arc<Loaded>> {
        self.loaded.borrow().clone()
    }

    /// Waits until something is loaded; who cannot wait gives up by a deadline of its own.
    pub(super) async fn soon_loaded(&self) -> Option<Arc<Loaded>> {
        let mut loaded = self.loaded.subscribe();
        let found = loaded.wait_for(Option::is_some).await.ok()?;
        found.clone()
    }

    /// Whether somebody has not taken what was loaded for them yet.
    pub(super) fn is_waited_for(&self) -> bool {
        self.loaded.receiver_count() > 0
    }

    pub(super) fn set_loaded(&self, loaded: Option<Arc<Loaded>>) {
        self.loaded.send_replace(loaded);
    }

    /// Gives up what is loaded where it is not to be kept; who is using it keeps it until then.
    pub(super) fn give_up_unless(&self, keep: impl Fn(&Loaded) -> bool) {
        self.loaded.send_if_modified(|loaded| {
            let goes = loaded.as_ref().is_some_and(|loaded| !keep(loaded));
            if goes {
                *loaded = None;
            }
            goes
        });
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.condition().wanted
    }

    /// Nobody is waiting any more.
    pub(super) fn is_settled(&self) {
        self.condition().wanted = false;
    }

    /// Notes that it works.
    pub(super) fn works(&self) {
        let mut condition = self.condition();
        condition.problem = None;
        condition.failures = 0;
        condition.retry_at = None;
    }

    /// Notes what does not work; nothing is tried for a while.
    pub(super) fn fails(&self, problem: &str) {
        let mut condition = self.condition();
        if condition.problem.as_deref() != Some(problem) {
            tracing::warn!(problem, "rows cannot be embedded");
            condition.problem = Some(problem.to_owned());
        }
        let pause = PAUSES[condition.failures.min(PAUSES.len() - 1)];
        condition.failures += 1;
        condition.retry_at = Some(Instant::now() + Duration::from_secs(pause));
    }

    /// When it is to be tried again, while it does not work.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.condition().retry_at.filter(|at| *at > Instant::now())
    }

    /// Fills in what the database does not know. A model that was installed meanwhile is noticed.
    pub(crate) fn tell(&self, embeddings: &mut status::Embeddings) {
        let source = self.source();
        // Rows of another model are not found, and wait.
        let current = source.as_ref().map(|(_, id)| space_of(id));
        if let Some(current) = current
            && current != embeddings.space
        {
            embeddings.space = current;
            embeddings.waiting += std::mem::take(&mut embeddings.embedded);
        }
        if source.is_some() && embeddings.waiting > 0 {
            self.wake.notify_one();
        }
        embeddings.model = source.map(|(_, id)| id);
        embeddings.loaded = self.loaded().is_some();
        embeddings.problem.clone_from(&self.condition().problem);
    }

    fn condition(&self) -> std::sync::MutexGuard<'_, Condition> {
        self.condition.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loaded {
    /// Reads the vectors of an embedder's space; none where the store finds what is near itself.
    pub(super) async fn read(store: &dyn Store, embedder: Arc<dyn Embedder>) -> Result<Self> {
        let space = store.open_space(&space_of(embedder.id()), embedder.dimension()).await?;
        let holds = !store.finds_nearest();
        let rows = if holds { store.vector_counts().await?.map_or(0, |c| c.embedded) } else { 0 };
        let loaded = Self {
            table: RwLock::new(Table::new(embedder.middle(), usize::try_from(rows).unwrap_or(0))),
            embedder,
            space,
            seq: tokio::sync::Mutex::new(0),
            used: Mutex::new(Instant::now()),
        };
        if holds {
            loaded.read_all(store, &mut *loaded.seq.lock().await).await?;
        }
        Ok(loaded)
    }

    /// Reads everything; what changes meanwhile is known by the number that was read first.
    async fn read_all(&self, store: &dyn Store, seq: &mut i64) -> Result<()> {
        // Of no database: the answer says where this one stands.
        *seq = store.vector_changes(self.space, i64::MAX).await?.seq;
        let mut after = 0;
        loop {
            let rows = store.vectors(self.space, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.key;
            let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
            for row in &rows {
                table.put(row);
            }
        }
    }

    /// Brings the table in step with the rows as they are now.
    pub(super) async fn catch_up(&self, store: &dyn Store) -> Result<()> {
        let mut seq = self.seq.lock().await;
        loop {
            let changes = store.vector_changes(self.space, *seq).await?;
            if changes.lost {
                *self.table.write().unwrap_or_else(PoisonError::into_inner) =
                    Table::new(self.embedder.middle(), 0);
                return self.read_all(store, &mut seq).await;
            }
            if changes.seq == *seq {
                return Ok(());
            }
            *seq = changes.seq;
            let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
            for key in changes.gone {
                table.remove(key);
            }
            for row in &changes.rows {
                table.put(row);
            }
        }
    }

    /// Whether this is of another embedder than the source has now.
    pub(super) fn is_of(&self, embedder_id: &str) -> bool {
        self.embedder.id() == embedder_id
    }

    pub(super) fn is_used(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(super) fn last_used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A vector for a question.
    pub(super) async fn asked(&self, question: &str) -> embed::Result<Vec<f32>> {
        self.is_used();
        self.embedder.query(question).await
    }
}
