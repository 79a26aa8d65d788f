//! A session, summed up by a model when it ends or falls idle; a resumed one goes on with its own.

use afterword_domain::observation::Source;
use afterword_domain::summary::SummaryContent;
use afterword_store::contract::{AnswerOf, ModelJob, SessionAnswer};

use super::IDLE_MS;
use super::ask::Question;
use super::turn::new_summary;
use crate::distill;
use crate::distill::model::budget::Purpose;
use crate::distill::model::{Model, SESSION_ROOM, about_session};
use crate::{Engine, Result};

impl Engine {
    pub(super) async fn read_session(
        &self,
        model: &Model,
        job: &ModelJob,
        session_id: i64,
        backlog: bool,
    ) -> Result<()> {
        let paid = self.store.paid_answer(AnswerOf::Job(job.id)).await?;
        // An answer that is paid knows nothing of the turns that came since.
        let told = paid.as_ref().and_then(|paid| paid.note.parse::<i64>().ok());
        let before = told.map(|told| told + 1);
        let turns = self.store.turn_summaries(session_id, before, distill::MAX_TURNS).await?;
        let answered = self.store.session_answer(session_id).await?;
        let up_to = answered.as_ref().map_or(-1, |(_, up_to)| *up_to);
        let before = answered.as_ref().map(|(content, _)| content);
        let later: Vec<_> =
            turns.iter().filter(|turn| turn.prompt_number > up_to).cloned().collect();
        // The session of one turn says what its turn says.
        let Some(newest) = later.last().filter(|_| turns.len() > 1) else {
            return Ok(self.store.end_model_job(job).await?);
        };
        let ask = |room: usize| {
            let (mode, language) = (&model.mode, &model.language);
            about_session(mode, language, &job.project, before, &later, room)
        };
        let question = Question {
            job,
            purpose: Purpose::Session,
            backlog,
            room: SESSION_ROOM,
            ask: &ask,
            serves: |said| said.summary.is_some(),
            note: newest.prompt_number.to_string(),
            paid,
        };
        let Some(said) = self.ask_model(model, &question).await? else { return Ok(()) };
        let Some(summary) = said.summary else {
            return Ok(self.store.end_model_job(job).await?);
        };
        let by_rules = distill::roll_up(&turns).unwrap_or_default();
        let content = SummaryContent {
            files_read: by_rules.files_read,
            files_modified: by_rules.files_modified,
            ..summary
        };
        let now = self.clock.now();
        let answer = SessionAnswer {
            job: job.clone(),
            up_to_prompt: newest.prompt_number,
            summary: new_summary(content, Source::Provider, newest.created_at),
            again: now.plus_millis(IDLE_MS),
            now,
        };
        self.store.save_session_answer(answer).await?;
        self.live.changed();
        Ok(())
    }
}
