//! The queues as people see them, and the session's summary between two answers.

use afterword_domain::observation::Source;
use afterword_domain::summary::{Summary, SummaryContent, SummaryLevel};
use afterword_domain::wire::jobs::{JobId, JobList};
use afterword_domain::wire::status::{ModelAsked, Status};
use uuid::Uuid;

use crate::{Engine, NoModel, Result, distill};

/// Most jobs that one list shows.
const MOST_LISTED: usize = 1_000;

impl Engine {
    /// The queues as people see them.
    pub async fn jobs(&self) -> Result<JobList> {
        let jobs = self.store.list_jobs(MOST_LISTED).await?;
        Ok(JobList { jobs, held: self.held() })
    }

    /// What holds the model back at the moment, for people.
    pub fn held(&self) -> Option<String> {
        self.model_work.hold.told(self.clock.now())
    }

    /// Makes parked jobs wait again, and waiting ones due: these, or all that are parked or wait for
    /// a budget. The provider is asked again, whatever held it back.
    pub async fn retry_jobs(&self, ids: &[JobId]) -> Result<Vec<JobId>> {
        let retried = self.store.retry_jobs(ids, self.clock.now()).await?;
        if ids.is_empty() || !retried.is_empty() {
            self.let_go().await?;
        }
        self.work.notify_one();
        self.model_work.due.notify_one();
        Ok(retried)
    }

    /// Gives jobs up: these, or all parked ones. Events and rows stay.
    pub async fn drop_jobs(&self, ids: &[JobId]) -> Result<Vec<JobId>> {
        Ok(self.store.drop_jobs(ids).await?)
    }

    /// Who is asked, and within which bounds.
    pub(crate) fn asked(&self) -> ModelAsked {
        let limits = self.ledger().limits();
        let mut asked = ModelAsked {
            session_token_share: limits.session_tokens,
            backlog_tokens: limits.backlog_tokens,
            settings_mark: self.settings_mark.clone(),
            ..ModelAsked::default()
        };
        if let Some(NoModel { provider, why, remedy }) = self.no_model.clone() {
            asked.provider = provider;
            asked.problem = Some(why);
            asked.remedy = remedy;
        }
        if let Some(model) = &self.model {
            let (name, of) = (model.provider.name(), model.provider.model());
            asked.price_known = self.ledger().knows_price(name, of);
            name.clone_into(&mut asked.provider);
            asked.model = Some(of.to_owned());
            asked.mode.clone_from(&model.mode.name);
            asked.mode_problem.clone_from(&model.mode_problem);
        }
        asked
    }

    /// Says in the counts what holds the provider back.
    pub(crate) fn tell_hold(&self, status: &mut Status) {
        let now = self.clock.now();
        status.model.held = self.model_work.hold.told(now);
        status.model.stopped = self.model_work.hold.needs_a_person(now);
        let failing = self.model_work.hold.failing();
        status.model.lasts = failing.as_ref().is_some_and(|failing| failing.lasts(now));
        status.model.failing = failing.map(|failing| failing.told());
        if let Some(no_model) = &self.no_model {
            status.model.held = Some(no_model.why.clone());
            status.model.stopped = true;
        }
    }

    /// The session's summary by rules, from those of its turns and from what a model wrote about
    /// the earlier ones. None where the model has told of all of them. `went_on` is the prompt of a
    /// turn in which more happened than the model can have told of.
    pub(crate) async fn summed_up(
        &self,
        session_id: i64,
        turns: &[Summary],
        went_on: Option<i64>,
    ) -> Result<Option<SummaryContent>> {
        let Some((mut content, up_to)) = self.store.session_answer(session_id).await? else {
            return Ok(distill::roll_up(turns));
        };
        if went_on.is_some_and(|prompt| prompt >= up_to) {
            // The steps that the model named were taken, or given up, after it was asked.
            content.next_steps.clear();
        }
        let is_later =
            |turn: &&Summary| turn.prompt_number > up_to || Some(turn.prompt_number) == went_on;
        let later = turns.iter().filter(is_later);
        let before = Summary {
            id: 0,
            uid: Uuid::nil(),
            session_id: Some(session_id),
            project_id: turns.first().map_or(0, |turn| turn.project_id),
            level: SummaryLevel::Turn,
            prompt_number: up_to,
            content,
            source: Source::Provider,
            created_at: turns.first().map_or(self.clock.now(), |turn| turn.created_at),
        };
        let all: Vec<Summary> = std::iter::once(before).chain(later.cloned()).collect();
        Ok(if all.len() > 1 { distill::roll_up(&all) } else { None })
    }
}
