//! Searches with the observer's filters.

use std::collections::{HashMap, HashSet};

use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::wire::context::ContextBlock;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest, SearchResult};
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{Row, RowBody};

use super::ObserverRow;
use crate::error::within;
use crate::recall::{self, DEFAULT_LIMIT, MAX_LIMIT};
use crate::{Engine, Result};

/// Pages of the newest rows that a question without words looks through.
const PAGES: usize = 25;

/// A search with filters that only the observer has.
#[derive(Clone, Debug, Default)]
pub struct ObserverQuestion {
    /// What other doors know too.
    pub request: SearchRequest,
    /// Only these kinds; none of them stands for all.
    pub kinds: Vec<Kind>,
    /// Only observations of these types.
    pub types: Vec<String>,
    /// Only observations with one of these concepts.
    pub concepts: Vec<String>,
    /// Only rows that concern one of these files.
    pub files: Vec<String>,
    /// Rows that are left out at the beginning.
    pub offset: usize,
    /// By time; best first unless said.
    pub order: Option<Order>,
}

/// An order by time of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The oldest first.
    OldestFirst,
    /// The newest first.
    NewestFirst,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct ObserverFound {
    /// As other doors are answered.
    pub answer: SearchAnswer,
    /// The same rows in the observer's form, without snapshots.
    pub rows: Vec<ObserverRow>,
}

impl Engine {
    /// Answers a search with the observer's filters. A limit beyond 1 to 200 is
    /// [`Error::Invalid`](crate::Error::Invalid). With filters that the index does not know, the 200
    /// best rows are looked at, or the 5,000 newest where the question has no words.
    pub async fn observer_search(&self, asked: &ObserverQuestion) -> Result<ObserverFound> {
        within("limit", asked.request.limit, 1..=MAX_LIMIT)?;
        if !asked.narrows() {
            let answer = self.search(&asked.request).await?;
            let rows = self.rows_of(&answer.results).await?;
            let ids: Vec<PublicId> = answer.results.iter().map(|found| found.id).collect();
            let mut rows: HashMap<PublicId, Row> =
                rows.into_iter().map(|row| (row.id, row)).collect();
            let rows = ids.iter().filter_map(|id| rows.remove(id)).collect();
            return Ok(ObserverFound { answer, rows: self.in_observers_form(rows).await? });
        }
        let limit = asked.request.limit.unwrap_or(DEFAULT_LIMIT);
        let most = asked.offset.saturating_add(limit);
        let (found, hint) = self.chosen(asked, most).await?;
        let total = found.len();
        let page: Vec<(SearchResult, Row)> =
            found.into_iter().skip(asked.offset).take(limit).collect();
        let (results, rows): (Vec<_>, Vec<_>) = page.into_iter().unzip();
        let rows = self.in_observers_form(rows).await?;
        Ok(ObserverFound { answer: SearchAnswer { results, total, hint }, rows })
    }

    /// Observations that concern one of the files, newest first; of every project where none is
    /// named. Files are named as in
    /// [`SearchRequest::file`](afterword_domain::wire::search::SearchRequest).
    pub async fn observer_by_file(
        &self,
        files: &[String],
        projects: &[String],
        limit: usize,
    ) -> Result<Vec<ObserverRow>> {
        let mut places: Vec<Option<ProjectRef>> = Vec::new();
        for name in projects {
            let project = ProjectRef::named(name);
            if self.find_project(&project).await?.is_some() {
                places.push(Some(project));
            }
        }
        if projects.is_empty() {
            places.push(None);
        }
        let mut found: Vec<(SearchResult, Row)> = Vec::new();
        for project in places {
            let asked = ObserverQuestion {
                request: SearchRequest {
                    project,
                    kind: Some(Kind::Observation),
                    ..SearchRequest::default()
                },
                files: files.to_vec(),
                order: Some(Order::NewestFirst),
                ..ObserverQuestion::default()
            };
            found.extend(self.chosen(&asked, limit).await?.0);
        }
        sort(&mut found, Order::NewestFirst);
        let rows = found.into_iter().map(|(_, row)| row).take(limit).collect();
        self.in_observers_form(rows).await
    }

    /// The few rows of a project that answer a prompt, as a session that sends it would be given
    /// them; an empty block where nothing answers.
    pub async fn observer_answer(
        &self,
        project: &ProjectRef,
        prompt: &str,
    ) -> Result<ContextBlock> {
        let Some(project) = self.find_project(project).await? else {
            return Ok(ContextBlock::default());
        };
        let near = self.near_prompt(project.id, prompt).await;
        let near = near.as_deref();
        let block =
            recall::prompt_recall(&*self.store, project.id, None, prompt, &[], near).await?;
        if !block.text.is_empty() {
            self.ledger().note_handed("prompt", project.id, &block.text).await;
        }
        Ok(block)
    }

    /// Every row that the filters let through, at most `most` of the newest where the question has
    /// no words, in order.
    pub(super) async fn chosen(
        &self,
        asked: &ObserverQuestion,
        most: usize,
    ) -> Result<(Vec<(SearchResult, Row)>, Option<String>)> {
        let files: Vec<Option<String>> = match asked.files.as_slice() {
            [] => vec![asked.request.file.clone()],
            files => files.iter().cloned().map(Some).collect(),
        };
        let several = files.len() > 1;
        let words = asked.request.query.chars().any(|c| c != '*' && !c.is_whitespace());
        let (mut seen, mut found, mut hint) = (HashSet::new(), Vec::new(), None);
        for file in files {
            let mut request =
                SearchRequest { file, limit: Some(MAX_LIMIT), ..asked.request.clone() };
            if let [only] = asked.kinds.as_slice() {
                request.kind = Some(*only);
            }
            let before = found.len();
            for _ in 0..PAGES {
                let answer = self.search(&request).await?;
                hint = hint.or(answer.hint);
                let whole = answer.results.len() == MAX_LIMIT;
                // Rows of the same moment come again on the next page.
                request.until = answer.results.last().map(|last| last.created_at.plus_millis(1));
                let new: Vec<SearchResult> =
                    answer.results.into_iter().filter(|found| seen.insert(found.id)).collect();
                let none_new = new.is_empty();
                found.extend(self.allowed(asked, new).await?);
                // Going back in time is of use only where the newest were asked for.
                let oldest_wanted = asked.order == Some(Order::OldestFirst);
                let enough = found.len() - before > most && !oldest_wanted;
                if words || none_new || !whole || enough {
                    break;
                }
            }
        }
        match asked.order {
            Some(order) => sort(&mut found, order),
            None if several && !words => sort(&mut found, Order::NewestFirst),
            None => {}
        }
        Ok((found, hint))
    }

    async fn allowed(
        &self,
        asked: &ObserverQuestion,
        results: Vec<SearchResult>,
    ) -> Result<Vec<(SearchResult, Row)>> {
        let rows = self.rows_of(&results).await?;
        let mut rows: HashMap<PublicId, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
        let pairs = results.into_iter().filter_map(|found| {
            let row = rows.remove(&found.id)?;
            asked.allows(&row).then_some((found, row))
        });
        Ok(pairs.collect())
    }

    async fn rows_of(&self, results: &[SearchResult]) -> Result<Vec<Row>> {
        let ids: Vec<PublicId> = results.iter().map(|found| found.id).collect();
        Ok(self.store.rows(Scope::All, &ids).await?)
    }
}

impl ObserverQuestion {
    /// Whether anything is asked for that a plain search does not do.
    fn narrows(&self) -> bool {
        !self.kinds.is_empty()
            || !self.types.is_empty()
            || !self.concepts.is_empty()
            || !self.files.is_empty()
            || self.offset > 0
            || self.order.is_some()
    }

    fn allows(&self, row: &Row) -> bool {
        if !self.kinds.is_empty() && !self.kinds.contains(&row.id.kind) {
            return false;
        }
        if self.types.is_empty() && self.concepts.is_empty() {
            return true;
        }
        // Only observations have types and concepts.
        let RowBody::Observation(row) = &row.body else { return false };
        let of_type = |word: &String| word.eq_ignore_ascii_case(&row.content.r#type);
        let said = |word: &String| row.content.concepts.contains(word);
        (self.types.is_empty() || self.types.iter().any(of_type))
            && (self.concepts.is_empty() || self.concepts.iter().any(said))
    }
}

fn sort(found: &mut [(SearchResult, Row)], order: Order) {
    found.sort_by_key(|(_, row)| (row.created_at, row.id));
    if order == Order::NewestFirst {
        found.reverse();
    }
}
