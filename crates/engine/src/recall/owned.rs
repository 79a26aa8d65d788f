//! Answering a question with the memories that a filter means.

use std::collections::HashSet;

use afterword_domain::day::Day;
use afterword_domain::filter::{Filter as MemoryFilter, Necessary};
use afterword_domain::memory::Memory;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{OwnedQuery, RowBody};
use afterword_store::{Result, Store};
use uuid::Uuid;

use super::newest::newest_wins;
use super::rank::Ranked;
use super::search::{Filter, about};
use crate::embed::Near;

/// Fewest candidates that are ranked, so that a small limit does not change the order.
const LEAST_CANDIDATES: usize = 150;

/// Most candidates that are ranked.
const MOST_CANDIDATES: usize = 2_000;

/// Memories that are ranked because the filter means them, where it lets hardly any of those through
/// that the question finds: the newest.
const MEANT: usize = 500;

/// What is looked for, and among which memories.
pub(crate) struct OwnedQuestion<'q> {
    /// The question.
    pub(crate) query: &'q str,
    /// The memories that may answer.
    pub(crate) filter: &'q MemoryFilter,
    /// What the filter says to a database.
    pub(crate) necessary: &'q Necessary,
    /// Those that have expired by this day may not; none: they may.
    pub(crate) today: Option<Day>,
    /// Most memories.
    pub(crate) limit: usize,
}

/// A memory with its score and what that is made of, each in [0, 1].
#[derive(Clone, Debug)]
pub(crate) struct ScoredMemory {
    pub(crate) memory: Memory,
    pub(crate) score: f64,
    pub(crate) words: f64,
    pub(crate) meaning: f64,
}

/// The memories that answer a question, best first; what another one has taken the place of comes
/// below it. `near`: those of the same owners that are nearest by meaning.
pub(crate) async fn owned_memories(
    store: &dyn Store,
    asked: &OwnedQuestion<'_>,
    near: &[Near<PublicId>],
) -> Result<Vec<ScoredMemory>> {
    let necessary = asked.necessary;
    let mut filter = Filter {
        kind: Some(Kind::Memory),
        owners: necessary.asks_for_owners().then(|| necessary.owners.clone()),
        since: necessary.created.from,
        until: necessary.created.before,
        ..Filter::default()
    };
    if let Some(uids) = &necessary.uids {
        let uids: Vec<Uuid> = uids.iter().copied().take(MEANT).collect();
        filter.also = ids_of(&store.memories_by_uid(&uids).await?);
    }
    let most = (asked.limit * 2).clamp(LEAST_CANDIDATES, MOST_CANDIDATES);
    let (found, terms) = about(store, &filter, asked.query, near, most).await?;
    // Fewer are all that there are.
    let all = found.len() < most;
    let mut kept = passing(found, asked);
    let mut asked_for = terms;
    if kept.len() < asked.limit && !all {
        filter.also.extend(meant(store, asked).await?);
        let (found, terms) = about(store, &filter, asked.query, near, MOST_CANDIDATES).await?;
        kept = passing(found, asked);
        asked_for = terms;
    }
    newest_wins(&mut kept);
    kept.truncate(asked.limit);
    let scored = kept.into_iter().filter_map(|ranked| {
        let why = ranked.parts.why(ranked.score, &asked_for);
        let RowBody::Memory(memory) = ranked.row.body else { return None };
        let (words, meaning) = (why.words.clamp(0.0, 1.0), why.meaning.clamp(0.0, 1.0));
        Some(ScoredMemory { memory, score: ranked.score, words, meaning })
    });
    Ok(scored.collect())
}

/// The newest memories that the filter means.
async fn meant(store: &dyn Store, asked: &OwnedQuestion<'_>) -> Result<Vec<PublicId>> {
    let query = OwnedQuery {
        filter: asked.filter.clone(),
        today: asked.today,
        offset: 0,
        limit: MEANT.max(asked.limit),
    };
    Ok(ids_of(&store.list_owned(query).await?.memories))
}

fn ids_of(memories: &[Memory]) -> Vec<PublicId> {
    memories.iter().map(|memory| PublicId::new(Kind::Memory, memory.id)).collect()
}

/// Those that the filter means, each once.
fn passing(found: Vec<Ranked>, asked: &OwnedQuestion<'_>) -> Vec<Ranked> {
    let mut there = HashSet::new();
    let means = |ranked: &Ranked| match &ranked.row.body {
        RowBody::Memory(memory) => {
            let expired = asked.today.is_some_and(|today| memory.attributes.expired(today));
            !expired && asked.filter.holds(memory)
        }
        _ => false,
    };
    found.into_iter().filter(|ranked| means(ranked) && there.insert(ranked.row.id)).collect()
}
