//! Events on their way in: cleaned again, recognised when they come twice, stored, answered.

mod dedupe;

use afterword_domain::boundary;
use afterword_domain::event::{Event, EventBody, StartSource};
use afterword_domain::reply::Reply;
use afterword_domain::wire::context::ContextBlock;
use afterword_domain::wire::events::{EventAnswer, Outcome, SkipReason};
use afterword_store::contract::{IndexDoc, NewEvent, NewSnapshot, Recorded};

use crate::live::LiveBody;
use crate::recall::{self, ContextRequest};
use crate::{Engine, Result, analyze, distill};

/// Most digests that go into one snapshot.
const SNAPSHOT_EVENTS: usize = 2_000;

impl Engine {
    /// Stores events in order and says what became of each. They are durable when this returns.
    pub async fn intake(&self, events: Vec<Event>) -> Result<Vec<Outcome>> {
        let recorded = self.record(events).await?;
        Ok(recorded.iter().map(|(_, recorded)| outcome(recorded)).collect())
    }

    /// Stores one event, and makes the reply that the hook prints.
    ///
    /// A reply that cannot be made is no reply: the event is stored all the same.
    pub async fn hook_event(&self, event: Event) -> Result<EventAnswer> {
        let mut recorded = self.record(vec![event]).await?;
        let (event, recorded) = recorded.pop().expect("one event in, one out");
        let reply = match &event {
            None => Ok(Reply::None),
            Some(event) => self.reply(event, &recorded).await,
        };
        let reply = reply.unwrap_or_else(|error| {
            tracing::warn!(%error, "no reply could be made");
            Reply::None
        });
        Ok(EventAnswer { outcome: outcome(&recorded), reply })
    }

    /// The reply to an event that is not to be stored.
    pub async fn reply_only(&self, event: &Event) -> Result<Reply> {
        let project_id = self.store.resolve_project(&event.project, event.at).await?.id;
        let session = self.store.find_session(&event.agent, &event.agent_session_id).await?;
        self.reply_for(event, project_id, session.map(|s| s.id)).await
    }

    /// What is left of each event after cleaning, and what became of it; nothing is left of one
    /// that held only what a machine put there.
    async fn record(&self, events: Vec<Event>) -> Result<Vec<(Option<Event>, Recorded)>> {
        let mut kept = Vec::with_capacity(events.len());
        let mut results: Vec<Option<Recorded>> = Vec::with_capacity(events.len());
        for event in events {
            // A second time: others than our hooks call, and older hooks know fewer secrets.
            let event = boundary::seal(event).map(|sealed| sealed.event);
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
        }
        let mut answers = Vec::with_capacity(kept.len());
        for (event, recorded) in kept.into_iter().zip(results) {
            let recorded = recorded.expect("the store answers for every event");
            if let Some(event) = &event {
                self.after(event, &recorded).await?;
            }
            answers.push((event, recorded));
        }
        Ok(answers)
    }

    fn skip_reason(&self, event: &Event) -> Option<SkipReason> {
        match &event.body {
            EventBody::ToolUse { tool } if self.settings.skip_tools.contains(&tool.name) => {
                Some(SkipReason::ToolExcluded)
            }
            _ => None,
        }
    }

    /// What follows from a stored event besides distilling.
    async fn after(&self, event: &Event, recorded: &Recorded) -> Result<()> {
        let Recorded::Stored { event_id, turn, project_id, new_session } = recorded else {
            return Ok(());
        };
        let (event_id, session, project_id) = (*event_id, turn.session_id, *project_id);
        if *new_session {
            self.announce(project_id, LiveBody::SessionStarted { session_db_id: session });
        }
        match &event.body {
            EventBody::PreCompact { trigger, .. } => {
                self.keep_snapshot(event, trigger, session, event_id).await?;
                self.note_compaction(session);
            }
            EventBody::PostCompact { summary } => {
                self.add_agent_summary(session, summary).await?;
            }
            EventBody::Prompt { .. } => self.announce(
                project_id,
                LiveBody::NewPrompt { session_db_id: session, prompt_number: turn.prompt_number },
            ),
            EventBody::ToolUse { .. } => {
                self.announce(project_id, LiveBody::ObservationQueued { session_db_id: session });
            }
            EventBody::SessionEnd { .. } => {
                self.announce(project_id, LiveBody::SessionCompleted { session_db_id: session });
            }
            _ => {}
        }
        Ok(())
    }

    async fn keep_snapshot(
        &self,
        event: &Event,
        trigger: &str,
        session: i64,
        event_id: i64,
    ) -> Result<()> {
        let after = self.store.last_snapshot(session).await?.map_or(0, |(_, up_to)| up_to);
        let digests = self.store.session_digests(session, after, SNAPSHOT_EVENTS).await?;
        let text = distill::snapshot_text(&digests);
        if text.is_empty() {
            return Ok(());
        }
        let index = analyze::index_doc("", &text, &[]);
        let snapshot = NewSnapshot {
            session_id: session,
            up_to_event_id: event_id,
            trigger: trigger.to_owned(),
            text,
            created_at: event.at,
            index,
        };
        self.store.insert_snapshot(snapshot).await?;
        Ok(())
    }

    async fn add_agent_summary(&self, session: i64, summary: &str) -> Result<()> {
        let Some((snapshot, _)) = self.store.last_snapshot(session).await? else {
            return Ok(());
        };
        let summary = agent_summary(summary);
        let whole = format!("{}\n{summary}", snapshot.text);
        let index = analyze::index_doc("", &whole, &[]);
        self.store.add_agent_summary(session, &summary, index).await?;
        Ok(())
    }

    async fn reply(&self, event: &Event, recorded: &Recorded) -> Result<Reply> {
        match recorded {
            Recorded::Stored { turn, project_id, .. }
            | Recorded::Duplicate { turn, project_id } => {
                self.reply_for(event, *project_id, Some(turn.session_id)).await
            }
            Recorded::Skipped(_) => Ok(Reply::None),
        }
    }

    /// The reply to an event; sub-agents are never given context.
    async fn reply_for(
        &self,
        event: &Event,
        project_id: i64,
        session_id: Option<i64>,
    ) -> Result<Reply> {
        if event.subagent.is_some() {
            return Ok(Reply::None);
        }
        match &event.body {
            EventBody::SessionStart { source }
                if self.settings.session_context && source.wants_context() =>
            {
                let request = self.request(event, project_id, session_id, *source);
                Ok(as_reply(self.session_context(&request).await?))
            }
            EventBody::Prompt { text, private: false } => {
                self.prompt_reply(event, text, project_id, session_id).await
            }
            _ => Ok(Reply::None),
        }
    }

    async fn prompt_reply(
        &self,
        event: &Event,
        text: &str,
        project_id: i64,
        session_id: Option<i64>,
    ) -> Result<Reply> {
        if let Some(session) = session_id
            && self.settings.session_context
            && self.take_compaction(session)
        {
            let request = self.request(event, project_id, session_id, StartSource::Compact);
            return Ok(as_reply(self.session_context(&request).await?));
        }
        if !self.settings.prompt_recall {
            return Ok(Reply::None);
        }
        let given = session_id.map(|s| self.given(s)).unwrap_or_default();
        let block =
            recall::prompt_recall(&*self.store, project_id, session_id, text, &given).await?;
        if let Some(session) = session_id {
            self.note_given(session, &block.shown, false);
        }
        Ok(as_reply(block))
    }

    fn request(
        &self,
        event: &Event,
        project_id: i64,
        session_id: Option<i64>,
        source: StartSource,
    ) -> ContextRequest {
        ContextRequest {
            project_id,
            project: event.project.name.clone(),
            branch: event.project.branch.clone(),
            session_id,
            after_compaction: source == StartSource::Compact,
        }
    }
}

/// What the caller is told of a recorded event.
fn outcome(recorded: &Recorded) -> Outcome {
    match recorded {
        Recorded::Stored { turn, .. } => {
            Outcome::Stored { session_id: turn.session_id, prompt_number: turn.prompt_number }
        }
        Recorded::Duplicate { turn, .. } => {
            Outcome::Duplicate { session_id: turn.session_id, prompt_number: turn.prompt_number }
        }
        Recorded::Skipped(reason) => Outcome::Skipped { reason: *reason },
    }
}

fn as_reply(block: ContextBlock) -> Reply {
    if block.text.is_empty() {
        Reply::None
    } else {
        Reply::Context { text: block.text, notice: None }
    }
}

/// The part of an agent's compaction summary that it keeps: what stands in `<summary>`, without the
/// analysis before it; the whole text where there are no marks.
fn agent_summary(text: &str) -> String {
    let start = text.find("<summary>").map_or(0, |at| at + "<summary>".len());
    let kept = &text[start..];
    let end = kept.find("</summary>").unwrap_or(kept.len());
    kept[..end].trim().to_owned()
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
        dedupe_near: keys.near,
        digest: distill::digest(event),
        index,
        event: event.clone(),
    }
}
