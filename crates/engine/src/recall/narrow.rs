//! Filters that the store does not know: by file and by agent.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use afterword_domain::boundary;
use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::scope::Scope;
use afterword_domain::text::{cut_chars, one_line};
use afterword_domain::wire::search::SearchRequest;
use afterword_store::{Error, Result, Store};

use super::file::FileName;
use super::rank::Ranked;

/// The file of a request, where it names one; `found` is the request's project.
///
/// Where the request is about every project, an absolute path says which one it means: the scope
/// becomes that one's. None also for a text in which nothing can be looked for.
pub(super) async fn file_asked(
    store: &dyn Store,
    request: &SearchRequest,
    found: Option<&Project>,
    scope: &mut Scope,
) -> Result<Option<FileName>> {
    let Some(file) = &request.file else { return Ok(None) };
    let mut place = request.project.clone().unwrap_or_default();
    if let Some(project) = found {
        place.root = place.root.or_else(|| project.root.clone());
    } else if let Some(project) = project_around(store, file).await? {
        *scope = Scope::Project(project.id);
        place = ProjectRef { root: project.root, ..ProjectRef::default() };
    }
    Ok(FileName::asked(file, &place))
}

/// The project whose folder holds the file; the innermost of several.
async fn project_around(store: &dyn Store, file: &str) -> Result<Option<Project>> {
    let file = file.trim().replace('\\', "/");
    let holds = |project: &Project| {
        let root = project.root.as_deref().unwrap_or_default().replace('\\', "/");
        !root.is_empty() && file.strip_prefix(&root).is_some_and(|rest| rest.starts_with('/'))
    };
    let projects = store.list_projects().await?.into_iter().filter(holds);
    Ok(projects.max_by_key(|project| project.root.as_ref().map(String::len)))
}

/// What to say of an agent of which there is no session.
pub(super) async fn unknown_agent(
    store: &dyn Store,
    request: &SearchRequest,
) -> Result<Option<String>> {
    let Some(asked) = request.agent.as_deref() else { return Ok(None) };
    let known = store.agents().await?;
    if known.contains(&boundary::agent_name(asked)) {
        return Ok(None);
    }
    let asked = cut_chars(&one_line(asked), 40);
    Ok(Some(match known.as_slice() {
        [] => format!("there is no session of the agent '{asked}', nor of any other"),
        known => format!(
            "there is no session of the agent '{asked}'; there are sessions of {}",
            known.join(", ")
        ),
    }))
}

/// Keeps the rows that concern the file and come from the agent of the request.
pub(super) async fn narrow(
    store: &dyn Store,
    request: &SearchRequest,
    file: Option<&FileName>,
    ranked: &mut Vec<Ranked>,
) -> Result<()> {
    if let Some(file) = file {
        let concerns = |found: &Ranked| {
            let text = &found.text;
            file.concerns(&text.files, &[&text.title, &text.text])
        };
        ranked.retain(concerns);
    }
    let Some(agent) = request.agent.as_deref().map(boundary::agent_name) else { return Ok(()) };
    let mut agents: HashMap<i64, bool> = HashMap::new();
    for session in ranked.iter().filter_map(|found| found.row.session_id) {
        if let Entry::Vacant(place) = agents.entry(session) {
            place.insert(match store.get_session(session).await {
                Ok(session) => session.agent == agent,
                // It went since the rows were read.
                Err(Error::NotFound(_)) => false,
                Err(error) => return Err(error),
            });
        }
    }
    ranked.retain(|found| found.row.session_id.is_some_and(|session| agents[&session]));
    Ok(())
}
