//! Embedding what waits, a little at a time and after everybody else.

use std::sync::Arc;
use std::time::Duration;

use afterword_store::Store;
use afterword_store::contract::{RowVectors, SpaceId, WaitingRow};
use tokio::sync::watch;
use tokio::time::Instant;

use super::state::{Loaded, space_of};
use crate::embed::{self, Cut, Embedder, Kept};
use crate::{Engine, Result};

/// Passages that are embedded before others get their turn.
const BATCH: usize = 16;

/// Rows that are embedded and saved at once where nobody else has to get a turn.
const FILLED_AT_ONCE: usize = 500;

/// How much of the time that a batch took is rested afterwards.
const REST: u32 = 4;

/// How long is waited after the store itself failed.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// Why embedding stopped before its end.
enum Stopped {
    /// The embedder failed, which is noted.
    Embedder,
    /// The daemon leaves.
    Asked,
}

impl Engine {
    /// Embeds rows until `stop` turns true, and loads and gives up the embedder. Sleeps until rows
    /// come, somebody asks, or the embedder has been idle for long enough.
    pub(crate) async fn run_embedding(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        if self.vectors.embeddings.source.is_none() {
            return;
        }
        while !*stop.borrow() {
            let worked = self.embed_while(|| !*stop.borrow()).await;
            let pause = match worked {
                Ok(()) => self.until_due(),
                Err(error) => {
                    tracing::warn!(%error, "rows cannot be embedded");
                    Some(Instant::now() + STORE_PAUSE)
                }
            };
            let due = async {
                match pause {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.vectors.wake.notified() => {}
                () = due => {}
                _ = stop.changed() => {}
            }
        }
        self.vectors.set_loaded(None);
    }

    /// Embeds every row that waits.
    ///
    /// Also the way to make everything findable by meaning at once: a caller without a worker runs
    /// it.
    pub async fn embed_due(&self) -> Result<()> {
        self.embed_while(|| true).await
    }

    /// When something is to be done though nobody calls: a failure is over, or idleness is.
    fn until_due(&self) -> Option<Instant> {
        let idle = self.vectors.loaded().map(|l| l.last_used() + self.vectors.embeddings.idle);
        self.vectors.retry_at().or(idle)
    }

    async fn embed_while(&self, goes_on: impl Fn() -> bool) -> Result<()> {
        let Some((_, id)) = self.vectors.source() else {
            self.vectors.set_loaded(None);
            return Ok(());
        };
        if self.vectors.retry_at().is_some() {
            return Ok(());
        }
        let counts = self.store.vector_counts().await?;
        let space = space_of(&id);
        let waits = counts.is_none_or(|counts| counts.space != space || counts.waiting > 0);
        self.vectors.give_up_unless(|loaded| loaded.is_of(&id));
        if waits || self.vectors.is_wanted() {
            let Some(loaded) = self.load().await? else { return Ok(()) };
            if waits && self.embed_all(&loaded, goes_on).await?.is_ok() {
                self.drop_others(&loaded).await?;
            }
        }
        let idle = self.vectors.embeddings.idle;
        // Whoever still waits for it has not used it yet.
        if !self.vectors.is_waited_for() {
            self.vectors.give_up_unless(|loaded| loaded.last_used().elapsed() < idle);
        }
        Ok(())
    }

    /// What is loaded, or made ready now; none where it cannot be, which is noted.
    async fn load(&self) -> Result<Option<Arc<Loaded>>> {
        if let Some(loaded) = self.vectors.loaded() {
            self.vectors.is_settled();
            return Ok(Some(loaded));
        }
        let Some((source, _)) = self.vectors.source() else { return Ok(None) };
        match source.load().await {
            Ok(embedder) => {
                let loaded = Arc::new(Loaded::read(&*self.store, embedder).await?);
                self.vectors.works();
                self.vectors.is_settled();
                self.vectors.set_loaded(Some(Arc::clone(&loaded)));
                Ok(Some(loaded))
            }
            Err(error) => {
                self.vectors.fails(&error.to_string());
                Ok(None)
            }
        }
    }

    async fn embed_all(
        &self,
        loaded: &Loaded,
        goes_on: impl Fn() -> bool,
    ) -> Result<std::result::Result<(), Stopped>> {
        loop {
            let rows = self.store.rows_without_vectors(loaded.space, BATCH).await?;
            if rows.is_empty() {
                return Ok(Ok(()));
            }
            for batch in batches(rows) {
                self.vectors.others_first().await;
                if !goes_on() {
                    return Ok(Err(Stopped::Asked));
                }
                let begun = Instant::now();
                match vectors_of(&*loaded.embedder, batch).await {
                    Ok(rows) => drop(self.store.save_vectors(loaded.space, rows).await?),
                    Err(error) => {
                        self.vectors.fails(&error.to_string());
                        return Ok(Err(Stopped::Embedder));
                    }
                }
                self.vectors.works();
                loaded.is_used();
                tokio::time::sleep(begun.elapsed() / REST).await;
            }
        }
    }

    /// Nothing waits any more: vectors of other spaces are of no use.
    async fn drop_others(&self, loaded: &Loaded) -> Result<()> {
        let mut after = 0;
        while let Some(next) = self.store.drop_other_spaces(loaded.space, after).await? {
            after = next;
        }
        Ok(())
    }
}

/// Embeds every row that waits for vectors of an embedder, without regard to anybody else. Returns
/// their space. `progress` is told how many are done.
pub(crate) async fn fill(
    store: &dyn Store,
    embedder: &dyn Embedder,
    mut progress: impl FnMut(u64),
) -> Result<SpaceId> {
    let space = store.open_space(&space_of(embedder.id()), embedder.dimension()).await?;
    let mut done = 0;
    loop {
        let rows = store.rows_without_vectors(space, FILLED_AT_ONCE).await?;
        if rows.is_empty() {
            return Ok(space);
        }
        let batch: Vec<Waits> = rows.into_iter().map(cut).collect();
        let rows = vectors_of(embedder, batch).await;
        let rows = rows.map_err(|error| crate::Error::Invalid(error.to_string()))?;
        done += store.save_vectors(space, rows).await? as u64;
        progress(done);
    }
}

/// A row and its passages.
type Waits = (WaitingRow, Cut);

fn cut(row: WaitingRow) -> Waits {
    let passages = Cut::of(&row.row.body, row.before.as_ref().map(|row| &row.body));
    (row, passages)
}

/// Rows in order, each batch with a row at least and with no more than [`BATCH`] passages beyond
/// it.
fn batches(rows: Vec<WaitingRow>) -> Vec<Vec<Waits>> {
    let mut batches: Vec<Vec<Waits>> = Vec::new();
    let mut filled = BATCH;
    for row in rows {
        let (row, passages) = cut(row);
        filled += passages.len();
        if filled > BATCH || batches.is_empty() {
            filled = passages.len();
            batches.push(Vec::new());
        }
        batches.last_mut().expect("one was pushed").push((row, passages));
    }
    batches
}

/// The vectors of a batch. Where it is refused as a whole, its rows are tried one by one, and one
/// that is refused alone gets none, so that it keeps no other waiting.
async fn vectors_of(embedder: &dyn Embedder, batch: Vec<Waits>) -> embed::Result<Vec<RowVectors>> {
    match embedded(embedder, &batch).await {
        Err(embed::Error::Refused(_)) => {}
        other => return other,
    }
    let mut rows = Vec::with_capacity(batch.len());
    for cut in batch {
        match embedded(embedder, std::slice::from_ref(&cut)).await {
            Err(embed::Error::Refused(reason)) => {
                tracing::warn!(reason, row = %cut.0.row.id, "a row cannot be embedded");
                let (key, version) = (cut.0.key, cut.0.version);
                rows.push(RowVectors { key, version, vectors: Vec::new() });
            }
            Ok(one) => rows.extend(one),
            Err(error) => return Err(error),
        }
    }
    Ok(rows)
}

async fn embedded(embedder: &dyn Embedder, batch: &[Waits]) -> embed::Result<Vec<RowVectors>> {
    let texts: Vec<&str> = batch.iter().flat_map(|(_, passages)| passages.texts()).collect();
    let mut vectors = embedder.passages(&texts).await?.into_iter();
    let keep = |vector: Vec<f32>| Kept::encode(&vector, embedder.middle()).to_bytes();
    let row = |(row, passages): &Waits| RowVectors {
        key: row.key,
        version: row.version,
        vectors: passages.vectors(&mut vectors).into_iter().map(keep).collect(),
    };
    Ok(batch.iter().map(row).collect())
}
