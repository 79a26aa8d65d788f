//! Rows in the observer's form.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::wire::observer::{
    ObserverObservation, ObserverPrompt, ObserverSession, ObserverSummary, RowPlace,
};
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{Row, RowBody};
use serde::Serialize;

use crate::{Engine, Error, Result};

/// Most rows, or sessions, that are asked for by their keys at once.
const MOST: usize = 500;

/// A row as the observer's door gives it; a snapshot has no form there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ObserverRow {
    /// An observation.
    Observation(ObserverObservation),
    /// A summary.
    Summary(ObserverSummary),
    /// A prompt.
    Prompt(ObserverPrompt),
    /// A memory, which the observer knows as a discovery.
    Memory(ObserverObservation),
}

impl Engine {
    /// Rows by their ids, in the order asked and each once; those that do not exist in the project
    /// are left out. More than 500 are [`Error::Invalid`].
    pub async fn observer_rows(
        &self,
        ids: &[PublicId],
        project: Option<&ProjectRef>,
    ) -> Result<Vec<ObserverRow>> {
        few(ids.len())?;
        let mut once: Vec<PublicId> = Vec::with_capacity(ids.len());
        for id in ids {
            if !once.contains(id) {
                once.push(*id);
            }
        }
        let Some(scope) = self.scope_named(project).await? else { return Ok(Vec::new()) };
        let rows = self.store.rows(scope, &once).await?;
        self.in_observers_form(rows).await
    }

    /// Sessions by agents' ids of them. More than 500 are [`Error::Invalid`].
    pub async fn observer_sessions(&self, ids: &[String]) -> Result<Vec<ObserverSession>> {
        few(ids.len())?;
        let projects = self.store.list_projects().await?;
        let names: HashMap<i64, String> = projects.into_iter().map(|p| (p.id, p.name)).collect();
        let agents = self.store.agents().await?;
        let mut sessions: Vec<ObserverSession> = Vec::new();
        for id in ids {
            for agent in &agents {
                let Some(found) = self.store.find_session(agent, id).await? else { continue };
                if sessions.iter().all(|session| session.id != found.id) {
                    let project = names.get(&found.project_id).cloned().unwrap_or_default();
                    sessions.push(ObserverSession::of(&found, project));
                }
            }
        }
        Ok(sessions)
    }

    /// Where to look; none where the project is not known.
    pub(super) async fn scope_named(&self, project: Option<&ProjectRef>) -> Result<Option<Scope>> {
        match project {
            None => Ok(Some(Scope::All)),
            Some(project) => {
                Ok(self.find_project(project).await?.map(|found| Scope::Project(found.id)))
            }
        }
    }

    /// Rows in the observer's form, in their order; snapshots are left out.
    pub(super) async fn in_observers_form(&self, rows: Vec<Row>) -> Result<Vec<ObserverRow>> {
        let mut agents: HashMap<i64, String> = HashMap::new();
        let mut told = Vec::with_capacity(rows.len());
        for row in rows {
            let agent = match row.session_id {
                None => String::new(),
                Some(id) => match agents.entry(id) {
                    Entry::Occupied(known) => known.get().clone(),
                    Entry::Vacant(place) => match self.store.get_session(id).await {
                        Ok(session) => place.insert(session.agent).clone(),
                        // It went since its row was read.
                        Err(afterword_store::Error::NotFound(_)) => continue,
                        Err(error) => return Err(error.into()),
                    },
                },
            };
            told.extend(in_form(&row, agent));
        }
        Ok(told)
    }
}

fn few(n: usize) -> Result<()> {
    if n > MOST {
        return Err(Error::Invalid(format!(
            "{n} ids at once are too many: ask for at most {MOST}"
        )));
    }
    Ok(())
}

fn in_form(row: &Row, agent: String) -> Option<ObserverRow> {
    let place = RowPlace { project: row.project.clone(), session: row.session.clone(), agent };
    Some(match &row.body {
        RowBody::Observation(row) => ObserverRow::Observation(ObserverObservation::of(row, &place)),
        RowBody::Summary(row) => ObserverRow::Summary(ObserverSummary::of(row, &place)),
        RowBody::Prompt(row) => ObserverRow::Prompt(ObserverPrompt::of(row, &place)),
        RowBody::Memory(row) => ObserverRow::Memory(ObserverObservation::of_memory(row, &place)),
        RowBody::Snapshot(_) => return None,
    })
}

impl ObserverRow {
    /// Its public id.
    pub fn id(&self) -> PublicId {
        match self {
            Self::Observation(row) => PublicId::new(Kind::Observation, row.id),
            Self::Summary(row) => PublicId::new(Kind::Summary, row.id),
            Self::Prompt(row) => PublicId::new(Kind::Prompt, row.id),
            Self::Memory(row) => PublicId::new(Kind::Memory, row.id),
        }
    }

    /// When the work was done, in milliseconds since the epoch.
    pub fn created_at_epoch(&self) -> i64 {
        match self {
            Self::Observation(row) | Self::Memory(row) => row.created_at_epoch,
            Self::Summary(row) => row.created_at_epoch,
            Self::Prompt(row) => row.created_at_epoch,
        }
    }

    /// The type of an observation, else the word of its kind.
    pub fn word(&self) -> &str {
        match self {
            Self::Observation(row) => &row.r#type,
            other => other.id().kind.word(),
        }
    }

    /// Characters of what it says.
    pub fn text_chars(&self) -> usize {
        let texts: Vec<&str> = match self {
            Self::Observation(row) | Self::Memory(row) => {
                vec![&row.title, &row.subtitle, &row.narrative, &row.facts]
            }
            Self::Summary(row) => vec![
                &row.request,
                &row.investigated,
                &row.learned,
                &row.completed,
                &row.next_steps,
                &row.notes,
            ],
            Self::Prompt(row) => vec![&row.prompt_text],
        };
        texts.iter().map(|text| text.chars().count()).sum()
    }
}
