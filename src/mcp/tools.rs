//! The tools and when to use which.

use afterword_domain::quote::quote;
use afterword_domain::wire::memory::{ForgetRequest, Forgotten, RememberRequest, Remembered};
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use afterword_domain::wire::timeline::{
    Anchor, RowsAnswer, RowsRequest, Timeline, TimelineRequest,
};
use afterword_domain::{Time, text};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::{ErrorData, ServerHandler, tool, tool_handler, tool_router};
use serde_json::json;

use super::answer::{Answer, TAKE_IDS};
use super::asked::{CHARACTERS, NEIGHBOURS, RESULTS, ids, time, told_apart, within};
use super::door::{Door, Refusal};
use super::schema::tidied;
use super::{parameters, structured};

/// Characters of what is no id that are said back.
const MOST_BAD: usize = 40;

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
            route.attr.input_schema = tidied(&route.attr.input_schema);
            route.attr.output_schema = route.attr.output_schema.as_ref().map(tidied);
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

fn refused(refusal: &Refusal) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(refusal.to_string())])
}

#[tool_router]
impl Memory {
    /// Search what earlier sessions did, decided and learned. Gives a compact index (id, kind, date,
    /// score, title), best first; 0.5 and more answers the question. Step 1 of 3: search, then
    /// timeline around a promising id if you need what led to it, then `get_observations` for the few
    /// ids worth reading. Use it before you ask the person about earlier work, and when a problem may
    /// have been met before.
    #[tool(
        annotations(title = "Search memory", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<structured::Found>()
    )]
    async fn search(
        &self,
        Parameters(asked): Parameters<parameters::Search>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| search(door, &asked)).await
    }

    /// Show what came before and after a row, oldest first: prompts, work, summaries and memories
    /// around an id, around the best match of a query, or around a time; with neither, the newest.
    /// Step 2 of 3: it tells how something came about, one line a row.
    #[tool(
        annotations(title = "Timeline", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<structured::Around>()
    )]
    async fn timeline(
        &self,
        Parameters(asked): Parameters<parameters::Timeline>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| timeline(door, &asked)).await
    }

    /// Read rows of any kind whole, by their ids: text, files, session, project. Step 3 of 3: ask
    /// only for ids that search, timeline or the session's context showed, all in one call.
    #[tool(
        annotations(title = "Read rows", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<structured::Details>()
    )]
    async fn get_observations(
        &self,
        Parameters(asked): Parameters<parameters::Details>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| details(door, &asked)).await
    }

    /// Remember a lasting fact, decision or preference on purpose, for every later session. Use it
    /// when the person asks to remember something, or settles something that is not in the code. Not
    /// for progress: work is remembered by itself. The same text again is the same memory.
    #[tool(
        annotations(
            title = "Remember",
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<structured::Remembered>()
    )]
    async fn remember(
        &self,
        Parameters(told): Parameters<parameters::Remember>,
    ) -> Result<CallToolResult, ErrorData> {
        self.answer(move |door| remember(door, told)).await
    }

    /// Delete rows for good, by their ids. Only when the person asks for it; there is no way back.
    #[tool(
        annotations(
            title = "Forget",
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<structured::Forgotten>()
    )]
    async fn forget(
        &self,
        Parameters(asked): Parameters<parameters::Forget>,
    ) -> Result<CallToolResult, ErrorData> {
        // What the person wants gone goes, paused or not.
        self.answer_always(move |door| {
            let request = ForgetRequest { ids: ids(&asked.ids)? };
            let forgotten: Forgotten = door.post("/api/forget", &request)?;
            if forgotten.forgotten.is_empty() {
                return Err(Refusal::new("no such rows", TAKE_IDS));
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
            Ok(Answer::block(&name, &block.text))
        })
        .await
    }

    /// List the projects that have a memory, last seen first, with their folders. The names are what
    /// the other tools take as project.
    #[tool(
        annotations(title = "Projects", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<structured::Known>()
    )]
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
        limit: Some(within("limit", asked.limit, &RESULTS)?),
        project,
        ..SearchRequest::default()
    };
    let answer: SearchAnswer = door.post("/api/search", &request)?;
    Ok(Answer::search(request.project.as_ref().map(|p| p.name.as_str()), &answer))
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
        before: Some(within("before", asked.before, &NEIGHBOURS)?),
        after: Some(within("after", asked.after, &NEIGHBOURS)?),
    };
    let found: Timeline = door.post("/api/timeline", &request)?;
    let place = found.entries.first().map_or(door.here().name.as_str(), |row| &row.project);
    Ok(Answer::timeline(place, &found))
}

fn details(door: &Door, asked: &parameters::Details) -> Result<Answer, Refusal> {
    let most = within("max_chars", asked.max_chars, &CHARACTERS)?;
    if asked.ids.len() > MOST_DETAILS {
        return Err(Refusal::new(
            format!("{} ids at once are too many", asked.ids.len()),
            format!("Ask for the {MOST_DETAILS} that matter most."),
        ));
    }
    let (ids, bad) = told_apart(&asked.ids)?;
    if let ([], Some(bad)) = (ids.as_slice(), bad.first()) {
        return Err(Refusal::new(bad.to_string(), TAKE_IDS));
    }
    let answer: RowsAnswer = door.post("/api/rows", &RowsRequest { ids, evidence: false })?;
    let Some(first) = answer.rows.first() else {
        return Err(Refusal::new("no such rows", TAKE_IDS));
    };
    // What the model wrote is quoted like everything that is not ours.
    let bad = bad.iter().map(|bad| format!("'{}'", quote(&bad.0, MOST_BAD)));
    let unknown = answer.unknown.iter().map(ToString::to_string).chain(bad).collect();
    let alike = answer.rows.iter().all(|row| row.project == first.project);
    let place = if alike { first.project.as_str() } else { "(several)" };
    Ok(Answer::rows(place, &answer, unknown, most))
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
