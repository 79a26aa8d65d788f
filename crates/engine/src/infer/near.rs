//! The memories that facts are held against: those of the same owner that are nearest to what was
//! said.

use std::time::Duration;

use afterword_domain::filter::OwnerMatch;
use afterword_domain::memory::Memory;
use afterword_domain::owner::Owner;
use afterword_domain::scope::Scope;
use afterword_domain::text::prefix;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::RowBody;

use super::Speaker;
use super::messages::Line;
use crate::recall::{self, MEANT_BYTES, NEAREST};
use crate::vectors::NearFilter;
use crate::{Engine, Result};

/// Messages that memories are looked up for: the last ones of people.
const QUESTIONS: usize = 4;

/// Memories that one of them brings, and a fact.
const EACH: usize = 5;

/// Memories that are shown to a model.
const SHOWN: usize = 12;

/// How long is waited for rows that are near by meaning, as in a search.
const PATIENCE: Duration = Duration::from_millis(800);

impl Engine {
    /// The memories nearest to messages, the nearest to the last message first; at most twelve.
    pub(super) async fn known_near_messages(
        &self,
        project_id: i64,
        owner: &Owner,
        lines: &[Line],
    ) -> Result<Vec<Memory>> {
        let of_people = lines.iter().rev().filter(|line| line.speaker == Speaker::User);
        let mut questions: Vec<&str> = of_people.take(QUESTIONS).map(|l| l.text.as_str()).collect();
        if questions.is_empty() {
            questions.extend(lines.last().map(|line| line.text.as_str()));
        }
        let mut found: Vec<Memory> = Vec::new();
        for question in questions {
            for memory in self.known_near(project_id, owner, question).await? {
                if !found.iter().any(|known| known.id == memory.id) {
                    found.push(memory);
                }
            }
        }
        found.truncate(SHOWN);
        Ok(found)
    }

    /// The memories of an owner nearest to a text.
    pub(super) async fn known_near(
        &self,
        project_id: i64,
        owner: &Owner,
        text: &str,
    ) -> Result<Vec<Memory>> {
        let text = prefix(text, MEANT_BYTES);
        let kind = Some(Kind::Memory);
        let owners = (!owner.is_nobody()).then(|| vec![OwnerMatch::of_owner(owner)]);
        let scope = Scope::Project(project_id);
        let filter = NearFilter {
            scope: scope.clone(),
            kind,
            owners: owners.clone(),
            ..NearFilter::default()
        };
        let near = self.near(text, &filter, NEAREST, PATIENCE).await.unwrap_or_default();
        let mut found = recall::memories_like(&*self.store, scope, owners, text, &near).await?;
        found.truncate(EACH);
        Ok(found)
    }

    /// These memories of a project, in this order.
    pub(super) async fn memories_by_id(
        &self,
        project_id: i64,
        ids: &[PublicId],
    ) -> Result<Vec<Memory>> {
        let rows = self.store.rows(Scope::Project(project_id), ids).await?;
        let memories = rows.into_iter().filter_map(|row| match row.body {
            RowBody::Memory(memory) => Some(memory),
            _ => None,
        });
        Ok(memories.collect())
    }
}
