//! A turn, read by a model.

use afterword_domain::Time;
use afterword_domain::observation::Source;
use afterword_domain::summary::{Summary, SummaryContent, SummaryLevel};
use afterword_store::contract::{
    AnswerOf, Job, ModelJob, ModelOutcome, ModelWish, NewSummary, StoredDigest, TurnKey,
};
use uuid::Uuid;

use super::ask::Question;
use super::{IDLE_MS, QUIET_MS};
use crate::distill::model::answer::Said;
use crate::distill::model::budget::Purpose;
use crate::distill::model::{Evidence, Model, ROOM, about_turn, weigh, written};
use crate::distill::{self, Distilled, summary_entry};
use crate::worker::{HEAD, TAIL};
use crate::{Engine, Result};

/// The type of an observation that was given none.
const DEFAULT_TYPE: &str = "discovery";

impl Engine {
    /// What a model is to do about a turn that the rules have just read.
    /// A model that cannot be asked yet, for want of a key or by a slip in the settings, reads it
    /// when it can.
    pub(crate) fn model_wish(&self, job: &Job, digests: &[StoredDigest]) -> Option<ModelWish> {
        if self.model.is_none() && self.no_model.is_none() {
            return None;
        }
        let last = digests.last()?;
        let is = |kind: &str| digests.iter().any(|d| d.kind == kind && d.subagent.is_none());
        let (closed, ended) = (is("stop"), is("session-end"));
        let tells = Evidence::of(digests).tells();
        if !tells && !ended {
            return None;
        }
        let quiet = if closed || ended { 0 } else { QUIET_MS };
        let idle = if ended { 0 } else { IDLE_MS };
        let turn = (tells && job.model_seen == 0).then(|| last.at.plus_millis(quiet));
        Some(ModelWish { turn, session: last.at.plus_millis(idle) })
    }

    pub(super) async fn read_turn(
        &self,
        model: &Model,
        job: &ModelJob,
        turn: TurnKey,
        backlog: bool,
    ) -> Result<()> {
        let mut digests = self.store.turn_digests(turn, HEAD, TAIL).await?;
        let paid = self.store.paid_answer(AnswerOf::Job(job.id)).await?;
        if let Some(told) = paid.as_ref().and_then(|paid| paid.note.parse::<i64>().ok()) {
            // The answer knows nothing of what came since.
            digests.retain(|digest| digest.event_id <= told);
        }
        let evidence = Evidence::of(&digests);
        if !evidence.tells() {
            return Ok(self.store.end_model_job(job).await?);
        }
        let before = self.before(turn).await?;
        let ask = |room: usize| {
            let (mode, language) = (&model.mode, &model.language);
            about_turn(mode, language, &job.project, before.as_ref(), &evidence, room)
        };
        let question = Question {
            job,
            purpose: Purpose::Turn,
            backlog,
            room: ROOM,
            ask: &ask,
            serves: |_| true,
            note: digests.last().map_or(0, |last| last.event_id).to_string(),
            paid,
        };
        let Some(said) = self.ask_model(model, &question).await? else { return Ok(()) };
        let wrote = written(evidence.request(), before.as_ref());
        let chinese = model.language.is_chinese(&wrote);
        let outcome = self.turn_outcome(job, turn, said, &digests, &evidence, chinese).await?;
        self.store.save_model_turn(outcome).await?;
        // What came after the question is the rules' to tell.
        self.work.notify_one();
        self.live.changed();
        Ok(())
    }

    /// What the session says that comes before a turn; none for its first.
    async fn before(&self, turn: TurnKey) -> Result<Option<SummaryContent>> {
        let before = Some(turn.prompt_number);
        let turns = self.store.turn_summaries(turn.session_id, before, distill::MAX_TURNS).await?;
        if turns.is_empty() {
            return Ok(None);
        }
        let rolled = self.summed_up(turn.session_id, &turns, None).await?;
        if rolled.is_some() {
            return Ok(rolled);
        }
        Ok(self.store.session_answer(turn.session_id).await?.map(|(content, _)| content))
    }

    async fn turn_outcome(
        &self,
        job: &ModelJob,
        turn: TurnKey,
        said: Said,
        digests: &[StoredDigest],
        evidence: &Evidence,
        chinese: bool,
    ) -> Result<ModelOutcome> {
        let Distilled { observations: rules, summary: by_rules } = distill::by_rules(digests);
        let last = digests.last().map_or(self.clock.now(), |last| last.at);
        let weighed = weigh(said.claims, evidence, &rules, DEFAULT_TYPE, last, chinese);
        let turn_summary = said.summary.map(|summary| with_files(summary, by_rules.as_ref()));
        let mut turns =
            self.store.turn_summaries(turn.session_id, None, distill::MAX_TURNS).await?;
        if let Some(content) = &turn_summary {
            turns.retain(|known| known.prompt_number != turn.prompt_number);
            turns.push(summary_of(job.project_id, turn, content, Source::Provider, last));
            turns.sort_by_key(|known| known.prompt_number);
        }
        let newest = turns.iter().map(|known| known.created_at).max().unwrap_or(last);
        // The session of one turn says what its turn says.
        let alone = turns.len() == 1 && turn_summary.is_some();
        let source = if alone { Source::Provider } else { Source::Rules };
        let session = match turns.first().filter(|_| alone) {
            Some(only) => Some(only.content.clone()),
            None => self.summed_up(turn.session_id, &turns, None).await?,
        };
        Ok(ModelOutcome {
            job: job.clone(),
            seen_event_id: digests.last().map_or(0, |last| last.event_id),
            observations: weighed.observations,
            keep: weighed.keep,
            turn_summary: turn_summary.map(|s| new_summary(s, Source::Provider, last)),
            session_summary: session.map(|s| new_summary(s, source, newest)),
            now: self.clock.now(),
        })
    }
}

/// A model's summary with the files that the tools tell of.
pub(super) fn with_files(
    summary: SummaryContent,
    by_rules: Option<&SummaryContent>,
) -> SummaryContent {
    let files = by_rules.cloned().unwrap_or_default();
    SummaryContent { files_read: files.files_read, files_modified: files.files_modified, ..summary }
}

pub(crate) fn new_summary(content: SummaryContent, source: Source, at: Time) -> NewSummary {
    let index = summary_entry(&content);
    NewSummary { content, source, created_at: at, index }
}

/// A turn's summary as the roll-up reads it, before it is stored.
pub(crate) fn summary_of(
    project_id: i64,
    turn: TurnKey,
    content: &SummaryContent,
    source: Source,
    at: Time,
) -> Summary {
    Summary {
        id: 0,
        uid: Uuid::nil(),
        session_id: Some(turn.session_id),
        project_id,
        level: SummaryLevel::Turn,
        prompt_number: turn.prompt_number,
        content: content.clone(),
        source,
        created_at: at,
    }
}
