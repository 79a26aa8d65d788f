//! What follows from an event besides distilling: the snapshot before a compaction, and the agent's
//! own summary after it. Owed from the moment the event is stored, done at once where it can be,
//! and made up for by the worker where not.

use afterword_domain::event::{Event, EventBody};
use afterword_store::contract::NewSnapshot;

use crate::{Engine, Result, analyze, distill};

/// Most digests that go into one snapshot.
const SNAPSHOT_EVENTS: usize = 2_000;

/// Follow-ups that are made up for with one look at the store.
const AT_ONCE: usize = 50;

impl Engine {
    /// Makes up for the follow-ups that are still owed; says how many it did.
    pub(crate) async fn follow_up_due(&self) -> Result<usize> {
        let due = self.store.due_follow_ups(AT_ONCE).await?;
        for owed in &due {
            self.follow_up(owed.event_id, owed.session_id, &owed.event).await?;
        }
        Ok(due.len())
    }

    /// Does what follows from an event, once however often it is called.
    pub(super) async fn follow_up(&self, event_id: i64, session: i64, event: &Event) -> Result<()> {
        match &event.body {
            EventBody::PreCompact { trigger, .. } => {
                self.keep_snapshot(event, trigger, session, event_id).await?;
            }
            EventBody::PostCompact { summary } => self.add_agent_summary(session, summary).await?,
            _ => {}
        }
        self.store.settle_follow_up(event_id).await?;
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
        let digests = self.store.session_digests(session, after, event_id, SNAPSHOT_EVENTS).await?;
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
        self.live.changed();
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
        self.live.changed();
        Ok(())
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
