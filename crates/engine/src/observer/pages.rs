//! Pages of rows, newest first, and what there is to choose from.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use afterword_domain::Kind;
use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::wire::observer::{ObserverProjects, agent, platform};

use super::ObserverRow;
use crate::{Engine, Result};

/// Rows of a page where no number is asked for, and most of them.
const ROWS: usize = 20;
const MOST_ROWS: usize = 100;

/// Sessions that are looked through for the platforms there are.
const SESSIONS: usize = 5_000;

/// Which page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// Rows that are left out at the beginning.
    pub offset: usize,
    /// Most rows; 20 unless said, more than 100 are taken for 100.
    pub limit: Option<usize>,
    /// Only of this project.
    pub project: Option<ProjectRef>,
    /// Only of sessions of this platform.
    pub platform: Option<String>,
}

impl PageRequest {
    /// The rows that a page may have.
    pub fn most(&self) -> usize {
        self.limit.unwrap_or(ROWS).clamp(1, MOST_ROWS)
    }
}

impl Engine {
    /// A page of rows of one kind, newest first, and whether there are more after it. A project that
    /// is not known has none.
    pub async fn observer_page(
        &self,
        kind: Kind,
        request: &PageRequest,
    ) -> Result<(Vec<ObserverRow>, bool)> {
        let Some(scope) = self.scope_named(request.project.as_ref()).await? else {
            return Ok((Vec::new(), false));
        };
        let agent = request.platform.as_deref().map(agent);
        let most = request.most();
        let mut rows = self.store.page(scope, kind, agent, request.offset, most + 1).await?;
        let more = rows.len() > most;
        rows.truncate(most);
        Ok((self.in_observers_form(rows).await?, more))
    }

    /// Projects and platforms; with a platform only its own.
    pub async fn observer_projects(&self, only: Option<&str>) -> Result<ObserverProjects> {
        let projects = self.store.list_projects().await?;
        let names: HashMap<i64, &str> = projects.iter().map(|p| (p.id, p.name.as_str())).collect();
        let mut projects_by_source: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for session in self.store.list_sessions(Scope::All, SESSIONS).await? {
            let Some(name) = names.get(&session.project_id) else { continue };
            if seen.insert((session.agent.clone(), *name)) {
                let source = platform(&session.agent).to_owned();
                projects_by_source.entry(source).or_default().push((*name).to_owned());
            }
        }
        let mut names: Vec<String> = projects.iter().map(|project| project.name.clone()).collect();
        if let Some(only) = only.map(agent) {
            projects_by_source.retain(|source, _| agent(source) == only);
            let own = projects_by_source.values().flatten().cloned().collect::<BTreeSet<_>>();
            names.retain(|name| own.contains(name));
        }
        Ok(ObserverProjects {
            projects: names,
            sources: projects_by_source.keys().cloned().collect(),
            projects_by_source,
        })
    }
}
