//! From the log of changes to messages: rows and sessions as they are by now.

use std::collections::HashMap;

use afterword_domain::PublicId;
use afterword_domain::scope::Scope;
use afterword_domain::session::Session;
use afterword_domain::wire::live::LiveMessage;
use afterword_domain::wire::observer::{
    ObserverObservation, ObserverProjects, ObserverPrompt, ObserverSummary, RowPlace,
};
use afterword_store::contract::{LiveChange, Row, RowBody, RowChange, SessionChange, What};

use crate::timeline::entry;
use crate::{Engine, Result};

/// Why a session is completed that only an import made.
const IMPORTED: &str = "import";

/// Names that a watcher has come across.
#[derive(Debug, Default)]
pub(super) struct Names {
    projects: HashMap<i64, String>,
    sessions: HashMap<i64, Session>,
}

impl Engine {
    /// What there is to choose from.
    pub(super) async fn initial_load(&self) -> Result<LiveMessage> {
        let ObserverProjects { projects, sources, projects_by_source } =
            self.observer_projects(None).await?;
        Ok(LiveMessage::InitialLoad { projects, sources, projects_by_source })
    }

    /// The messages of some changes, with their places. A row that came and changed is told once,
    /// and one that is gone by now only as gone.
    pub(super) async fn tell(
        &self,
        changes: &[LiveChange],
        names: &mut Names,
    ) -> Result<Vec<(i64, LiveMessage)>> {
        let ids: Vec<PublicId> = changes
            .iter()
            .filter_map(|change| match change.what {
                What::Row(id, RowChange::New | RowChange::Changed) => Some(id),
                _ => None,
            })
            .collect();
        let rows = self.store.rows(Scope::All, &ids).await?;
        let mut rows: HashMap<PublicId, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
        let mut messages = Vec::with_capacity(changes.len());
        for change in changes {
            let message = match change.what {
                What::Row(id, RowChange::New) => {
                    self.told_row(rows.remove(&id), true, names).await?
                }
                What::Row(id, RowChange::Changed) => {
                    self.told_row(rows.remove(&id), false, names).await?
                }
                What::Row(id, how) => Some(self.told_gone(id, how, change, names).await?),
                What::Session(id, how) => self.told_session(id, how, names).await?,
            };
            messages.extend(message.map(|message| (change.id, message)));
        }
        Ok(messages)
    }

    async fn told_row(
        &self,
        row: Option<Row>,
        is_new: bool,
        names: &mut Names,
    ) -> Result<Option<LiveMessage>> {
        let Some(row) = row else { return Ok(None) };
        let agent = match row.session_id {
            Some(id) => self.session(id, names).await?.map_or_else(String::new, |s| s.agent),
            None => String::new(),
        };
        let place = RowPlace { project: row.project.clone(), session: row.session.clone(), agent };
        let entry = entry(&row);
        Ok(Some(match (&row.body, is_new) {
            // A summary grows with its session, and watchers of the observer know one message for it.
            (RowBody::Summary(row), _) => {
                LiveMessage::NewSummary { summary: ObserverSummary::of(row, &place), entry }
            }
            (_, false) => LiveMessage::RowChanged { entry },
            (RowBody::Observation(row), true) => LiveMessage::NewObservation {
                observation: ObserverObservation::of(row, &place),
                entry,
            },
            (RowBody::Prompt(row), true) => {
                LiveMessage::NewPrompt { prompt: ObserverPrompt::of(row, &place), entry }
            }
            (RowBody::Memory(_), true) => LiveMessage::NewMemory { entry },
            (RowBody::Snapshot(_), true) => LiveMessage::NewSnapshot { entry },
        }))
    }

    async fn told_gone(
        &self,
        id: PublicId,
        how: RowChange,
        change: &LiveChange,
        names: &mut Names,
    ) -> Result<LiveMessage> {
        let project_id = change.project_id;
        let project = self.project_name(project_id, names).await?;
        let ids = vec![id];
        Ok(if how == RowChange::Replaced {
            LiveMessage::Replaced { ids, project_id, project }
        } else {
            LiveMessage::Forgotten { ids, project_id, project }
        })
    }

    async fn told_session(
        &self,
        id: i64,
        how: SessionChange,
        names: &mut Names,
    ) -> Result<Option<LiveMessage>> {
        let Some(session) = self.session(id, names).await? else { return Ok(None) };
        if session.end_reason.as_deref() == Some(IMPORTED) {
            return Ok(None);
        }
        let project_id = session.project_id;
        let project = self.project_name(project_id, names).await?;
        let Session { agent, agent_session_id: session, .. } = session;
        Ok(Some(match how {
            SessionChange::Started | SessionChange::Resumed => LiveMessage::SessionStarted {
                session_db_id: id,
                project,
                project_id,
                agent,
                session,
                resumed: how == SessionChange::Resumed,
            },
            SessionChange::Completed => LiveMessage::SessionCompleted {
                session_db_id: id,
                project,
                project_id,
                agent,
                session,
            },
        }))
    }

    async fn session(&self, id: i64, names: &mut Names) -> Result<Option<Session>> {
        if let Some(known) = names.sessions.get(&id) {
            return Ok(Some(known.clone()));
        }
        match self.store.get_session(id).await {
            Ok(session) => {
                names.sessions.insert(id, session.clone());
                Ok(Some(session))
            }
            Err(afterword_store::Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The name of a project; empty where it is gone.
    pub(super) async fn project_name(&self, id: i64, names: &mut Names) -> Result<String> {
        if !names.projects.contains_key(&id) {
            let all = self.store.list_projects().await?;
            names.projects = all.into_iter().map(|project| (project.id, project.name)).collect();
        }
        Ok(names.projects.get(&id).cloned().unwrap_or_default())
    }
}
