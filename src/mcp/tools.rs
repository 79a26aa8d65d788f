//! The tools and when to use which.

use std::sync::Arc;

use afterword_domain::time::BadTime;
use afterword_domain::wire::memory::{ForgetRequest, Forgotten, RememberRequest, Remembered};
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use afterword_domain::wire::timeline::{
    Anchor, RowsAnswer, RowsRequest, Timeline, TimelineRequest,
};
use afterword_domain::{PublicId, Time, text};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::{ErrorData, ServerHandler, tool, tool_handler, tool_router};
use serde_json::{Value, json};

use super::answer::Answer;
use super::door::{Door, Refusal};
use super::parameters;

/// Results of a search when the call names no number, and most.
const RESULTS: (u32, u32) = (10, 50);

/// Neighbours on each side when the call names no number, and most.
const NEIGHBOURS: (u32, u32) = (5, 50);

/// Characters of a whole text when the call names no number, and most.
const CHARACTERS: (u32, u32) = (3_000, 20_000);

/// Most rows of one call for details.
const MOST_DETAILS: usize = 20;

/// The memory as an MCP server.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    door: Door,
    router: ToolRouter<Self>,
}

impl Memory {
    pub(super) fn new(door: Door) -> Self {
        let mut router = Self::tool_router();
        for route in router.map.values_mut() {
            let mut schema = Value::Object((*route.attr.input_schema).clone());
            tidy(&mut schema);
            if let Value::Object(schema) = schema {
                route.attr.input_schema = Arc::new(schema);
            }
            let words = route.attr.description.as_deref().map(text::one_line);
            route.attr.description = words.map(Into::into);
        }
        Self { door, router }
    }

    /// Does what a pause of the memory forbids, unless there is one.
    async fn answer(
        &self,
        work: impl FnOnce(&Door) -> Result<Answer, Refusal> + Send + 'static,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer_always(move |door| {
            door.is_running()?;
            work(door)
        })
        .await
    }

    /// Does blocking work off the protocol's thread; a refusal becomes a tool error.
    async fn answer_always(
        &self,
        work: impl FnOnce(&Door) -> Result<Answer, Refusal> + Send + 'static,
    ) -> Result<CallToolResult, ErrorData> {
        let door = self.door.clone();
        let outcome = tokio::task::spawn_blocking(move || work(&door)).await;
        Ok(match outcome {
            Ok(Ok(answer)) => answer.into(),
            Ok(Err(refusal)) => refused(&refusal),
            Err(_) => refused(&Refusal::new("the call broke off", "Try it once more.")),
        })
    }
}

/// Takes out of a schema what tells the model nothing: every session pays for it.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("$schema");
            members.remove("format");
            members.retain(|name, value| name != "default" || !value.is_null());
            for (name, value) in members.iter_mut() {
                match (name.as_str(), value) {
                    // What may be left out need not be null.
                    ("type" | "enum", Value::Array(words)) => {
                        words.retain(|w| w != "null" && !w.is_null());
                    }
                    (_, value) => tidy(value),
                }
            }
            if let Some(Value::Array(words)) = members.get_mut("type")
                && words.len() == 1
            {
                let word = words.remove(0);
                members.insert("type".to_owned(), word);
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn refused(refusal: &Refusal) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(refusal.to_string())])
}

fn within(given: Option<u32>, (usual, most): (u32, u32)) -> usize {
    usize::try_from(given.unwrap_or(usual).min(most)).expect("small numbers fit")
}

fn ids(texts: &[String]) -> Result<Vec<PublicId>, Refusal> {
    if texts.is_empty() {
        return Err(Refusal::new("no ids were given", "Take ids from search or timeline."));
    }
    let parsed = texts.iter().map(|text| text.parse());
    parsed
        .collect::<Result<_, afterword_domain::ids::BadId>>()
        .map_err(|e| Refusal::new(e.to_string(), "Take ids from search or timeline as they are."))
}

#[tool_router]
impl Memory {
    /// Search what earlier sessions did, decided and learned. Gives a compact index (id, kind, date,
    /// score, title), best first; 0.5 and more answers the question. Step 1 of 3: search, then
    /// timeline around a promising id if you need what led to it, then `get_observations` for the few
    /// ids worth reading. Use it before you ask the person about earlier work, and when a problem may
    /// have been met before.
    #[tool(annotations(title = "Search memory", read_only_hint = true, open_world_hint = false))]
    async fn search(
        &self,
        Parameters(asked): Parameters<parameters::Search>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| search(door, &asked)).await
    }

    /// Show what came before and after a row, oldest first: prompts, work, summaries and memories
    /// around an id, around the best match of a query, or around a time; with neither, the newest.
    /// Step 2 of 3: it tells how something came about, one line a row.
    #[tool(annotations(title = "Timeline", read_only_hint = true, open_world_hint = false))]
    async fn timeline(
        &self,
        Parameters(asked): Parameters<parameters::Timeline>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| timeline(door, &asked)).await
    }

    /// Read rows of any kind whole, by their ids: text, files, session, project. Step 3 of 3: ask
    /// only for ids that search, timeline or the session's context showed, all in one call.
    #[tool(annotations(title = "Read rows", read_only_hint = true, open_world_hint = false))]
    async fn get_observations(
        &self,
        Parameters(asked): Parameters<parameters::Details>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| details(door, &asked)).await
    }

    /// Remember a lasting fact, decision or preference on purpose, for every later session. Use it
    /// when the person asks to remember something, or settles something that is not in the code. Not
    /// for progress: work is remembered by itself. The same text again is the same memory.
    #[tool(annotations(
        title = "Remember",
        read_only_hint = false,
        destructive_hint = false,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn remember(
        &self,
        Parameters(told): Parameters<parameters::Remember>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| remember(door, told)).await
    }

    /// Delete rows for good, by their ids. Only when the person asks for it; there is no way back.
    #[tool(annotations(
        title = "Forget",
        read_only_hint = false,
        destructive_hint = true,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn forget(
        &self,
        Parameters(asked): Parameters<parameters::Forget>,
    ) -> Result<CallToolResult, ErrorData> {
        // What the person wants gone goes, paused or not.
        self.answer_always(move |door| {
            let request = ForgetRequest { ids: ids(&asked.ids)? };
            let forgotten: Forgotten = door.post("/api/forget", &request)?;
            if forgotten.forgotten.is_empty() {
                return Err(Refusal::new("no such rows", "Take ids from search or timeline."));
            }
            Ok(Answer::forgotten(&forgotten))
        })
        .await
    }

    /// The block that a session of the project starts with: the last summary with its next steps,
    /// lasting decisions, recent work. You usually have it already; ask again after a long
    /// conversation, or for another project.
    #[tool(annotations(title = "Recent context", read_only_hint = true, open_world_hint = false))]
    async fn recent_context(
        &self,
        Parameters(asked): Parameters<parameters::RecentContext>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| {
            let project = door.known(asked.project.as_deref())?;
            let name = project.name.clone();
            let block = door.context(project)?;
            Ok(Answer::block(&name, &block.text, &block.shown))
        })
        .await
    }

    /// List the projects that have a memory, last seen first, with their folders. The names are what
    /// the other tools take as project.
    #[tool(annotations(title = "Projects", read_only_hint = true, open_world_hint = false))]
    async fn projects(
        &self,
        Parameters(_): Parameters<parameters::Projects>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(|door| Ok(Answer::projects(&door.here().name, &door.projects()?))).await
    }
}

#[tool_handler(
    router = self.router,
    name = "afterword",
    instructions = "The memory of earlier sessions. Look things up in three steps: search gives ids, \
                    timeline shows what was around one, get_observations reads the few you need. \
                    remember keeps what the person settles."
)]
impl ServerHandler for Memory {}

fn search(door: &Door, asked: &parameters::Search) -> Result<Answer, Refusal> {
    let since = time("since", asked.since.as_deref(), str::parse)?;
    let until = time("until", asked.until.as_deref(), Time::end_of)?;
    let project =
        if asked.all_projects { None } else { Some(door.known(asked.project.as_deref())?) };
    let request = SearchRequest {
        query: asked.query.clone(),
        kind: asked.kind.map(Into::into),
        since,
        until,
        agent: asked.agent.clone(),
        file: asked.file.clone(),
        limit: Some(within(asked.limit, RESULTS).max(1)),
        project,
        ..SearchRequest::default()
    };
    let answer: SearchAnswer = door.post("/api/search", &request)?;
    Ok(Answer::search(request.project.as_ref().map(|p| p.name.as_str()), &answer))
}

/// A time that a call names; none when it names none.
fn time(
    name: &str,
    text: Option<&str>,
    read: impl Fn(&str) -> Result<Time, BadTime>,
) -> Result<Option<Time>, Refusal> {
    let text = text.filter(|text| !text.trim().is_empty());
    let read = text.map(read).transpose();
    read.map_err(|e| Refusal::new(e.to_string(), format!("Correct {name} and try again.")))
}

fn timeline(door: &Door, asked: &parameters::Timeline) -> Result<Answer, Refusal> {
    let anchor = asked.anchor.as_deref().filter(|text| !text.trim().is_empty());
    let anchor = anchor.map(str::parse::<Anchor>).transpose().map_err(|e| {
        Refusal::new(e.to_string(), "Take an id from search, or give query instead of anchor.")
    })?;
    // An id is unique in every project, so it needs none.
    let project = match (&anchor, asked.project.as_deref()) {
        (Some(Anchor::Row(_)), None) => None,
        (_, name) => Some(door.known(name)?),
    };
    let request = TimelineRequest {
        anchor,
        query: asked.query.clone().unwrap_or_default(),
        project,
        before: Some(within(asked.before, NEIGHBOURS)),
        after: Some(within(asked.after, NEIGHBOURS)),
    };
    let found: Timeline = door.post("/api/timeline", &request)?;
    let place = found.entries.first().map_or(door.here().name.as_str(), |row| &row.project);
    Ok(Answer::timeline(place, &found))
}

fn details(door: &Door, asked: &parameters::Details) -> Result<Answer, Refusal> {
    let ids = ids(&asked.ids)?;
    if ids.len() > MOST_DETAILS {
        return Err(Refusal::new(
            format!("{} ids at once are too many", ids.len()),
            format!("Ask for the {MOST_DETAILS} that matter most."),
        ));
    }
    let answer: RowsAnswer = door.post("/api/rows", &RowsRequest { ids, evidence: false })?;
    let Some(first) = answer.rows.first() else {
        return Err(Refusal::new("no such rows", "Take ids from search or timeline."));
    };
    let alike = answer.rows.iter().all(|row| row.project == first.project);
    let place = if alike { first.project.as_str() } else { "(several)" };
    Ok(Answer::rows(place, &answer, within(asked.max_chars, CHARACTERS)))
}

fn remember(door: &Door, told: parameters::Remember) -> Result<Answer, Refusal> {
    let created_at = time("date", told.date.as_deref(), str::parse)?;
    let project = door.wanted(told.project.as_deref());
    let name = project.name.clone();
    let request = RememberRequest {
        text: told.text,
        title: told.title.unwrap_or_default(),
        files: told.files,
        project,
        metadata: json!({ "told_by": "model" }),
        created_at,
    };
    let remembered: Remembered = door.post("/api/memories", &request)?;
    Ok(Answer::remembered(&name, &remembered))
}
