//! Finding memories by a question.

use std::time::Duration;

use afterword_domain::day::Day;
use afterword_domain::filter::Filter;
use afterword_domain::memory::Memory;
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, Time};

use crate::error::within;
use crate::recall::{NEAREST, OwnedQuestion, owned_memories};
use crate::vectors::NearFilter;
use crate::{Engine, Error, Result};

/// Most memories that one question finds.
pub const MAX_FOUND: usize = 1_000;

/// How long is waited for memories that are near by meaning, as in a search.
const PATIENCE: Duration = Duration::from_millis(800);

/// A question to memories.
#[derive(Clone, Debug)]
pub struct FindMemories {
    /// The question; any text that is not blank.
    pub query: String,
    /// The memories that may answer.
    pub filter: Filter,
    /// Most memories, 1 to [`MAX_FOUND`].
    pub limit: usize,
    /// The least score, 0 to 1.
    pub threshold: f64,
    /// Also those that have expired.
    pub with_expired: bool,
    /// The day by which they have not expired; today unless said.
    pub at: Option<Time>,
}

/// A memory that answers.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundMemory {
    /// The memory.
    pub memory: Memory,
    /// How well it answers, 0 to 1; from 0.5 on it does.
    pub score: f64,
    /// What its meaning adds to the score.
    pub meaning: f64,
    /// What its words add to the score.
    pub words: f64,
}

impl Engine {
    /// The memories that answer a question, best first.
    ///
    /// Those that another one has taken the place of come below it. By meaning as far as a model
    /// is there and answers in time; by words always.
    pub async fn find_memories(&self, asked: FindMemories) -> Result<Vec<FoundMemory>> {
        within("the limit", Some(asked.limit), 1..=MAX_FOUND)?;
        if !(0.0..=1.0).contains(&asked.threshold) {
            return Err(Error::Invalid(format!(
                "the threshold is {}, and may be 0 to 1",
                asked.threshold
            )));
        }
        let query = asked.query.trim();
        if query.is_empty() {
            return Err(Error::Invalid("the query is empty: say what to look for".into()));
        }
        let necessary = asked.filter.necessary();
        if necessary.is_impossible() {
            return Ok(Vec::new());
        }
        let near = NearFilter {
            scope: Scope::All,
            kind: Some(Kind::Memory),
            owners: necessary.asks_for_owners().then(|| necessary.owners.clone()),
            since: necessary.created.from,
            until: necessary.created.before,
        };
        let near = self.near(query, &near, NEAREST.max(asked.limit), PATIENCE).await;
        let question = OwnedQuestion {
            query,
            filter: &asked.filter,
            necessary: &necessary,
            today: (!asked.with_expired).then(|| Day::of(asked.at.unwrap_or(self.clock.now()))),
            limit: asked.limit,
        };
        let found = owned_memories(&*self.store, &question, &near.unwrap_or_default()).await?;
        let found = found.into_iter().filter(|found| found.score >= asked.threshold);
        Ok(found
            .map(|found| FoundMemory {
                memory: found.memory,
                score: found.score,
                meaning: found.meaning,
                words: found.words,
            })
            .collect())
    }
}
