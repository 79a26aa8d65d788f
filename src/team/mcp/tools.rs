//! The tools and when to use which.

use std::sync::Arc;

use afterword_domain::project::ProjectRef;
use afterword_engine::Engine;
use afterword_engine::infer::{Message, Speaker};
use afterword_engine::memories::{
    AddMemories, FindMemories, ListMemories, MemoryChange, OwnerPattern, Page,
};
use axum::http::request::Parts;
use rmcp::handler::server::common::Extension;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{ErrorData, ServerHandler, tool, tool_handler, tool_router};
use serde_json::Value;
use uuid::Uuid;

use super::{answer, parameters};
use crate::api::{Access, least, may};
use crate::team::door::Principal;
use crate::team::engines::Engines;
use crate::team::tell::{Origin, Teller};

/// Most rows of an answer, and how many there are unless said: found, listed.
const MOST: usize = 100;
const FOUND: usize = 10;
const LISTED: usize = 50;

/// The tools of a team's memory.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    engines: Arc<Engines>,
    teller: Teller,
    router: ToolRouter<Self>,
}

/// Whoever calls a tool, and what they reach.
struct Call {
    engine: Arc<Engine>,
    principal: Principal,
    origin: Origin,
}

/// Why a tool does not do what it is asked; the model reads it.
type Refused = String;

impl Tools {
    pub(super) fn new(engines: Arc<Engines>, teller: Teller) -> Self {
        Self { engines, teller, router: Self::tool_router() }
    }

    /// The call, where the caller may do what the tool does.
    async fn call(&self, parts: &Parts, tool: &str, access: Access) -> Result<Call, Refused> {
        let principal = parts.extensions.get::<Principal>().cloned();
        let (Some(principal), Some(origin)) = (principal, parts.extensions.get::<Origin>()) else {
            return Err("nobody is known to ask".to_owned());
        };
        let caller = principal.caller();
        if !may(caller, access) {
            self.teller.note(&principal, origin, tool, "", 403).await;
            let needed = least(access);
            return Err(if caller.role < needed {
                format!("a {} may not do this: it takes a token of the role {needed}", caller.role)
            } else {
                "this token reaches one project, and this concerns all of them".to_owned()
            });
        }
        let engine = self.engines.engine(principal.tenant(), principal.0.project);
        let engine = engine.map_err(|error| error.to_string())?;
        Ok(Call { engine, principal, origin: origin.clone() })
    }

    async fn note(&self, call: &Call, tool: &str, subject: &str) {
        self.teller.note(&call.principal, &call.origin, tool, subject, 200).await;
    }

    async fn add(&self, parts: &Parts, told: parameters::Add) -> Result<CallToolResult, Refused> {
        let call = self.call(parts, "add_memory", Access::Write).await?;
        let request = AddMemories {
            id: Uuid::now_v7(),
            messages: vec![Message {
                speaker: Speaker::User,
                content: told.text,
                ..Message::default()
            }],
            owner: told.names.owner(&call.principal.0.token.member)?,
            infer: told.infer,
            metadata: told.metadata.map_or(Value::Null, Value::Object),
            project: ProjectRef::default(),
            ..AddMemories::default()
        };
        let receipt = call.engine.add_memories_now(request).await.map_err(|e| e.to_string())?;
        let ids: Vec<String> = receipt.results.iter().map(|r| r.memory.to_string()).collect();
        self.note(&call, "add_memory", &ids.join(" ")).await;
        Ok(answer::added(&receipt))
    }

    async fn search(
        &self,
        parts: &Parts,
        asked: parameters::Search,
    ) -> Result<CallToolResult, Refused> {
        let call = self.call(parts, "search_memories", Access::Read).await?;
        if asked.query.trim().is_empty() {
            return Err("query is empty: say what you look for, or list memories".to_owned());
        }
        let request = FindMemories {
            filter: asked.names.filter()?,
            limit: within("limit", asked.limit.unwrap_or(FOUND))?,
            threshold: asked.threshold.unwrap_or(0.0),
            query: asked.query,
            with_expired: false,
            at: None,
        };
        let found = call.engine.find_memories(request).await.map_err(|e| e.to_string())?;
        Ok(answer::found(&found))
    }

    async fn list(
        &self,
        parts: &Parts,
        asked: parameters::List,
    ) -> Result<CallToolResult, Refused> {
        let call = self.call(parts, "list_memories", Access::Read).await?;
        let limit = within("page_size", asked.page_size.unwrap_or(LISTED))?;
        let before = asked.page.unwrap_or(1).checked_sub(1).ok_or("page begins with 1")?;
        let request = ListMemories {
            filter: asked.names.filter()?,
            with_expired: false,
            page: Page { offset: before.saturating_mul(limit), limit },
        };
        let listed = call.engine.list_memories(request).await.map_err(|e| e.to_string())?;
        Ok(answer::listed(&listed))
    }

    async fn update(
        &self,
        parts: &Parts,
        told: parameters::Update,
    ) -> Result<CallToolResult, Refused> {
        let call = self.call(parts, "update_memory", Access::Write).await?;
        let uid = uid(&told.memory_id)?;
        let change = MemoryChange { text: Some(told.text), ..MemoryChange::default() };
        let memory = call.engine.change_memory(uid, change).await.map_err(|e| e.to_string())?;
        self.note(&call, "update_memory", &uid.to_string()).await;
        Ok(answer::changed(&memory))
    }

    async fn delete(&self, parts: &Parts, which: &str) -> Result<CallToolResult, Refused> {
        let call = self.call(parts, "delete_memory", Access::Write).await?;
        let uid = uid(which)?;
        let deleted = call.engine.delete_memories(&[uid]).await.map_err(|e| e.to_string())?;
        if deleted == 0 {
            return Err(format!("there is no memory {uid}: {TAKE_IDS}"));
        }
        self.note(&call, "delete_memory", &uid.to_string()).await;
        Ok(answer::deleted(deleted))
    }

    async fn delete_all(
        &self,
        parts: &Parts,
        asked: parameters::DeleteAll,
    ) -> Result<CallToolResult, Refused> {
        let call = self.call(parts, "delete_all_memories", Access::Erase).await?;
        if !asked.confirm {
            let what = "nothing was deleted: ask the person, and call again with confirm=true";
            return Err(what.to_owned());
        }
        let pattern = OwnerPattern {
            user: asked.names.user_id,
            agent: asked.names.agent_id,
            app: asked.names.app_id,
            run: asked.names.run_id,
        };
        let subject = format!("{pattern:?}");
        let deleted = call.engine.delete_owned(pattern).await.map_err(|e| e.to_string())?;
        self.note(&call, "delete_all_memories", &subject).await;
        Ok(answer::deleted(deleted))
    }
}

/// What to do about an id that names nothing.
const TAKE_IDS: &str = "take ids from search_memories or list_memories as they are";

fn uid(text: &str) -> Result<Uuid, Refused> {
    text.trim().parse().map_err(|_| format!("memory_id is no id: {TAKE_IDS}"))
}

fn within(name: &str, value: usize) -> Result<usize, Refused> {
    if (1..=MOST).contains(&value) {
        return Ok(value);
    }
    Err(format!("{name} is {value}, and may be 1 to {MOST}"))
}

/// A refusal is a tool error, so that the model can mend its call.
fn told(outcome: Result<CallToolResult, Refused>) -> CallToolResult {
    outcome.unwrap_or_else(|refused| answer::refusal(&refused))
}

#[tool_router]
impl Tools {
    /// Remember a lasting fact, decision or preference for the whole team. Use it when the person asks to remember something or settles something that is not in the code. The same text of the same owner is kept once.
    #[tool(annotations(title = "Add memory", read_only_hint = false, destructive_hint = false))]
    async fn add_memory(
        &self,
        Extension(parts): Extension<Parts>,
        Parameters(told_of): Parameters<parameters::Add>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(told(self.add(&parts, told_of).await))
    }

    /// Find what the team remembers, best first. Use it before you ask the person about earlier work, and when a problem may have been met before.
    #[tool(annotations(title = "Search memories", read_only_hint = true))]
    async fn search_memories(
        &self,
        Extension(parts): Extension<Parts>,
        Parameters(asked): Parameters<parameters::Search>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(told(self.search(&parts, asked).await))
    }

    /// List memories, the newest first, in pages.
    #[tool(annotations(title = "List memories", read_only_hint = true))]
    async fn list_memories(
        &self,
        Extension(parts): Extension<Parts>,
        Parameters(asked): Parameters<parameters::List>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(told(self.list(&parts, asked).await))
    }

    /// Change what a memory says. What it said before stays in its history.
    #[tool(annotations(title = "Update memory", read_only_hint = false, destructive_hint = false))]
    async fn update_memory(
        &self,
        Extension(parts): Extension<Parts>,
        Parameters(told_of): Parameters<parameters::Update>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(told(self.update(&parts, told_of).await))
    }

    /// Delete one memory for good, with everything that it ever said.
    #[tool(annotations(title = "Delete memory", read_only_hint = false, destructive_hint = true))]
    async fn delete_memory(
        &self,
        Extension(parts): Extension<Parts>,
        Parameters(which): Parameters<parameters::Delete>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(told(self.delete(&parts, &which.memory_id).await))
    }

    /// Delete every memory of an owner for good. At least one name must be given, and confirm=true after the person has agreed.
    #[tool(annotations(
        title = "Delete all memories of an owner",
        read_only_hint = false,
        destructive_hint = true
    ))]
    async fn delete_all_memories(
        &self,
        Extension(parts): Extension<Parts>,
        Parameters(asked): Parameters<parameters::DeleteAll>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(told(self.delete_all(&parts, asked).await))
    }
}

#[tool_handler(
    router = self.router,
    name = "afterword",
    instructions = "The memory of a team. search_memories before you ask a person about earlier work; \
                    add_memory for what a person settles."
)]
impl ServerHandler for Tools {}
