//! One call to a model, within its budget; its answer is kept before it is used.

use afterword_domain::PublicId;
use afterword_domain::memory::Memory;
use afterword_domain::owner::Owner;
use afterword_store::contract::{AnswerOf, NewAnswer, PaidAnswer};
use serde::{Deserialize, Serialize};

use super::messages::Line;
use super::run::{Drawn, told};
use super::{Fact, InferRequest, MOST_CHARS, Speaker, request};
use crate::analyze::query_terms;
use crate::distill::Wording;
use crate::distill::model::Model;
use crate::distill::model::answer::{FactsReading, Prose, StatedFact, read_facts};
use crate::distill::model::budget::{Call, Charge, Purpose};
use crate::provider::Ask;
use crate::{Engine, Result};

/// What it takes to read an answer: the memories that were shown, in their order.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    shown: Vec<PublicId>,
}

impl Engine {
    /// The facts as a model draws them; or why it does not.
    pub(super) async fn facts_by_model(
        &self,
        asked: &InferRequest,
        project_id: i64,
        owner: &Owner,
        lines: &[Line],
    ) -> Result<Result<Vec<Drawn>, String>> {
        let Some(model) = &self.model else {
            let why = self.no_model.as_ref().map_or("no provider is set", |none| &none.why);
            return Ok(Err(why.to_owned()));
        };
        let of = AnswerOf::Inference(asked.id);
        if let Some(paid) = self.store.paid_answer(of).await? {
            let note: Option<Note> = serde_json::from_str(&paid.note).ok();
            let shown = note.map(|note| note.shown).unwrap_or_default();
            let shown = self.memories_in_place(project_id, &shown).await?;
            return self.read_facts(model, &paid, lines, &shown).await;
        }
        let now = self.clock.now();
        if let Some(why) = self.model_work.hold.told(now) {
            return Ok(Err(why));
        }
        let near = self.known_near_messages(project_id, owner, lines).await?;
        // What does not hold any more would only be drawn again.
        let near: Vec<Memory> = near.into_iter().filter(|m| m.superseded_by.is_none()).collect();
        let ask = request::about(lines, &near, &told(owner), &asked.wishes);
        let paid = match self.ask_for_facts(model, asked, project_id, &ask, &near).await? {
            Ok(paid) => paid,
            Err(why) => return Ok(Err(why)),
        };
        let shown: Vec<Option<Memory>> = near.into_iter().map(Some).collect();
        self.read_facts(model, &paid, lines, &shown).await
    }

    async fn ask_for_facts(
        &self,
        model: &Model,
        asked: &InferRequest,
        project_id: i64,
        ask: &Ask,
        shown: &[Memory],
    ) -> Result<Result<PaidAnswer, String>> {
        let call = Call {
            provider: model.provider.name().to_owned(),
            model: model.provider.model().to_owned(),
            purpose: Purpose::Infer,
            project_id: Some(project_id),
            session_id: None,
            input_tokens: model.provider.input_bound(ask),
            max_output_tokens: u64::from(ask.max_output_tokens),
            backlog: false,
        };
        let reservation = match model.budget.reserve(&call).await {
            Ok(reservation) => reservation,
            Err(over) => return Ok(Err(over.to_string())),
        };
        let outcome = model.provider.complete(ask).await;
        let charge = Charge::of(&outcome);
        let answer = match outcome {
            Ok(answer) => answer,
            Err(refusal) => {
                if let Err(error) = model.budget.settle(reservation, charge).await {
                    tracing::warn!(%error, "the ledger could not be told what a call used");
                }
                self.heed(model, &refusal).await?;
                return Ok(Err(format!("{} ({})", refusal.message, refusal.kind.name())));
            }
        };
        self.model_work.hold.answered();
        let shown = shown.iter().map(|m| PublicId::new(afterword_domain::Kind::Memory, m.id));
        let note = serde_json::to_string(&Note { shown: shown.collect() }).expect("plain ids");
        let paid = PaidAnswer { text: answer.text, cut: answer.cut, note };
        let of = AnswerOf::Inference(asked.id);
        let kept = NewAnswer { of, at: self.clock.now(), answer: paid.clone() };
        if let Err(error) = model.budget.settle_keeping(reservation, charge, kept).await {
            // What was set aside stays charged; the answer is paid for and not thrown away.
            tracing::warn!(%error, "the ledger could not be told what a call used");
        }
        Ok(Ok(paid))
    }

    async fn read_facts(
        &self,
        model: &Model,
        paid: &PaidAnswer,
        lines: &[Line],
        shown: &[Option<Memory>],
    ) -> Result<Result<Vec<Drawn>, String>> {
        Ok(match read_facts(&paid.text, paid.cut) {
            FactsReading::Nothing => Ok(Vec::new()),
            FactsReading::Stated(stated) => {
                let drawn = drawn(stated, lines, shown);
                if drawn.is_empty() {
                    Err("the model's answer has nothing to do with the messages".to_owned())
                } else {
                    Ok(drawn)
                }
            }
            FactsReading::Prose(prose) => {
                self.heed_prose(model, prose).await?;
                Err(match prose {
                    Prose::Noise => "the model's answer holds no fact",
                    Prose::Refusal => "the model will not answer this",
                    Prose::Overflow => "the model says that the messages are too long",
                    Prose::Quota | Prose::Auth => "the model's account may not be used now",
                }
                .to_owned())
            }
        })
    }

    /// The memories of ids, each in its id's place; none where it is gone.
    async fn memories_in_place(
        &self,
        project_id: i64,
        ids: &[PublicId],
    ) -> Result<Vec<Option<Memory>>> {
        let found = self.memories_by_id(project_id, ids).await?;
        let of = |id: &PublicId| found.iter().find(|memory| memory.id == id.number).cloned();
        Ok(ids.iter().map(of).collect())
    }
}

/// What a model states, as far as the messages bear it out: a fact that shares no word with them is
/// none, and one that gives orders was written by somebody else.
fn drawn(stated: Vec<StatedFact>, lines: &[Line], shown: &[Option<Memory>]) -> Vec<Drawn> {
    let said: Vec<Vec<String>> = lines.iter().map(words).collect();
    let mut drawn = Vec::new();
    for fact in stated {
        let terms = query_terms(&fact.text);
        let rests =
            |at: usize| said.get(at).is_some_and(|said| terms.iter().any(|t| said.contains(t)));
        let named = fact.message.and_then(|number| number.checked_sub(1)).filter(|at| rests(*at));
        let Some(at) = named.or_else(|| (0..lines.len()).rev().find(|at| rests(*at))) else {
            continue;
        };
        if Wording::new(&fact.text).gives_orders() || fact.text.chars().count() > MOST_CHARS {
            continue;
        }
        let replaces = fact.replaces.iter().filter_map(|number| number.checked_sub(1));
        let replaces = replaces.filter_map(|at| shown.get(at)?.clone()).collect();
        let line = &lines[at];
        let speaker = if line.speaker == Speaker::Other { Speaker::User } else { line.speaker };
        drawn.push(Drawn {
            fact: Fact {
                text: fact.text,
                said_at: line.at,
                said_by: speaker,
                date: fact.date.map(|day| day.to_string()),
            },
            replaces,
        });
    }
    drawn
}

/// The terms of a message, its speaker's name among them.
fn words(line: &Line) -> Vec<String> {
    let name = line.name.as_deref().unwrap_or_default();
    crate::analyze::tokens(&format!("{name} {}", line.text))
}
