//! What a dataset's rows mean, for the modes that search by it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use afterword_domain::PublicId;
use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::text::prefix;
use afterword_domain::wire::context::ContextBlock;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};

use afterword_store::Store;
use afterword_store::contract::{Row, SpaceId};

use super::{DatasetError, Mode};
use crate::embed::{Cut, Embedder, Near};
use crate::vectors::{self, NearFilter};
use crate::{Engine, recall};

/// Rows whose parts are embedded at a time.
const ROWS: usize = 500;

/// Most rows of one project that are measured on.
const MOST_ROWS: usize = 1_000_000;

/// What rows mean: where the store finds what is near by itself, that is what is measured.
#[derive(Debug)]
pub struct Meaning {
    embedder: Arc<dyn Embedder>,
    place: Place,
}

/// Where vectors are.
#[derive(Debug)]
enum Place {
    /// Here, in single precision, by project.
    Memory(HashMap<i64, Vec<(PublicId, Vec<f32>)>>),
    /// In the store, as they are in use.
    Store(SpaceId),
}

impl Meaning {
    /// Embeds every row that an engine's store has. `progress` is told how many are done.
    pub async fn of(
        engine: &Engine,
        embedder: Arc<dyn Embedder>,
        mut progress: impl FnMut(u64),
    ) -> Result<Self, DatasetError> {
        let store = engine.store();
        if store.finds_nearest() {
            let space = vectors::fill(store, &*embedder, progress).await?;
            return Ok(Self { embedder, place: Place::Store(space) });
        }
        let mut projects = HashMap::new();
        let mut done = 0;
        for project in store.list_projects().await.map_err(crate::Error::from)? {
            let scope = Scope::Project(project.id);
            let newest = store.newest(scope.clone(), None, None, None, MOST_ROWS).await;
            let ids: Vec<PublicId> =
                newest.map_err(crate::Error::from)?.iter().map(|hit| hit.id).collect();
            let mut vectors = Vec::new();
            for ids in ids.chunks(ROWS) {
                let rows = store.rows(scope.clone(), ids).await.map_err(crate::Error::from)?;
                let cuts = cuts(store, &rows).await?;
                let texts: Vec<&str> = cuts.iter().flat_map(Cut::texts).collect();
                let mut of_texts = embedder.passages(&texts).await?.into_iter();
                for (row, cut) in rows.iter().zip(&cuts) {
                    let of_row = cut.vectors(&mut of_texts).into_iter();
                    vectors.extend(of_row.map(|vector| (row.id, vector)));
                }
                done += rows.len() as u64;
                progress(done);
            }
            projects.insert(project.id, vectors);
        }
        Ok(Self { embedder, place: Place::Memory(projects) })
    }

    /// Answers a search in one of the modes.
    pub async fn search(
        &self,
        engine: &Engine,
        mode: Mode,
        request: &SearchRequest,
    ) -> crate::Result<SearchAnswer> {
        let near = match mode {
            Mode::Keyword => None,
            Mode::Dense | Mode::Hybrid => {
                Some(self.near(engine, request.project.as_ref(), &request.query).await?)
            }
        };
        let store = engine.store();
        Ok(match mode {
            Mode::Dense => {
                recall::by_meaning(store, request, near.as_deref().unwrap_or_default()).await?
            }
            Mode::Keyword | Mode::Hybrid => recall::search(store, request, near.as_deref()).await?,
        })
    }

    /// The rows of a project that are nearest to a text, nearest first; none in an unknown project.
    pub async fn near(
        &self,
        engine: &Engine,
        project: Option<&ProjectRef>,
        text: &str,
    ) -> crate::Result<Vec<Near<PublicId>>> {
        let Some(project) = project else { return Ok(Vec::new()) };
        let Some(project) = engine.find_project(project).await? else { return Ok(Vec::new()) };
        let asked = self.embedder.query(prefix(text.trim(), recall::MEANT_BYTES)).await;
        let asked = asked.map_err(|e| crate::Error::Invalid(e.to_string()))?;
        let vectors = match &self.place {
            Place::Memory(projects) => projects.get(&project.id).map_or(&[][..], Vec::as_slice),
            Place::Store(space) => {
                let scope = Scope::Project(project.id);
                let filter = NearFilter { scope, ..NearFilter::default() };
                let (store, embedder) = (engine.store(), &*self.embedder);
                let count = recall::NEAREST;
                return vectors::nearest_in_store(store, embedder, *space, &asked, &filter, count)
                    .await;
            }
        };
        let mut best: BTreeMap<PublicId, f32> = BTreeMap::new();
        for (row, vector) in vectors {
            let cosine = asked.iter().zip(vector).map(|(a, b)| a * b).sum();
            let of_row = best.entry(*row).or_insert(cosine);
            *of_row = of_row.max(cosine);
        }
        let near = best.into_iter().map(|(key, cosine)| Near { key, cosine });
        let mut near: Vec<Near<PublicId>> = near.collect();
        near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        near.truncate(recall::NEAREST);
        Ok(near)
    }

    /// What a prompt in a project is answered with.
    pub async fn prompt(
        &self,
        engine: &Engine,
        mode: Mode,
        project: &ProjectRef,
        text: &str,
    ) -> crate::Result<ContextBlock> {
        let near = match mode {
            Mode::Keyword => None,
            Mode::Dense | Mode::Hybrid => Some(self.near(engine, Some(project), text).await?),
        };
        prompt(engine, project, text, near.as_deref()).await
    }
}

/// Rows as they are embedded; the numbers of a session's rows follow each other.
async fn cuts(store: &dyn Store, rows: &[Row]) -> Result<Vec<Cut>, DatasetError> {
    let before: Vec<PublicId> =
        rows.iter().map(|row| PublicId::new(row.id.kind, row.id.number - 1)).collect();
    let before = store.rows(Scope::All, &before).await.map_err(crate::Error::from)?;
    let before: HashMap<PublicId, Row> = before.into_iter().map(|row| (row.id, row)).collect();
    let cut = |row: &Row| {
        let before = before.get(&PublicId::new(row.id.kind, row.id.number - 1));
        let same = before.filter(|b| b.session_id.is_some() && b.session_id == row.session_id);
        Cut::of(&row.body, same.map(|row| &row.body))
    };
    Ok(rows.iter().map(cut).collect())
}

/// What a prompt in a project is answered with; `near` are the rows near it, if any are known.
pub async fn prompt(
    engine: &Engine,
    project: &ProjectRef,
    text: &str,
    near: Option<&[Near<PublicId>]>,
) -> crate::Result<ContextBlock> {
    let Some(found) = engine.find_project(project).await? else {
        return Ok(ContextBlock::default());
    };
    Ok(recall::prompt_recall(engine.store(), found.id, None, text, &[], near).await?)
}
