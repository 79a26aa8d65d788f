//! From a request to kept facts.

use afterword_domain::memory::{Attributes, Memory, Origin};
use afterword_domain::owner::Owner;
use afterword_domain::privacy;
use afterword_store::contract::{NewFact, NewInference, NewMemory};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::compare::{Known, place};
use super::messages::{Line, lines};
use super::{ABOUT, DrawnBy, Fact, InferRequest, Inferred, rules};
use crate::memories::{owner_in, text_key};
use crate::{Engine, Error, Result, analyze};

/// Whether an agent's own words count: no person is named.
pub(super) const fn is_agent(owner: &Owner) -> bool {
    owner.agent.is_some() && owner.user.is_none()
}

/// The owner in words, for a model.
pub(super) fn told(owner: &Owner) -> String {
    Owner { app: None, run: None, ..owner.clone() }.names().fold(String::new(), |told, named| {
        let gap = if told.is_empty() { "" } else { ", " };
        format!("{told}{gap}{} {}", named.0.word(), named.1)
    })
}

/// A fact as it was drawn.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) fact: Fact,
    /// The memories that do not hold any more because of it, as whoever drew it says.
    pub(super) replaces: Vec<Memory>,
}

impl Engine {
    /// Draws the facts out of messages and keeps them: with the model where there is one that may be
    /// asked now, in one call that is set aside before and kept when it is answered; by rules else.
    ///
    /// Waits as long as a call to the model takes. Errors only where the request cannot be used or
    /// the store fails; then nothing was kept, and the same request may be made again.
    pub async fn infer(&self, request: &InferRequest) -> Result<Inferred> {
        if !(request.metadata.is_null() || request.metadata.is_object()) {
            return Err(Error::Invalid("metadata is an object, or nothing at all".into()));
        }
        if let Some(facts) = self.store.inference(request.id).await? {
            return Ok(Inferred { by: DrawnBy::Earlier, facts });
        }
        let now = self.clock.now();
        let lines = lines(&request.messages, request.at.unwrap_or(now), request.offset_minutes);
        let project_id = self.resolve_project(&request.project).await?.id;
        let owner = if request.owner.is_nobody() {
            owner_in(&request.metadata)?
        } else {
            request.owner.clone()
        };
        let (by, facts) = self.draw(request, project_id, &owner, &lines).await?;
        let facts = self.placed(request, project_id, &owner, &by, facts).await?;
        let inference = NewInference { uid: request.id, facts, now };
        let facts = self.store.save_inference(inference).await?;
        self.live.changed();
        self.vectors.rows_came();
        Ok(Inferred { by, facts })
    }

    async fn draw(
        &self,
        request: &InferRequest,
        project_id: i64,
        owner: &Owner,
        lines: &[Line],
    ) -> Result<(DrawnBy, Vec<Drawn>)> {
        if lines.is_empty() {
            let why = "there is nothing in the messages that may be read".to_owned();
            return Ok((DrawnBy::Rules { why }, Vec::new()));
        }
        match self.facts_by_model(request, project_id, owner, lines).await? {
            Ok(facts) => Ok((DrawnBy::Model, facts)),
            Err(why) => {
                let facts = rules::facts(lines, is_agent(owner));
                let drawn = facts.into_iter().map(|fact| Drawn { fact, replaces: Vec::new() });
                Ok((DrawnBy::Rules { why }, drawn.collect()))
            }
        }
    }

    /// Each fact beside what is known of its owner, and beside the facts before it.
    async fn placed(
        &self,
        request: &InferRequest,
        project_id: i64,
        owner: &Owner,
        by: &DrawnBy,
        drawn: Vec<Drawn>,
    ) -> Result<Vec<NewFact>> {
        let mut placed: Vec<NewFact> = Vec::new();
        let mut told: Vec<Known> = Vec::new();
        for Drawn { fact, replaces } in drawn {
            let mut near = self.known_near(project_id, owner, &fact.text).await?;
            let replaced: Vec<Uuid> = replaces.iter().map(|memory| memory.uid).collect();
            near.retain(|memory| !replaced.contains(&memory.uid));
            let near = near.iter().chain(&replaces).map(Known::of);
            let known: Vec<Known> = near.chain(told.iter().cloned()).collect();
            let place = place(&fact, &known, &replaced);
            let memory = self.memory_of(request, project_id, owner, by, &fact);
            told.push(Known::of_fact(memory.uid, &fact));
            placed.push(NewFact { memory, place });
        }
        Ok(placed)
    }

    fn memory_of(
        &self,
        request: &InferRequest,
        project_id: i64,
        owner: &Owner,
        by: &DrawnBy,
        fact: &Fact,
    ) -> NewMemory {
        let mut metadata = match &request.metadata {
            Value::Object(fields) => fields.clone(),
            _ => Map::new(),
        };
        let by = if *by == DrawnBy::Model { "model" } else { "rules" };
        let mut about = json!({ "by": by, "said_by": fact.said_by.word() });
        if let Some(date) = &fact.date {
            about["date"] = json!(date);
        }
        metadata.insert(ABOUT.to_owned(), about);
        let mut metadata = Value::Object(metadata);
        privacy::clean_value(&mut metadata);
        NewMemory {
            uid: Uuid::now_v7(),
            project_id,
            title: String::new(),
            text_key: text_key(owner, &fact.text),
            owner: owner.clone(),
            attributes: Attributes {
                role: fact.said_by.word().to_owned(),
                ..request.attributes.clone()
            },
            index: analyze::index_doc("", &fact.text, &[]),
            text: fact.text.clone(),
            metadata,
            files: Vec::new(),
            origin: Origin::Inferred,
            // A clock that ran ahead must not make it the newest until that time comes.
            created_at: fact.said_at.min(self.clock.now()),
        }
    }
}
