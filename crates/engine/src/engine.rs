//! The one door to the rules: a store, a clock, settings, and who must be woken.

use std::collections::HashSet;
use std::sync::Arc;

use afterword_domain::boundary;
use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::wire::context::ContextBlock;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use afterword_domain::wire::status::Status;
use afterword_domain::{Clock, PublicId, Time};
use afterword_store::Store;
use tokio::sync::{Notify, broadcast};

use crate::live::{LiveBody, LiveEvent};
use crate::recall::{self, ContextRequest};
use crate::retention::{Retention, Tidied};
use crate::{Error, Result};

/// Events kept for a slow watcher before it misses some.
const LIVE_BUFFER: usize = 1024;

/// What the engine is told about its task.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Tools whose uses are not stored.
    pub skip_tools: HashSet<String>,
    /// Whether session starts are answered with context.
    pub session_context: bool,
    /// Whether prompts are answered with memories.
    pub prompt_recall: bool,
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
    live: broadcast::Sender<LiveEvent>,
    pub(crate) tidied: Tidied,
}

impl Engine {
    /// Puts the parts together; starts nothing.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, settings: Settings) -> Arc<Self> {
        let (live, _) = broadcast::channel(LIVE_BUFFER);
        Arc::new(Self {
            store,
            clock,
            settings,
            work: Notify::new(),
            live,
            tidied: Tidied::default(),
        })
    }

    /// What happens from now on.
    pub fn watch(&self) -> broadcast::Receiver<LiveEvent> {
        self.live.subscribe()
    }

    /// The clock that the engine was given.
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// The store that the engine works on.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    pub(crate) fn announce(&self, project_id: i64, body: LiveBody) {
        // No watcher is no error.
        drop(self.live.send(LiveEvent { project_id, body }));
    }

    /// Answers a search; any string is a valid query.
    pub async fn search(&self, request: &SearchRequest) -> Result<SearchAnswer> {
        let mut request = request.clone();
        request.project.iter_mut().for_each(boundary::clean_project);
        Ok(recall::search(&*self.store, &request, None).await?)
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
    pub async fn context(&self, project: &ProjectRef) -> Result<ContextBlock> {
        let project = cleaned(project);
        let Some(found) = self.store.find_project(&project).await? else {
            return Ok(ContextBlock::default());
        };
        let request = ContextRequest {
            project_id: found.id,
            project: found.name,
            branch: project.branch,
            session_id: None,
            after_compaction: false,
        };
        Ok(recall::context(&*self.store, &request).await?)
    }

    /// The block for a session that starts, remembered as given to it.
    pub(crate) async fn session_context(&self, request: &ContextRequest) -> Result<ContextBlock> {
        let block = recall::context(&*self.store, request).await?;
        if let Some(session) = request.session_id {
            self.note_given(session, &block.shown, true).await;
        }
        Ok(block)
    }

    /// Notes what a session was given. What cannot be noted may be given twice, which is better
    /// than not at all.
    pub(crate) async fn note_given(&self, session: i64, rows: &[PublicId], whole_block: bool) {
        if rows.is_empty() && !whole_block {
            return;
        }
        if let Err(error) = self.store.note_given(session, rows, whole_block).await {
            tracing::warn!(%error, session, "what was given cannot be noted");
        }
    }

    /// Counts of every stage that the database knows; the spool is the caller's to add.
    pub async fn status(&self) -> Result<Status> {
        Ok(self.store.counts().await?)
    }

    /// When the turn that waits longest was or is to be distilled.
    pub async fn next_due(&self) -> Result<Option<Time>> {
        Ok(self.store.next_job_at().await?)
    }

    /// Makes parked turns wait again; returns how many.
    pub async fn retry_parked(&self) -> Result<u64> {
        let n = self.store.retry_parked_jobs(self.clock.now()).await?;
        self.work.notify_one();
        Ok(n)
    }

    /// Deletes rows of any kind for good.
    pub async fn forget(&self, ids: &[PublicId]) -> Result<Vec<PublicId>> {
        if ids.is_empty() {
            return Err(Error::Invalid("no ids given: name the rows to forget, such as m4".into()));
        }
        let scope = afterword_domain::scope::Scope::All;
        let gone = self.store.forget(scope, ids, self.clock.now()).await?;
        if !gone.is_empty() {
            self.announce(0, LiveBody::Forgotten { ids: gone.clone() });
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
