//! Rows that are near a question by meaning.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use afterword_domain::filter::OwnerMatch;
use afterword_domain::scope::Scope;
use afterword_domain::text::prefix;
use afterword_domain::{Kind, PublicId, Time};
use afterword_store::Store;
use afterword_store::contract::{NearQuery, SpaceId};

use super::state::{Loaded, Vectors};
use super::table::NearPart;
use crate::embed::{Embedder, Kept, Near};
use crate::recall::MEANT_BYTES;
use crate::{Engine, Result};

/// Parts that are compared by two bytes a number, at least and for each row that is wanted.
const LEAST_PARTS: usize = 50;
const PARTS_EACH: usize = 3;

/// Bytes of a prompt that count, about 60 tokens: more would take longer than it may wait.
const PROMPT_BYTES: usize = 240;

/// How long a prompt waits for rows near it, of the 50 ms that its whole answer may take.
const PROMPT_PATIENCE: Duration = Duration::from_millis(35);

/// Rows near a prompt that are looked at.
const PROMPT_ROWS: usize = 50;

/// Which rows may be near.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NearFilter {
    /// Where to look.
    pub scope: Scope,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// As [`KeywordQuery::owners`](afterword_store::contract::KeywordQuery::owners).
    pub owners: Option<Vec<OwnerMatch>>,
    /// Only rows made at or after this time.
    pub since: Option<Time>,
    /// Only rows made before this time.
    pub until: Option<Time>,
}

impl Engine {
    /// The `count` rows within the filter that are nearest to a question, nearest first, each once
    /// with the cosine of its best part.
    ///
    /// None where there is no model, or where the answer takes longer than `patience`; then a model
    /// that is not loaded yet is made ready in the background, for the next one who asks. Rows are
    /// those of the database at the time of the call.
    pub async fn near(
        &self,
        question: &str,
        filter: &NearFilter,
        count: usize,
        patience: Duration,
    ) -> Option<Vec<Near<PublicId>>> {
        let question = prefix(question.trim(), MEANT_BYTES);
        if question.is_empty() || count == 0 {
            return None;
        }
        let (_, id) = self.vectors.source()?;
        let ready = self.vectors.loaded().filter(|loaded| loaded.is_of(&id));
        if ready.is_none() {
            self.vectors.warm_up();
        }
        // A service that failed a moment ago would cost everybody's patience.
        if self.vectors.retry_at().is_some() || (ready.is_none() && patience.is_zero()) {
            return None;
        }
        let answer = async {
            let loaded = match ready {
                Some(loaded) => loaded,
                None => self.vectors.soon_loaded().await.filter(|loaded| loaded.is_of(&id))?,
            };
            self.nearest(&loaded, question, filter, count).await
        };
        tokio::time::timeout(patience, answer).await.ok().flatten()
    }

    /// The rows of a project that are near a prompt, in the time that a prompt may wait; none
    /// where there is no model, or where it is not in memory yet.
    pub async fn near_prompt(&self, project_id: i64, prompt: &str) -> Option<Vec<Near<PublicId>>> {
        let filter = NearFilter { scope: Scope::Project(project_id), ..NearFilter::default() };
        let beginning = prefix(prompt.trim(), PROMPT_BYTES);
        self.near(beginning, &filter, PROMPT_ROWS, PROMPT_PATIENCE).await
    }

    async fn nearest(
        &self,
        loaded: &Arc<Loaded>,
        question: &str,
        filter: &NearFilter,
        count: usize,
    ) -> Option<Vec<Near<PublicId>>> {
        let vector = match loaded.asked(question).await {
            Ok(vector) => vector,
            Err(error) => {
                note(&self.vectors, &error);
                return None;
            }
        };
        match self.compare(loaded, Arc::new(vector), filter, count).await {
            Ok(near) => Some(near),
            Err(error) => {
                tracing::warn!(%error, "vectors cannot be read");
                None
            }
        }
    }

    /// Rows near a vector, of those that the store finds itself or that the table holds.
    async fn compare(
        &self,
        loaded: &Arc<Loaded>,
        vector: Arc<Vec<f32>>,
        filter: &NearFilter,
        count: usize,
    ) -> Result<Vec<Near<PublicId>>> {
        if self.store.finds_nearest() {
            let embedder = &*loaded.embedder;
            nearest_in_store(&*self.store, embedder, loaded.space, &vector, filter, count).await
        } else {
            self.compare_in_memory(loaded, vector, filter, count).await
        }
    }

    /// Chooses by the table and puts into order by the vectors of the database.
    async fn compare_in_memory(
        &self,
        loaded: &Arc<Loaded>,
        vector: Arc<Vec<f32>>,
        filter: &NearFilter,
        count: usize,
    ) -> Result<Vec<Near<PublicId>>> {
        loaded.catch_up(&*self.store).await?;
        let mut wanted = (count * PARTS_EACH).max(LEAST_PARTS);
        let parts = loop {
            let parts = search(loaded, &vector, filter, wanted).await;
            let mut rows: Vec<i64> = parts.iter().map(|part| part.key).collect();
            rows.sort_unstable();
            rows.dedup();
            // Many parts of few rows leave others out.
            if rows.len() >= count || parts.len() < wanted {
                break parts;
            }
            wanted *= 4;
        };
        let keys: Vec<(i64, u8)> = parts.iter().map(|part| (part.key, part.part)).collect();
        let kept = self.store.vectors_of(loaded.space, &keys).await?;
        let (middle, dimension) = (loaded.embedder.middle(), loaded.embedder.dimension());
        let near = parts.iter().zip(kept).filter_map(|(part, bytes)| {
            let kept = Kept::from_bytes(&bytes?, dimension)?;
            Some(Near { key: part.id, cosine: kept.cosine(&vector, middle) })
        });
        Ok(in_order(near, count))
    }
}

/// Rows near a vector of a question: lets the store choose, and puts into order by the vectors that
/// it gives.
pub(crate) async fn nearest_in_store(
    store: &dyn Store,
    embedder: &dyn Embedder,
    space: SpaceId,
    vector: &[f32],
    filter: &NearFilter,
    count: usize,
) -> Result<Vec<Near<PublicId>>> {
    let (middle, dimension) = (embedder.middle(), embedder.dimension());
    let mut query = NearQuery {
        space,
        vector: Kept::encode(vector, middle).to_bytes(),
        scope: filter.scope.clone(),
        kind: filter.kind,
        owners: filter.owners.clone(),
        since: filter.since,
        until: filter.until,
        limit: (count + count / 2).max(LEAST_PARTS),
    };
    let parts = loop {
        let parts = store.nearest(query.clone()).await?.unwrap_or_default();
        let mut rows: Vec<i64> = parts.iter().map(|part| part.key).collect();
        rows.sort_unstable();
        rows.dedup();
        // Many parts of few rows leave others out.
        if rows.len() >= count || parts.len() < query.limit {
            break parts;
        }
        query.limit *= 4;
    };
    let near = parts.iter().filter_map(|part| {
        let kept = Kept::from_bytes(&part.vector, dimension)?;
        Some(Near { key: part.id, cosine: kept.cosine(vector, middle) })
    });
    Ok(in_order(near, count))
}

/// The best rows, nearest first.
fn in_order(near: impl Iterator<Item = Near<PublicId>>, count: usize) -> Vec<Near<PublicId>> {
    let mut best = best_of_each(near);
    best.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.key.cmp(&b.key)));
    best.truncate(count);
    best
}

/// Looks through the table on a thread that may take its time.
async fn search(
    loaded: &Arc<Loaded>,
    vector: &Arc<Vec<f32>>,
    filter: &NearFilter,
    count: usize,
) -> Vec<NearPart> {
    let (loaded, vector, filter) = (Arc::clone(loaded), Arc::clone(vector), filter.clone());
    let search = move || {
        let table = loaded.table.read().unwrap_or_else(PoisonError::into_inner);
        table.nearest(&vector, &filter, count)
    };
    tokio::task::spawn_blocking(search).await.unwrap_or_default()
}

/// Notes why a question has no vector.
fn note(vectors: &Vectors, error: &crate::embed::Error) {
    match error {
        // This question is at fault, not the service.
        crate::embed::Error::Refused(reason) => tracing::debug!(reason, "a question is refused"),
        error => vectors.fails(&error.to_string()),
    }
}

fn best_of_each(near: impl Iterator<Item = Near<PublicId>>) -> Vec<Near<PublicId>> {
    let mut best: HashMap<PublicId, f32> = HashMap::new();
    for Near { key, cosine } in near {
        match best.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(cosine)),
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                *known = known.max(cosine);
            }
        }
    }
    best.into_iter().map(|(key, cosine)| Near { key, cosine }).collect()
}
