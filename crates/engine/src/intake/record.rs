//! Taking events in, and what follows from them besides distilling.

use afterword_domain::boundary;
use afterword_domain::event::{Event, EventBody};
use afterword_domain::reply::Reply;
use afterword_domain::tools::is_our_own;
use afterword_domain::wire::events::{EventAnswer, Outcome, SkipReason};
use afterword_store::contract::{IndexDoc, NewEvent, Recorded};

use super::{Asked, dedupe};
use crate::{Engine, Result, analyze, distill};

impl Engine {
    /// Stores events in order and says what became of each. They are durable when this returns.
    pub async fn intake(&self, events: Vec<Event>) -> Result<Vec<Outcome>> {
        let recorded = self.record(events).await?;
        Ok(recorded.iter().map(|(_, recorded)| outcome(recorded)).collect())
    }

    /// Stores one event, and makes the reply that the hook prints.
    ///
    /// A reply that cannot be made is no reply: the event is stored all the same.
    pub async fn hook_event(&self, event: Event, asked: Asked) -> Result<EventAnswer> {
        let mut recorded = self.record(vec![event]).await?;
        let (event, recorded) = recorded.pop().expect("one event in, one out");
        let reply = match &event {
            None => Ok(Reply::None),
            Some(event) => self.reply(event, &recorded, asked).await,
        };
        let reply = reply.unwrap_or_else(|error| {
            tracing::warn!(%error, "no reply could be made");
            Reply::None
        });
        Ok(EventAnswer { outcome: outcome(&recorded), reply })
    }

    /// What is left of each event after cleaning, and what became of it; nothing is left of one
    /// that held only what a machine put there.
    async fn record(&self, events: Vec<Event>) -> Result<Vec<(Option<Event>, Recorded)>> {
        let now = self.clock.now();
        let mut kept = Vec::with_capacity(events.len());
        let mut results: Vec<Option<Recorded>> = Vec::with_capacity(events.len());
        for event in events {
            // A second time: others than our hooks call, and older hooks know fewer secrets.
            let mut event = boundary::seal(event).map(|sealed| sealed.event);
            if let Some(event) = &mut event {
                // A clock that runs ahead must not make its turn wait until that time comes.
                event.at = event.at.min(now);
            }
            let skip = event.as_ref().map_or(Some(SkipReason::Machine), |e| self.skip_reason(e));
            if let Some(reason) = skip {
                self.store.count_skipped(reason, 1).await?;
            }
            results.push(skip.map(Recorded::Skipped));
            kept.push(event);
        }
        let new: Vec<NewEvent> = kept
            .iter()
            .zip(&results)
            .filter(|(_, skipped)| skipped.is_none())
            .filter_map(|(event, _)| event.as_ref().map(new_event))
            .collect();
        if !new.is_empty() {
            let mut recorded = self.store.record(new).await?.into_iter();
            for slot in results.iter_mut().filter(|r| r.is_none()) {
                *slot = recorded.next();
            }
            self.work.notify_one();
            self.live.changed();
            self.live.work_changed();
        }
        let mut answers = Vec::with_capacity(kept.len());
        for (event, recorded) in kept.into_iter().zip(results) {
            let recorded = recorded.expect("the store answers for every event");
            if let Some(event) = &event {
                self.after(event, &recorded).await;
            }
            answers.push((event, recorded));
        }
        Ok(answers)
    }

    fn skip_reason(&self, event: &Event) -> Option<SkipReason> {
        match &event.body {
            EventBody::ToolUse { tool }
                if self.settings.skip_tools.contains(&tool.name) || is_our_own(&tool.name) =>
            {
                Some(SkipReason::ToolExcluded)
            }
            _ => None,
        }
    }

    /// What follows from a stored event besides distilling. The event is stored, so nothing here
    /// can fail its intake: what is owed stays owed, and the worker makes up for it.
    async fn after(&self, event: &Event, recorded: &Recorded) {
        let Recorded::Stored { event_id, turn, project_id, .. } = recorded else {
            return;
        };
        let (event_id, session, project_id) = (*event_id, turn.session_id, *project_id);
        match &event.body {
            EventBody::PreCompact { .. } | EventBody::PostCompact { .. } => {
                if let Err(error) = self.follow_up(event_id, session, event).await {
                    tracing::warn!(%error, session, "a compaction will be followed up later");
                }
            }
            EventBody::Prompt { .. } => {
                // The turn before it is over, and its session lives.
                self.model_work.due.notify_one();
            }
            EventBody::ToolUse { .. } => self.live.queued(project_id, session),
            _ => {}
        }
    }
}

/// What the caller is told of a recorded event.
fn outcome(recorded: &Recorded) -> Outcome {
    match recorded {
        Recorded::Stored { turn, new_session, .. } => Outcome::Stored {
            session_id: turn.session_id,
            prompt_number: turn.prompt_number,
            new_session: *new_session,
        },
        Recorded::Duplicate { turn, .. } => {
            Outcome::Duplicate { session_id: turn.session_id, prompt_number: turn.prompt_number }
        }
        Recorded::Skipped(reason) => Outcome::Skipped { reason: *reason },
    }
}

/// What the store needs besides the event.
fn new_event(event: &Event) -> NewEvent {
    let keys = dedupe::keys(event);
    let index: Option<IndexDoc> = match &event.body {
        EventBody::Prompt { text, private: false } => Some(analyze::index_doc("", text, &[])),
        _ => None,
    };
    NewEvent {
        dedupe_key: keys.key,
        near_key: keys.near,
        digest: distill::digest(event),
        index,
        event: event.clone(),
    }
}
