//! The one door to the rules: a store, a clock, settings, and who must be woken.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use afterword_domain::boundary;
use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::scope::Scope;
use afterword_domain::wire::context::{ContextBlock, ContextQuestion};
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use afterword_domain::wire::status::Status;
use afterword_domain::{Clock, PublicId, Time};
use afterword_store::Store;
use afterword_store::contract::SessionName;
use tokio::sync::Notify;

use crate::distill::model::Model;
use crate::distill::model::budget::Budget;
use crate::embed::Near;
use crate::error::within;
use crate::ledger::{Ledger, NoPrices, SpendLimits};
use crate::live::Live;
use crate::memories::Adding;
use crate::model_worker::ModelWork;
use crate::recall::{self, ContextRequest};
use crate::retention::{Retention, Tidied};
use crate::vectors::{Embeddings, NearFilter, Vectors};
use crate::{Error, Result};

/// Rows near by meaning that a search looks at.
const NEAR_ROWS: usize = 200;

/// How long a search waits for them, which matters while the model is being loaded and where a
/// service is asked.
const NEAR_PATIENCE: Duration = Duration::from_millis(800);

/// What the engine is told about its task.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Tools whose uses are not stored.
    pub skip_tools: HashSet<String>,
    /// Whether session starts are answered with context.
    pub session_context: bool,
    /// Whether prompts are answered with memories, until it is [set](Engine::set_prompt_recall).
    pub prompt_recall: bool,
    /// Whether what is known of a file is told before it is read or changed.
    pub file_recall: bool,
    /// What stays of raw payloads.
    pub retention: Retention,
}

/// The rules at work on one store.
#[derive(Debug)]
pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Settings,
    pub(crate) work: Notify,
    pub(crate) live: Live,
    prompt_recall: AtomicBool,
    pub(crate) tidied: Tidied,
    pub(crate) vectors: Arc<Vectors>,
    ledger: Arc<Ledger>,
    pub(crate) model: Option<Model>,
    pub(crate) no_model: Option<NoModel>,
    pub(crate) settings_mark: String,
    pub(crate) model_work: ModelWork,
    pub(crate) adding: Adding,
    program: Option<Program>,
}

/// What makes an engine better and is not there everywhere.
#[derive(Debug, Default)]
pub struct Extras {
    /// Who makes vectors of rows; without one they are found by their words only.
    pub embeddings: Embeddings,
    /// The model that reads what the rules have read.
    pub model: Option<Model>,
    /// Why there is none although one is wanted.
    pub no_model: Option<NoModel>,
    /// A mark of the settings that the model was opened with, which holds nothing of its key.
    pub settings_mark: String,
    /// A ledger on the same store, which is then the model's budget; without one the ledger has
    /// its usual caps and knows no prices, and the model has the budget it came with.
    pub ledger: Option<Arc<Ledger>>,
    /// How the program is called; without it by its name.
    pub program: Option<Program>,
}

/// The program at a path of its own.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where it lies, once it is installed.
    pub path: PathBuf,
    /// How a shell calls it there.
    pub command: String,
}

/// A provider that the settings name and that cannot be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoModel {
    /// What the settings name.
    pub provider: String,
    /// Why it cannot be asked.
    pub why: String,
    /// What to do about it.
    pub remedy: String,
}

impl Engine {
    /// Puts the parts together, without extras; starts nothing.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, settings: Settings) -> Arc<Self> {
        Self::with(store, clock, settings, Extras::default())
    }

    /// As [`new`](Self::new), with extras.
    pub fn with(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        settings: Settings,
        extras: Extras,
    ) -> Arc<Self> {
        let (ledger, model) = if let Some(ledger) = extras.ledger {
            let model = extras.model.map(|model| Model {
                backlog_tokens: ledger.limits().backlog_tokens,
                budget: Arc::clone(&ledger) as Arc<dyn Budget>,
                ..model
            });
            (ledger, model)
        } else {
            let (store, clock) = (Arc::clone(&store), Arc::clone(&clock));
            let limits = SpendLimits::default();
            (Ledger::new(store, clock, limits, Arc::new(NoPrices)), extras.model)
        };
        Arc::new(Self {
            store,
            clock,
            prompt_recall: AtomicBool::new(settings.prompt_recall),
            settings,
            work: Notify::new(),
            live: Live::default(),
            tidied: Tidied::default(),
            vectors: Arc::new(Vectors::new(extras.embeddings)),
            ledger,
            model,
            no_model: extras.no_model,
            settings_mark: extras.settings_mark,
            model_work: ModelWork::default(),
            adding: Adding::default(),
            program: extras.program,
        })
    }

    /// The same rules on a store that reaches a part of this one's rows: it answers and takes in, and
    /// leaves what workers do to the whole. Both share what is loaded to find rows by meaning.
    #[must_use]
    pub fn beside(&self, store: Arc<dyn Store>) -> Arc<Self> {
        let extras = Extras { program: self.program.clone(), ..Extras::default() };
        let settings = Settings { prompt_recall: self.prompt_recall(), ..self.settings.clone() };
        let whole = Self::with(store, Arc::clone(&self.clock), settings, extras);
        let mut beside = Arc::into_inner(whole).expect("nobody else has it yet");
        beside.vectors = Arc::clone(&self.vectors);
        Arc::new(beside)
    }

    /// How the program is called: by its path where it is installed, for its name may not be on the
    /// search path of whoever reads this.
    pub(crate) fn command(&self) -> String {
        let installed = self.program.as_ref().filter(|program| program.path.is_file());
        installed.map_or(recall::PROGRAM, |program| &program.command).to_owned()
    }

    /// Whether prompts are answered with memories.
    pub fn prompt_recall(&self) -> bool {
        self.prompt_recall.load(Ordering::Relaxed)
    }

    /// Answers prompts with memories from now on, or does not.
    pub fn set_prompt_recall(&self, on: bool) {
        self.prompt_recall.store(on, Ordering::Relaxed);
    }

    /// The clock that the engine was given.
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// What may be spent with a model, what was, and what sessions were handed.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// The store that the engine works on.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Answers a search; any string is a valid query. A limit beyond 1 to 200 is [`Error::Invalid`].
    pub async fn search(&self, request: &SearchRequest) -> Result<SearchAnswer> {
        within("limit", request.limit, 1..=recall::MAX_LIMIT)?;
        let mut request = request.clone();
        request.project.iter_mut().for_each(boundary::clean_project);
        let near = self.near_request(&request).await?;
        let mut answer = recall::search(&*self.store, &request, near.as_deref()).await?;
        if request.highlight {
            recall::highlight(&request.query, &mut answer);
        }
        Ok(answer)
    }

    /// The rows near a request by meaning, for [`recall::search`].
    async fn near_request(&self, request: &SearchRequest) -> Result<Option<Vec<Near<PublicId>>>> {
        let scope = match &request.project {
            None => Scope::All,
            Some(project) => match self.store.find_project(project).await? {
                Some(project) => Scope::Project(project.id),
                None => return Ok(None),
            },
        };
        let query = request.query.trim();
        if query.chars().all(|c| c == '*' || c.is_whitespace()) {
            return Ok(None);
        }
        let (kind, since, until) = (request.kind, request.since, request.until);
        let filter = NearFilter { scope, kind, owners: None, since, until };
        Ok(self.near(query, &filter, NEAR_ROWS, NEAR_PATIENCE).await)
    }

    /// The project a reference means, without making one.
    pub async fn find_project(&self, project: &ProjectRef) -> Result<Option<Project>> {
        Ok(self.store.find_project(&cleaned(project)).await?)
    }

    /// The project a reference means; a new one where none is known.
    pub(crate) async fn resolve_project(&self, project: &ProjectRef) -> Result<Project> {
        Ok(self.store.resolve_project(&cleaned(project), self.clock.now()).await?)
    }

    /// The block that the next session of a project would be given. A project that is not known
    /// has none.
    pub async fn context(&self, question: &ContextQuestion) -> Result<ContextBlock> {
        let project = cleaned(&question.project);
        let mut changed_files = question.changed_files.clone();
        boundary::clean_changed(&mut changed_files);
        let Some(found) = self.store.find_project(&project).await? else {
            return Ok(ContextBlock::default());
        };
        let request = ContextRequest {
            project_id: found.id,
            project: found.name,
            branch: project.branch,
            changed_files,
            command: self.command(),
            session_id: None,
            after_compaction: false,
        };
        Ok(recall::context(&*self.store, &request).await?)
    }

    /// As [`Self::context`], for a session of a caller that is no hook of ours: the block is
    /// counted as handed over.
    pub async fn inject(&self, project: &ProjectRef) -> Result<ContextBlock> {
        let question = ContextQuestion { project: project.clone(), ..ContextQuestion::default() };
        let block = self.context(&question).await?;
        if !block.text.is_empty()
            && let Some(found) = self.find_project(project).await?
        {
            self.ledger.note_handed("session-start", found.id, &block.text).await;
        }
        Ok(block)
    }

    /// The block for a session that starts, remembered as given to it.
    pub(crate) async fn session_context(
        &self,
        request: &ContextRequest,
        session: &SessionName,
    ) -> Result<ContextBlock> {
        // Its first prompt will want to know what is near.
        self.vectors.warm_up();
        let block = recall::context(&*self.store, request).await?;
        // At once, so that both share a transaction.
        let given = self.note_given(session, &block.shown, true);
        let counted = self.ledger.note_handed("session-start", request.project_id, &block.text);
        tokio::join!(given, counted);
        Ok(block)
    }

    /// Notes what a session was given. What cannot be noted may be given twice, which is better
    /// than not at all.
    pub(crate) async fn note_given(
        &self,
        session: &SessionName,
        rows: &[PublicId],
        whole_block: bool,
    ) {
        if rows.is_empty() && !whole_block {
            return;
        }
        if let Err(error) = self.store.note_given(session, rows, whole_block).await {
            let session = &session.agent_session_id;
            tracing::warn!(%error, session, "what was given cannot be noted");
        }
    }

    /// Counts of every stage that the database knows; the spool is the caller's to add.
    pub async fn status(&self) -> Result<Status> {
        let spend = self.ledger.today().await?;
        let asked = self.asked();
        let mut status = Status { spend, asked, ..self.store.counts().await? };
        self.vectors.tell(&mut status.embeddings);
        self.tell_hold(&mut status);
        Ok(status)
    }

    /// When the turn that waits longest was or is to be distilled.
    pub async fn next_due(&self) -> Result<Option<Time>> {
        Ok(self.store.next_job_at().await?)
    }

    /// Makes the workers look for what is due: for work that another process has brought.
    pub fn wake_workers(&self) {
        self.work.notify_one();
        self.model_work.due.notify_one();
    }

    /// Deletes rows of any kind for good.
    pub async fn forget(&self, ids: &[PublicId]) -> Result<Vec<PublicId>> {
        if ids.is_empty() {
            return Err(Error::Invalid("no ids given: name the rows to forget, such as m4".into()));
        }
        let gone = self.store.forget(Scope::All, ids, self.clock.now()).await?;
        if !gone.is_empty() {
            self.live.changed();
            // What is left in the files of the forgotten text is swept away by the worker.
            self.work.notify_one();
        }
        Ok(gone)
    }
}

/// Projects are stored cleaned, so they are looked for cleaned.
fn cleaned(project: &ProjectRef) -> ProjectRef {
    let mut project = project.clone();
    boundary::clean_project(&mut project);
    project
}
