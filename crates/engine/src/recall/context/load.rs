//! The rows that the block is chosen from.

use std::collections::HashSet;

use afterword_domain::memory::Memory;
use afterword_domain::observation::Observation;
use afterword_domain::scope::Scope;
use afterword_domain::session::Session;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{KeywordQuery, RowBody};
use afterword_store::{Result, Store};

use super::ContextRequest;
use super::select::seeds;
use super::work::DECISION;
use crate::analyze;
use crate::recall::search::{Filter, keyword};

/// Observations that are looked at, newest first.
const RECENT: usize = 400;
/// Sessions' summaries that are looked at.
const SUMMARIES: usize = 12;
/// Memories that are looked at.
const MEMORIES: usize = 200;
/// Sessions whose branch is known.
const SESSIONS: usize = 200;
/// Rows that a search for the next steps may add.
const RELATED: usize = 60;
/// Older decisions that are looked for once the recent rows do not reach back to the beginning.
const DECISIONS: usize = 60;
/// Words that stand in records of decisions.
const DECISION_WORDS: &str = "decision decided choose chose chosen convention architecture policy \
                              决定 采用 规范";

/// Everything selection looks at, in no order it relies on.
#[derive(Clone, Debug, Default)]
pub(super) struct Loaded {
    /// After a compaction: the asking session's newest snapshot.
    pub(super) snapshot: Option<Snapshot>,
    /// Sessions of the project.
    pub(super) sessions: Vec<Session>,
    /// Summaries of sessions, or of turns where no session has one.
    pub(super) summaries: Vec<Summary>,
    /// Memories.
    pub(super) memories: Vec<Memory>,
    /// Observations, each once.
    pub(super) observations: Vec<Observation>,
    /// Scores of rows that a search for the next steps found.
    pub(super) related: Vec<(PublicId, f64)>,
    /// Rows of the kinds that the block shows.
    pub(super) total: u64,
    /// Decisions that a newer statement took the place of; selection finds them.
    pub(super) superseded: HashSet<i64>,
}

pub(super) async fn load(store: &dyn Store, request: &ContextRequest) -> Result<Loaded> {
    let scope = Scope::Project(request.project_id);
    let mut loaded = Loaded {
        snapshot: snapshot(store, request).await?,
        sessions: store.list_sessions(scope.clone(), SESSIONS).await?,
        summaries: store.recent_summaries(scope.clone(), SummaryLevel::Session, SUMMARIES).await?,
        memories: store.list_memories(scope.clone(), MEMORIES).await?,
        observations: store.recent_observations(scope.clone(), RECENT, false).await?,
        related: Vec::new(),
        superseded: HashSet::new(),
        total: total(store, &scope, request.after_compaction).await?,
    };
    if loaded.summaries.is_empty() {
        let turns = store.recent_summaries(scope.clone(), SummaryLevel::Turn, SUMMARIES).await?;
        loaded.summaries = turns;
    }
    if loaded.observations.len() >= RECENT {
        add_decisions(store, &scope, &mut loaded).await?;
    }
    add_related(store, scope, request, &mut loaded).await?;
    Ok(loaded)
}

async fn snapshot(store: &dyn Store, request: &ContextRequest) -> Result<Option<Snapshot>> {
    match request.session_id.filter(|_| request.after_compaction) {
        None => Ok(None),
        Some(session) => Ok(store.last_snapshot(session).await?.map(|(snapshot, _)| snapshot)),
    }
}

async fn total(store: &dyn Store, scope: &Scope, with_snapshots: bool) -> Result<u64> {
    let counts = store.count_rows(scope.clone()).await?;
    let shown = counts.into_iter().filter(|(kind, _)| match kind {
        Kind::Observation | Kind::Summary | Kind::Memory => true,
        Kind::Snapshot => with_snapshots,
        Kind::Prompt => false,
    });
    Ok(shown.map(|(_, rows)| rows).sum())
}

/// Lasting decisions that are older than the recent rows.
async fn add_decisions(store: &dyn Store, scope: &Scope, loaded: &mut Loaded) -> Result<()> {
    let query = KeywordQuery {
        terms: analyze::query_terms(DECISION_WORDS),
        scope: scope.clone(),
        kind: Some(Kind::Observation),
        limit: DECISIONS,
        ..KeywordQuery::default()
    };
    let ids: Vec<PublicId> = store.keyword(query).await?.hits.iter().map(|hit| hit.id).collect();
    for row in store.rows(scope.clone(), &ids).await? {
        if let RowBody::Observation(row) = row.body
            && row.content.r#type == DECISION
        {
            loaded.add_observation(row);
        }
    }
    Ok(())
}

/// What a search for the next steps, the files of the last session and the branch finds.
async fn add_related(
    store: &dyn Store,
    scope: Scope,
    request: &ContextRequest,
    loaded: &mut Loaded,
) -> Result<()> {
    let terms = analyze::query_terms(&seeds(request, &loaded.summaries));
    let filter = Filter { scope, ..Filter::default() };
    let (found, _) = keyword(store, &filter, terms, RELATED).await?;
    let known: HashSet<i64> = loaded.memories.iter().map(|memory| memory.id).collect();
    for ranked in found {
        match ranked.row.body {
            RowBody::Observation(row) => loaded.add_observation(row),
            RowBody::Memory(row) if !known.contains(&row.id) => loaded.memories.push(row),
            RowBody::Memory(_) => {}
            RowBody::Summary(_) | RowBody::Prompt(_) | RowBody::Snapshot(_) => continue,
        }
        loaded.related.push((ranked.row.id, ranked.score));
    }
    Ok(())
}

impl Loaded {
    fn add_observation(&mut self, row: Observation) {
        if row.subagent.is_none() && !self.observations.iter().any(|known| known.id == row.id) {
            self.observations.push(row);
        }
    }
}
